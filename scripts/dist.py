"""Build the wheel and the sdist, and try the wheel in an environment without the sources.

`python -m scripts.dist` is what `make dist` and the release workflow run. The wheel is installed
into an empty virtual environment. Every command of README that shows its output, every figure of
README that names a command and every Python example of README run there, outside the repository.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.shown import figures, prints, sessions

ROOT = Path(__file__).resolve().parents[1]

_SDIST = (
    "src/feint/__init__.py",
    "tests/conftest.py",
    "docs/index.md",
    "proofs/near.md",
    "paper.bib",
    ".github/workflows/release.yml",
)
_WHEEL = ("feint/__init__.py", "feint/py.typed", "feint/server/templates/plan.html")


class Failed(Exception):
    """An archive lacks a file, or a command prints something other than README shows."""


def main(folder: Path = ROOT / "dist") -> int:
    """Build both archives and try them.

    Args:
        folder: Where to put them; archives of earlier builds in it are removed.

    Returns:
        0 if everything README shows is true of the wheel, else 1.
    """
    for old in folder.glob("feint-*"):
        old.unlink()
    _run([sys.executable, "-m", "uv", "build", "--quiet", "--out-dir", str(folder), str(ROOT)])
    (wheel,), (sdist,) = folder.glob("feint-*.whl"), folder.glob("feint-*.tar.gz")
    try:
        check_archives(wheel, sdist)
        with TemporaryDirectory() as empty:
            print(f"Trying {wheel.name} in an empty environment ...", flush=True)
            try_wheel(wheel, Path(empty))
    except Failed as failure:
        print(f"dist: {failure}", file=sys.stderr)
        return 1
    print(f"Built and tried: {wheel.name}, {sdist.name}")
    return 0


def check_archives(wheel: Path, sdist: Path) -> None:
    """Check that the archives hold what somebody who gets nothing else needs.

    Raises:
        Failed: A file is missing.
    """
    with zipfile.ZipFile(wheel) as packed:
        _contains(wheel, packed.namelist(), _WHEEL)
    with tarfile.open(sdist) as packed_sources:
        names = [name.partition("/")[2] for name in packed_sources.getnames()]
        _contains(sdist, names, _SDIST)


def _contains(archive: Path, names: Sequence[str], wanted: Sequence[str]) -> None:
    if missing := sorted({*wanted} - {*names}):
        raise Failed(f"{archive.name} lacks {', '.join(missing)}")


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel into a new environment, and run the commands of README there.

    Args:
        wheel: The wheel.
        folder: An empty folder for the environment, outside the repository.

    Raises:
        Failed: A command or an example prints something else.
    """
    environment = folder / "environment"
    _run([sys.executable, "-m", "venv", str(environment)])
    _run([str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", str(wheel)])
    readme = (ROOT / "README.md").read_text("utf-8")
    feint = str(environment / "bin" / "feint")
    for session in sessions(readme):
        printed = _output([feint, *session.words], folder)
        if [line.rstrip() for line in printed.splitlines()] != session.output:
            raise Failed(f"feint {session.command} prints something else:\n{printed}")
    for figure, command in figures(readme):
        if not prints(_output([feint, *shlex.split(command)], folder), figure):
            raise Failed(f"feint {command} does not print {figure}")
    _output([feint, "demo"], folder)
    (folder / "README.md").write_text(readme, "utf-8")
    _output([str(environment / "bin" / "python"), "-m", "doctest", "README.md"], folder)


def _output(words: Sequence[str], folder: Path) -> str:
    """Return what a command prints; one that audits and finds a leak may exit with 1."""
    # Nothing of the repository or of the user may stand in for what is not in the wheel.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept |= {"COLUMNS": "80", "HOME": str(folder)}
    run = subprocess.run(
        words, check=False, cwd=folder, env=kept, capture_output=True, text=True, timeout=600
    )
    if run.returncode not in ((0, 1) if "audit" in words else (0,)):
        raise Failed(f"{shlex.join(words)} exits with {run.returncode}:\n{run.stdout}{run.stderr}")
    return run.stdout


def _run(words: Sequence[str]) -> None:
    subprocess.run(words, check=True)


if __name__ == "__main__":
    sys.exit(main())
