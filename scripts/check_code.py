"""Check three limits on src/: no repeated logic, no complex functions, every package on the map.

- No run of six or more lines of logic stands twice. Logic is what functions do: signatures,
  docstrings, comments, imports, lines of brackets alone, `pass` and `...` are not counted, and
  spaces make no difference. A run stays within one function.
- No function has a cyclomatic complexity above 12, unless its reason stands beside it: a comment
  `# complexity: why` in the line above its `def` and its decorators. A reason that nothing calls
  for any more is reported too.
- Every package of src/feint begins a line of the map in CONTRIBUTING.md, and its subpackages are
  named in its entry: that line and the indented ones that follow. No entry is without its package
  or module.

Run it as `python scripts/check_code.py [folder ...]`; it prints what it finds, and leaves with 1
if that is anything.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

LEAST = 6
COMPLEXITY = 12
REASON = "# complexity:"
NOTHING = "Nothing stands twice, no function is too complex, and the map has every package."
_BRACKETS = set("()[]{},:")
_SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
_MAP = re.compile(r"^## Where things are$.*?^```text$(.*?)^```$", re.MULTILINE | re.DOTALL)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Line:
    """A line of logic: its place and its words."""

    path: Path
    number: int
    words: str


@dataclass(frozen=True)
class Repeat:
    """A run of lines that occurs in two places."""

    first: Sequence[Line]
    second: Sequence[Line]

    def __str__(self) -> str:
        places = " and ".join(
            f"{run[0].path}:{run[0].number}-{run[-1].number}" for run in (self.first, self.second)
        )
        return f"{places}: {len(self.first)} lines of logic stand twice"


def bodies(path: Path, source: str) -> Iterator[list[Line]]:
    """Return the lines of logic of every function of a file; inner functions count separately."""
    words = _words(source)
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, _Function)]
    left_out = {number for node in ast.walk(tree) for number in _left_out(node)}
    for function in functions:
        inner = {
            number
            for other in ast.walk(function)
            if isinstance(other, _Function) and other is not function
            for number in range(_begin(other), (other.end_lineno or 0) + 1)
        }
        rows = range(function.body[0].lineno, (function.end_lineno or 0) + 1)
        yield [
            Line(path, row, words[row])
            for row in rows
            if row in words and row not in inner and row not in left_out
        ]


def _words(source: str) -> dict[int, str]:
    """Return the tokens of each line with uniform spaces; lines without a word are left out."""
    lines: dict[int, list[str]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _SKIPPED:
            # Each row of a long string is a row of its own.
            for offset, text in enumerate(token.string.split("\n")):
                lines[token.start[0] + offset].append(text)
    return {row: " ".join(text) for row, text in lines.items() if set("".join(text)) - _BRACKETS}


def _left_out(node: ast.AST) -> Iterator[int]:
    """Return the lines of a node that are not logic by themselves."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        yield from range(node.lineno, (node.end_lineno or 0) + 1)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # docstrings and ...
        yield from range(node.lineno, (node.end_lineno or 0) + 1)


def _begin(function: _Function) -> int:
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def repeats(functions: Sequence[Sequence[Line]], least: int = LEAST) -> list[Repeat]:
    """Return the longest runs that occur twice, each pair of places once."""
    places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
    for index, lines in enumerate(functions):
        for start in range(len(lines) - least + 1):
            window = tuple(line.words for line in lines[start : start + least])
            places[window].append((index, start))
    found, covered = [], set[tuple[tuple[int, int], tuple[int, int]]]()
    for held in places.values():
        for number, one in enumerate(held):
            for other in held[number + 1 :]:
                if (one, other) not in covered:
                    run = _run(functions, one, other, least)
                    if run:
                        found.append(run)
                    covered |= _pairs(one, other, len(run.first) if run else least)
    return found


