"""Damage saved searches: flipped bytes, extreme values, wrong types; limit their time."""

import json
import math
import random
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from tests.support.price import price_plan
from tests.support.saved import SAVED

from feint import Domain, Problem, Search, plan
from feint.errors import FeintError
from feint.search import coins
from feint.search.saved import digest

SECONDS = 1.0
"""Processor time that one damaged search may take."""

_LONG = 20_000  # questions: what a server takes, too
_WORDS = (
    "",
    "x",
    "1e30000000",
    "1e-30000000",
    "9" * 5000,
    "1/0",
    "0x10",
    "\N{FULLWIDTH DIGIT TWO}",
    "\ud800",
    "\0",
)
_NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 64, 10**6, 1 << 24, (1 << 24) + 1, 1 << 31, 1 << 53, 1 << 62),
    *((1 << 63) - 1, 1 << 63, 1 << 64, -(1 << 63), 10**18, 10**30, 10**300, 10**4000, -(10**18)),
    *(0.0, -0.0, 0.5, -1.5, 1e16, 1e308, math.nan, math.inf, -math.inf),
)
_FRACTIONS: tuple[Any, ...] = (
    *_WORDS,
    "1/3",
    "-1/3",
    "7",
    "0",
    "1/" + "9" * 4000,
    "1" + "0" * 400,
    5,
    None,
    [],
)
_TOKENS = ("NaN", "Infinity", "-Infinity", "1e999", "9" * 6000, "-" + "8" * 5000, "1e-999")
_KINDS: tuple[str, ...] = (
    "plan",
    "problem",
    "domain",
    "scale",
    "prior",
    "staged",
    "staged shape",
    "blocks",
)
_KINDS += ("tailed shape", "loose shape", "play", "planted", "staged noisy", "product", "padded")


