"""Run the tests with the oldest supported packages and the newest, on every Python.

`python scripts/matrix.py` makes one virtual environment a row under .venv-matrix/, runs the suite
in each and ends with a table. The floors are read from pyproject.toml, so what is tried is what is
promised; flwr, which takes one version alone of much else, is not in that row, and its tests are
left out by name. `python scripts/matrix.py floors 3.12` runs some of the rows. `--constraints`
writes constraints.txt, the versions that `make test` uses, from the newest that go together.

What is missing here is named with what would install it; it does not fail the run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FOLDER = ROOT / ".venv-matrix"
CONSTRAINTS = ROOT / "constraints.txt"

COMPANIONS = ["pyparsing<3.3"]
"""What the floors need of packages that are not ours to name: matplotlib 3.8 uses names that later
versions of pyparsing warn about, and in the tests a warning is an error."""

HELD = ["rich<15", "fastapi<0.139", "starlette<2", "uvicorn<0.50", "cryptography<51"]
HELD += ["packaging<26"]
"""What constraints.txt holds back: flwr takes no newer one."""

_SHOWN = ("numpy", "scipy", "typer", "rich", "matplotlib", "numba", "distributed", "pytest")
_FLOOR = re.compile(r"([A-Za-z0-9_-]+)(?:\[[a-z,]+\])?>=([0-9.]+)")
_HEADER = """\
# The versions that `make install` and `make test` use; `make constraints` writes this file.
# They are made on the oldest Python that is promised, so that every Python can have them.
"""


@dataclass(frozen=True)
class Entry:
    """One run of the suite: its Python and its packages."""

    version: str
    python: str
    packages: str

    @property
    def name(self) -> str:
        """How the row is called, and its folder."""
        return f"{self.version}-{self.packages}"

    @property
    def wanted(self) -> list[str]:
        """What pip is asked for."""
        if self.packages == "newest":
            eagerly = ["--upgrade", "--upgrade-strategy", "eager"]
            return [*eagerly, "--editable", f"{ROOT}[flower]", "--group", _group("test")]
        return ["--editable", str(ROOT), "--group", _group("test"), *floors(), *COMPANIONS]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run."""

    entry: Entry
    passed: bool
    said: str
    minutes: float
    versions: str


def floors() -> list[str]:
    """Return the least versions that the package and its tests need, as pip reads them."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project, test = read["project"], read["dependency-groups"]["test"]
    wanted = [*project["dependencies"], *_needed(test, project["optional-dependencies"])]
    return sorted({f"{name}=={least}" for name, least in map(_floor, wanted)})


def _group(name: str) -> str:
    """Return a dependency group as pip is told of it."""
    return f"{ROOT / 'pyproject.toml'}:{name}"


def _needed(requirements: Sequence[str], extras: dict[str, list[str]]) -> Iterator[str]:
    """Yield requirements, with those of an extra of ours in its place."""
    for each in requirements:
        if each.startswith("feint["):
            for name in each.removeprefix("feint[").removesuffix("]").split(","):
                yield from _needed(extras[name], extras)
        else:
            yield each


def _floor(requirement: str) -> tuple[str, str]:
    found = _FLOOR.match(requirement)
    if found is None:
        raise SystemExit(f"pyproject.toml: {requirement} has no floor; write name>=version")
    return found[1], found[2]


def pythons() -> dict[str, str]:
    """Return the available interpreters by version, from the path and from pyenv."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    here: dict[str, str] = {}
    for version in PYTHONS:
        named = shutil.which(f"python{version}")
        candidates = [*([named] if named else []), *sorted(kept.glob(f"{version}*/bin/python"))]
        for python in map(str, candidates):
            if _works(python, version):
                here[version] = python
                break
    return here


def _works(python: str, version: str) -> bool:
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    told = subprocess.run([python, "-c", code], check=False, capture_output=True, text=True)
    return told.returncode == 0 and told.stdout.strip() == version