def _run(
    functions: Sequence[Sequence[Line]], one: tuple[int, int], other: tuple[int, int], least: int
) -> Repeat | None:
    """Return the run that begins at two places, as far as it does not overlap itself."""
    (first, at), (second, then) = one, other
    most = min(len(functions[first]) - at, len(functions[second]) - then)
    if first == second:
        most = min(most, then - at)
    length = 0
    while length < most:
        if functions[first][at + length].words != functions[second][then + length].words:
            break
        length += 1
    if length < least:
        return None
    return Repeat(functions[first][at : at + length], functions[second][then : then + length])


def _pairs(
    one: tuple[int, int], other: tuple[int, int], length: int
) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the pairs of places inside a run, which need not be reported again."""
    return {((one[0], one[1] + offset), (other[0], other[1] + offset)) for offset in range(length)}


def mazes(folders: Sequence[Path]) -> list[str]:
    """Return functions above the limit without a reason, and reasons without such a function."""
    words = ["ruff", "check", "--isolated", "--select", "C901", "--output-format", "json"]
    words += ["--config", f"lint.mccabe.max-complexity={COMPLEXITY}", *map(str, folders)]
    told = subprocess.run(
        [sys.executable, "-m", *words], check=False, capture_output=True, text=True
    )
    if told.returncode not in (0, 1):
        raise SystemExit(told.stderr)
    complex_: dict[Path, dict[int, str]] = defaultdict(dict)
    for each in json.loads(told.stdout):
        complex_[Path(each["filename"])][each["location"]["row"]] = each["message"]
    return [line for path in _files(folders) for line in _judged(path, complex_[path.resolve()])]


def _judged(path: Path, complex_: dict[int, str]) -> Iterator[str]:
    source = path.read_text("utf-8")
    lines = source.splitlines()
    used = set[int]()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, _Function) or node.lineno not in complex_:
            continue
        above = _begin(node) - 2
        if above >= 0 and _reason(lines[above]):
            used.add(above)
        else:
            yield f"{path}:{node.lineno}: {complex_[node.lineno]}; split it, or write {REASON} why"
    for number, line in enumerate(lines):
        if line.strip().startswith(REASON) and number not in used:
            yield f"{path}:{number + 1}: no function that needs a reason, or no reason, follows"


def _reason(line: str) -> bool:
    return line.strip().startswith(REASON) and bool(line.strip().removeprefix(REASON).strip())


def unmapped(package: Path, page: Path) -> list[str]:
    """Return a line for each package missing on the map, and for each entry without a package.

    Args:
        package: The folder of the package whose packages are on the map.
        page: A Markdown page, with the map as a block of text in "Where things are".
    """
    block = _MAP.search(page.read_text("utf-8"))
    entries = _entries(block[1] if block else "")
    folders = [path.parent.relative_to(package) for path in sorted(package.rglob("*/__init__.py"))]
    missing = [
        f"{package / folder}: {page.name} does not name it on its map"
        for folder in folders
        if not {*folder.parts} <= entries.get(folder.parts[0], set())
    ]
    stale = [
        f"{page.name}: {name} is on its map, but not in {package}"
        for name in entries
        if not (package / name).is_dir() and not (package / f"{name}.py").exists()
    ]
    return missing + stale


def _entries(text: str) -> dict[str, set[str]]:
    """Return the words of each entry of the map by the package that begins it."""
    entries: dict[str, set[str]] = {}
    name = ""
    for line in text.splitlines():
        words = re.findall(r"\w+", line)
        if words and not line.startswith(" "):
            name = words[0]
            entries[name] = set()
        if name:
            entries[name].update(words)
    return entries


def _files(folders: Sequence[Path]) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def main(words: Sequence[str]) -> int:
    """Print what breaks a limit.

    Args:
        words: The folders to look into; none: src.

    Returns:
        1 if anything does, else 0.
    """
    folders = [Path(word) for word in words] or [Path("src")]
    functions = [body for path in _files(folders) for body in bodies(path, path.read_text("utf-8"))]
    found = [*map(str, repeats(functions)), *mazes(folders)]
    for folder in folders:
        if (page := folder.parent / "CONTRIBUTING.md").exists():
            found += unmapped(folder / "feint", page)
    print("\n".join(found) or NOTHING)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