class Hung(Exception):
    """A call took more processor time than allowed."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Raise `Hung` in a block that takes more processor time than this."""

    def late(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outcome(saved: str) -> str:
    """Load a text; return "loads", "refused", "hangs", or the name of any other error.

    A search that loads must also say what it asks, and be saved again, unless it is so long that
    this takes its time.
    """
    try:
        with limited():
            search = Search.from_json(saved)
            repr(search)
            if search.plan.queries <= _LONG:
                search.to_json()
                repr(search.result if search.done else search.ask())
    except Hung:
        return "hangs"
    except FeintError:
        return "refused"
    except Exception as error:  # noqa: BLE001 a traceback is what must not be
        return type(error).__name__
    return "loads"


def stored() -> dict[str, str]:
    """Return the stored searches of every version as `to_json` wrote them, by family too."""
    found = {}
    for path in sorted(SAVED.glob("v*/*.jsonl")):
        header, *lines = map(json.loads, path.read_text("utf-8").splitlines())
        name = "events" if header["version"] < 3 else "rounds"
        found[f"{path.parent.name}/{path.stem}"] = json.dumps({**header, name: lines})
    return found


@lru_cache(maxsize=1)
def fresh() -> dict[str, str]:
    """Return searches of the current version by family: at the beginning, half-way, at the end."""
    shop = Domain(0, 200, label="price")
    plans = {
        "price": price_plan(),
        "values": plan(
            Domain(1, 97, step=1).problem(delta=3, level=7), domain=Domain(1, 97, step=1)
        ),
        "tailed": plan(Domain(1, 1000, step=1).problem(delta=9, level=11)),
        "noisy": plan(Problem("1/16", "1/4", 2, p="0.9", confidence="0.9")),
        "places": plan(Problem("1/64", "1/12", 3, setting="deterministic")),
        "prior": plan(shop.problem(epsilon=5, delta=20, level=3, prior=[1, 4, 2, 1]), domain=shop),
        "several": plan(Problem("1/64", "1/8", 6, dim=2)),
        "optimal": plan(Problem("1/8", "1/4", 2), method="optimal"),
    }
    found = {}
    for name, each in plans.items():
        for share in (0, 1, 2):
            search = Search(each, key=bytes(range(32)))
            while not search.done and search.answered < share * each.queries // 2:
                for query in search.ask():
                    search.tell(query.id, query.value <= 40)
            found[f"{name} {share}"] = search.to_json()
    return found


def document(text: str) -> Any:
    """Return a saved search as values."""
    return json.loads(text)


def text(document: Any) -> str:
    """Return a saved search with these values as text."""
    return json.dumps(document)


def signed(document: Any) -> Any:
    """Sign a document with a digest that fits, as anyone who has its key can."""
    if isinstance(document, dict):
        key = document.get("key")
        fields = {name: document[name] for name in document.keys() - {"check", "events", "rounds"}}
        if isinstance(key, str) and re.fullmatch(f"[0-9a-f]{{{2 * coins.KEY_BYTES}}}", key):
            document["check"] = digest(fields, bytes.fromhex(key))
    return document


def damaged(text: str, random_: random.Random) -> str:
    """Return one damaged copy of a saved search."""
    if random_.random() < 0.25:
        return _bytes(text, random_)
    if random_.random() < 0.12:
        return _tokens(text, random_)
    document = json.loads(text)
    for _ in range(random_.choice((1, 1, 1, 2, 3))):
        _changed(document, random_)
    if random_.random() < 0.85:
        document = signed(document)
    return re.sub(r'"nested (\d+)"', _nested, json.dumps(document))


def _nested(found: re.Match[str]) -> str:
    """Return nested lists, some deeper than Python writes."""
    return "[" * int(found[1]) + "]" * int(found[1])


def _bytes(text: str, random_: random.Random) -> str:
    """Flip, remove, double or insert bytes."""
    held = bytearray(text.encode())
    for _ in range(random_.choice((1, 1, 2, 8))):
        at, length = random_.randrange(len(held) or 1), random_.randrange(1, 40)
        change = random_.randrange(5)
        if change == 0 and held:
            held[at] ^= 1 << random_.randrange(8)
        elif change == 1:
            del held[at : at + length]
        elif change == 2:
            held[at:at] = held[at : at + length]
        elif change == 3:
            held[at:at] = random_.randbytes(length)
        else:
            del held[at:]
    return held.decode("utf-8", "surrogateescape")


def _tokens(text: str, random_: random.Random) -> str:
    """Write a number in another form, or a name twice, and adjust the digest."""
    spots = list(re.finditer(r"(?<=[ \[:])-?\d+(?=[,\]}])", text))
    if random_.random() < 0.3 or not spots:
        (name, *_) = random_.choices(re.findall(r'"\w+": ', text))
        at = random_.choice([each.end() for each in re.finditer(r"\{", text)])
        return f"{text[:at]}{name}{random_.choice(('null', '7', '[]'))}, {text[at:]}"
    spot = random_.choice(spots)
    found = text[: spot.start()] + random_.choice(_TOKENS) + text[spot.end() :]
    try:
        return json.dumps(signed(json.loads(found)))
    except ValueError:
        return found


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Return every place of a document: its container, and its name or number there."""
    found, waiting = [], [document]
    while waiting:
        held = waiting.pop()
        names = list(held) if isinstance(held, dict) else range(len(held))
        for name in names:
            found.append((held, name))
            if isinstance(held[name], dict | list):
                waiting.append(held[name])
    return found


def _changed(document: Any, random_: random.Random) -> None:
    """Change one place of a document, of the plan more often than of the rest."""
    places = _places(document)
    if random_.random() < 0.7 and isinstance(document.get("plan"), dict):
        places = _places(document["plan"]) or places
        if random_.random() < 0.6:
            # The strategy is what runs; the problems in it are long, and seldom what matters.
            numbers = [(h, n) for h, n in places if isinstance(h[n], int | list) and n != "weights"]
            places = [each for each in numbers if each[1] not in ("level", "dim")] or places
    if not places:
        return
    held, name = random_.choice(places)
    change: Callable[[], None] = random_.choice(
        (
            lambda: _put(held, name, _extreme(random_)),
            lambda: _put(held, name, _extreme(random_)),
            lambda: _put(held, name, _moved(held[name], random_)),
            lambda: held.pop(name),
            lambda: _doubled(held, name, random_),
            lambda: _swapped(held, name, random_.choice(places)),
        )
    )
    change()


def _put(held: Any, name: Any, value: Any) -> None:
    held[name] = value


def _moved(value: Any, random_: random.Random) -> Any:
    """Change a value to one of the same type that is slightly or far off, or an extreme one."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | list):
        return _extreme(random_)
    if isinstance(value, str):
        return value[::-1] if random_.random() < 0.5 else value * random_.choice((2, 1000))
    if isinstance(value, list):
        return random_.choice(
            (value * 2, value * 500, value[1:], value[::-1], [value], [*value, 0])
        )
    return random_.choice((value + 1, value - 1, -value, value * 2, value * 1000, value**3))


def _doubled(held: Any, name: Any, random_: random.Random) -> None:
    if isinstance(held, list):
        held.insert(random_.randrange(len(held) + 1), held[name])
    else:
        held[f"{name}{random_.choice(('', '_', '2'))}"] = [held[name], held[name]]


def _swapped(held: Any, name: Any, other: tuple[Any, Any]) -> None:
    """Swap two values; if one holds the other, copy it, since JSON has no cycles."""
    there, word = other
    one, two = json.dumps(held[name]), json.dumps(there[word])
    held[name] = json.loads(two)
    if word in there if isinstance(there, dict) else word < len(there):
        there[word] = json.loads(one)


def _extreme(random_: random.Random) -> Any:
    kind = random_.randrange(8)
    if kind < 3:
        return random_.choice(_NUMBERS)
    if kind == 3:
        return random_.choice(_WORDS)
    if kind == 4:
        return {"fraction": random_.choice(_FRACTIONS)}
    if kind == 5:
        return {"type": random_.choice(_KINDS)} | random_.choice(({}, {"size": 3}, {"shape": 1}))
    if kind == 6:
        some = random_.choice(_NUMBERS)
        return random_.choice(([], [some], [some, 2], [[some, 1]], [some] * 1000, [[[]]]))
    nested: Any = f"nested {random_.choice((3, 50, 900, 3000, 100_000))}"
    return random_.choice((nested, {}, {"map": 3}, {"map": [["a", 1]]}, None, True, False))
