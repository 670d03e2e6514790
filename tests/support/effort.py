"""Count the calls of the planner's functions until a plan is found.

Calls are counted, not timed: the same problem takes as many on every machine. Functions without a
name (comprehensions, lambdas) and generators are left out, since versions of Python differ in them.
"""

import inspect
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import feint.planning

ROOM = Path(feint.planning.__file__).parent


def counted(work: Callable[[], Any]) -> tuple[Any, dict[str, int]]:
    """Return a function's result, and how many calls it makes in each file of `planning`.

    Whatever is kept between calls is forgotten first, so that it does not matter what was planned
    before.
    """
    _forget()
    calls, prefix = Counter[str](), f"{ROOM}/"
    beside = f"{ROOM}/optimal/"  # a solver by itself, not a way to search for plans

    def see(frame: FrameType, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        plain = code.co_name[0] != "<" and not code.co_flags & inspect.CO_GENERATOR
        path = code.co_filename
        if plain and path.startswith(prefix) and not path.startswith(beside):
            calls[path] += 1

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        found = work()
    finally:
        sys.setprofile(before)
    return found, {path[len(prefix) : -3]: calls[path] for path in sorted(calls)}


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("feint"):
            for value in list(vars(module).values()):
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()
