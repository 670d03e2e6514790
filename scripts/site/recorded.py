"""Write the page "Try it without installing": plans and audits recorded during the build.

The planner needs NumPy and SciPy. Pyodide's builds of these are in no package registry that the
site can be built from, so the page shows what the commands print instead of running them.
"""

from __future__ import annotations

import os
import shlex
from contextlib import redirect_stdout
from io import StringIO

from feint.cli.app import run

_HEAD = """\
# Try it without installing

Choose a problem and read what feint answers. The output below is not typed by hand: these commands
ran when this site was built.

"""
_MISSING = """\

## Why the commands do not run in this page

feint is pure Python, and the planner and the auditor need only NumPy and SciPy, so they could run
in a browser with [Pyodide](https://pyodide.org). Pyodide itself is on npm (`pyodide` 314.0.7, with
the interpreter and the standard library). Its builds of NumPy and SciPy are not. Its lock file
names

- `numpy-2.4.6-cp314-cp314-pyemscripten_2026_0_wasm32.whl` and
- `scipy-1.18.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl`,

and neither npm nor the PyPI mirror that the site is built from has them. This site loads nothing
from other servers and contains no third-party binaries, so it shows recorded output instead. To run
the commands yourself, without installing anything for good:

```console
uvx feint demo
```
"""

PROBLEMS = {
    "A price from 20 to 100": "--low 20 --high 100 --epsilon 1 --delta 5 --level 4",
    "A price in whole euros": "--low 1 --high 97 --step 1 --delta 7 --level 4",
    "A price that is probably near 60": (
        "--low 20 --high 100 --epsilon 1 --delta 5 --level 4 --prior 'normal(60, 15)'"
    ),
    "Only the worst case counts": "--epsilon 1/64 --delta 1/8 --level 4 --setting deterministic",
    "Hide it from nobody": "--low 20 --high 100 --epsilon 1 --delta 5 --level 1",
}
"""What the page shows: a sentence for each problem, and its flags."""


def page() -> str:
    """Return the page, with what each command prints today."""
    return _HEAD + "\n".join(_shown(*problem) for problem in PROBLEMS.items()) + _MISSING


def _shown(title: str, flags: str) -> str:
    lines = [f"## {title}", ""]
    for command in ("plan", "audit"):
        words = f"{command} {flags}"
        lines += ["```console", f"$ feint {words}", printed(shlex.split(words)), "```", ""]
    return "\n".join(lines)


def printed(words: list[str]) -> str:
    """Return what a command prints in a terminal of 80 columns."""
    columns, out = os.environ.get("COLUMNS"), StringIO()
    os.environ["COLUMNS"] = "80"
    try:
        with redirect_stdout(out):
            run(words)
    finally:
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