def made(python: str, name: str) -> str:
    """Return the interpreter of a virtual environment, which is created if it is missing."""
    folder = FOLDER / name
    if not (folder / "bin" / "python").exists():
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    return str(folder / "bin" / "python")


def install(python: str, words: Sequence[str]) -> None:
    """Install packages from wheels only, since packages that must be compiled are not supported."""
    pip = [python, "-m", "pip", "-qq", "--disable-pip-version-check", "install"]
    subprocess.run([*pip, "pip>=25.1"], check=True)  # the first that knows --group
    subprocess.run([*pip, "--only-binary", ":all:", *words], check=True)


def run(entry: Entry) -> Outcome:
    """Make the environment of a row and run the suite in it."""
    begun = time.monotonic()
    print(f"{entry.name}: installing ...", flush=True)
    python = made(entry.python, entry.name)
    log = FOLDER / f"{entry.name}.log"
    try:
        install(python, entry.wanted)
    except subprocess.CalledProcessError:
        said = "its packages cannot be installed"
        return Outcome(entry, False, said, (time.monotonic() - begun) / 60, "")
    print(f"{entry.name}: testing, see {log.relative_to(ROOT)} ...", flush=True)
    words = [
        python,
        "-m",
        "pytest",
        "-n",
        "2",
        "--dist",
        "worksteal",
        "-m",
        "not slow",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with log.open("w") as out:
        told = subprocess.run(words, check=False, cwd=ROOT, env=alone, stdout=out, stderr=out)
    said = log.read_text("utf-8").strip().rpartition("\n")[2]
    print(f"{entry.name}: {said}", flush=True)
    minutes = (time.monotonic() - begun) / 60
    return Outcome(entry, told.returncode == 0, said, minutes, _versions(python))


def _versions(python: str) -> str:
    code = "import sys; from importlib.metadata import version as v; print(*map(v, sys.argv[1:]))"
    words = [python, "-c", code, *_SHOWN]
    told = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return ", ".join(f"{name} {number}" for name, number in zip(_SHOWN, told, strict=True))


def write_constraints(python: str) -> None:
    """Write the newest versions that go together, but for what is held back."""
    shutil.rmtree(FOLDER / "constraints", ignore_errors=True)
    inside = made(python, "constraints")
    install(inside, ["--editable", str(ROOT), "--group", _group("dev"), *HELD])
    freeze = [inside, "-m", "pip", "--disable-pip-version-check", "freeze", "--exclude-editable"]
    held = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout
    CONSTRAINTS.write_text(_HEADER + held, "utf-8")


def table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Return the outcomes as a table, one line each."""
    yield f"\n{'row':<12} {'result':<7} {'minutes':>7}  tests"
    for each in outcomes:
        result = "passed" if each.passed else "FAILED"
        said = each.said.strip("= ")
        yield f"{each.entry.name:<12} {result:<7} {each.minutes:>7.1f}  {said}"
        if each.versions:
            yield f"{'':<29} {each.versions}"


def main(words: Sequence[str]) -> int:
    """Run the rows that are asked for, all unless some are named, and print the table.

    Args:
        words: Versions of Python, or floors, or newest; or --constraints.

    Returns:
        0 if every row passed, else 1.
    """
    here = pythons()
    if not here:
        raise SystemExit("No Python of " + ", ".join(PYTHONS) + " is here, or none has venv")
    oldest = next(iter(here))
    if "--constraints" in words:
        write_constraints(here[oldest])
        return 0
    entries = [Entry(oldest, here[oldest], "floors")]
    entries += [Entry(version, python, "newest") for version, python in here.items()]
    asked = [
        each for each in entries if not words or {each.version, each.packages, each.name} & {*words}
    ]
    if not asked:
        raise SystemExit("No such row; there are " + ", ".join(each.name for each in entries))
    outcomes = [run(entry) for entry in asked]
    print("\n".join(table(outcomes)))
    for version in PYTHONS:
        if version not in here:
            print(f"{version:<12} not here: pyenv install {version}, or the system's package")
            print(f"{'':<12} python{version} with python{version}-venv; then run this again")
    return 0 if all(each.passed for each in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
