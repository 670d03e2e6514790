"""The habits of the house: what checks the code catches, and lists that must not drift apart."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from scripts import check_code, matrix
from scripts.site.names import PACKAGES

ROOT = Path(__file__).parents[1]
COUNT = """
    total = 0
    for row in rows:
        if row > 1:
            total += row
    total *= 2
    return total
"""


def found(tmp_path: Path, capsys: pytest.CaptureFixture[str], **files: str) -> str:
    """What the check says of a folder with these files."""
    for name, source in files.items():
        (tmp_path / f"{name}.py").write_text(source)
    code = check_code.main([str(tmp_path)])
    said = capsys.readouterr().out
    assert code == (0 if check_code.NOTHING in said else 1)
    return said


def test_six_lines_that_stand_twice_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands between the words: comments, docstrings, imports, spaces, empty lines."""
    other = COUNT.replace("total = 0", '"""Add."""\n    import math\n\n    total  =  0  # yet')
    said = found(
        tmp_path,
        capsys,
        one=f"def one(rows):{COUNT}",
        two=f"def two(\n    rows,\n):{other.replace('+= row', '+= row  # more')}",
    )
    assert re.search(r"one\.py:2-7 and \S*two\.py:7-12: 6 lines of logic stand twice", said)
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "second",
    [
        f"def two(rows):{COUNT.replace('total *= 2', 'total *= 3')}",  # one word differs
        "def one(rows):\n" + "\n".join(COUNT.splitlines()[2:]),  # five lines
        "@dataclass\nclass Two:\n" + "".join(f"    field{n}: int\n" for n in range(9)),
    ],
)
def test_fewer_lines_and_fields_may_stand_twice(
    second: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fields = "\nclass One:\n" + "".join(f"    field{n}: int\n" for n in range(9))
    said = found(tmp_path, capsys, one=f"def one(rows):{COUNT}{fields}", two=second)
    assert said == f"{check_code.NOTHING}\n"


def test_a_run_is_reported_whole_and_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    longer = COUNT.replace("    return total", "    total -= 1\n    total %= 7\n    return total")
    said = found(tmp_path, capsys, one=f"def one(rows):{longer}\n\ndef two(rows):{longer}")
    assert len(said.splitlines()) == 1
    assert "8 lines" in said


def maze(branches: int, above: str = "") -> str:
    """A function of complexity branches + 1."""
    cases = "".join(f"    if x == {each}:\n        return {each + 1}\n" for each in range(branches))
    return f"{above}@cache\ndef maze(x):\n{cases}    return 0\n"


def test_a_maze_needs_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing" in found(tmp_path, capsys, one=maze(11))
    assert "`maze` is too complex (13 > 12)" in found(tmp_path, capsys, one=maze(12))
    assert "too complex" in found(tmp_path, capsys, one=maze(12, "# complexity:\n"))
    assert "Nothing" in found(tmp_path, capsys, one=maze(12, "# complexity: a table of cases\n"))
    stale = found(tmp_path, capsys, one=maze(3, "# complexity: a table of cases\n"))
    assert "one.py:1: no function that needs a reason" in stale


MAP = """
## Where things are

```text
exact       numbers
planning    plans; noisy: those under noise,
            and calibrated ones
errors      what can go wrong
```
"""


def test_every_package_is_on_the_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package begins a line; a subpackage is named in the entry of its own package."""
    (tmp_path / "CONTRIBUTING.md").write_text(MAP)
    package = tmp_path / "src" / "feint"

    def write(*names: str) -> None:
        for name in names:
            path = package / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")

    write("__init__", "errors", "exact/__init__", "exact/roots", "planning/__init__")
    write("planning/noisy/__init__", "planning/noisy/calibrated/__init__")
    assert check_code.main([str(tmp_path / "src")]) == 0
    missing = ["search", "calibrated", "planning/exact", "exact/noisy", "planning/noisy/claims"]
    write(*(f"{name}/__init__" for name in missing))
    capsys.readouterr()
    assert check_code.main([str(tmp_path / "src")]) == 1
    told = capsys.readouterr().out.splitlines()
    expected = [
        f"{package / name}: CONTRIBUTING.md does not name it on its map" for name in missing
    ]
    assert sorted(told) == sorted(expected)


def test_no_entry_of_the_map_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CONTRIBUTING.md").write_text(MAP)
    (tmp_path / "src" / "feint" / "exact").mkdir(parents=True)
    assert check_code.main([str(tmp_path / "src")]) == 1
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in told] == ["planning", "errors"]


def test_every_package_has_a_floor() -> None:
    """Also those of the extras; each is a version that pip can be asked for."""
    floors = dict(each.split("==") for each in matrix.floors())
    assert {"numpy", "scipy", "typer", "numba", "distributed", "pytest"} <= floors.keys()
    assert all(re.fullmatch(r"\d+(\.\d+)*", least) for least in floors.values())


def test_constraints_hold_no_version_below_a_floor() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    held = dict(line.lower().split("==") for line in lines if not line.startswith("#"))
    for name, least in (each.split("==") for each in matrix.floors()):
        assert number(held[name]) >= number(least), name


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def make(*words: str) -> str:
    """What make prints, as if it had not been called by make."""
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    told = subprocess.run(
        ["make", *words], cwd=ROOT, env=alone, capture_output=True, text=True, check=True
    )
    return told.stdout


def test_a_commit_is_checked_as_make_checks_it() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    told = make("-n", "-B", "lint")
    linted = told[told.index(".venv/bin/ruff") :].splitlines()
    assert re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE) == linted


def test_make_help_names_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert phony is not None
    helped = re.findall(r"^  make (\S+)", make("help"), re.MULTILINE)
    assert sorted(helped) == sorted(phony[1].split())


def test_examples_and_pages_import_packages_by_their_doors() -> None:
    """Readers may use what they see used: packages, and subpackages that the API lists."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    for path in [*(ROOT / "examples").rglob("*.py"), *pages]:
        modules = re.findall(r"(?:from|import) feint\.([\w.]+)", path.read_text("utf-8"))
        inner = [name for name in modules if "." in name and name not in PACKAGES]
        assert not inner, path


def test_no_test_imports_a_test() -> None:
    """What several share is in tests/support."""
    for path in (ROOT / "tests").rglob("*.py"):
        assert not re.search(r"^(from|import) tests\.\S*\btest_", path.read_text("utf-8"), re.M)
