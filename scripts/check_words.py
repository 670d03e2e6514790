"""Check that docstrings begin with a verb and that banned words do not return.

- The docstring of a function begins with a verb of `scripts/words/verbs.txt`. Properties are read
  like attributes and may begin with a noun.
- No word of `scripts/words/banned.txt` stands in the source or in a page. Calls such as
  `np.where` are code, not English: in source, only docstrings, comments and strings count; in
  pages, everything outside `code`.
- Files that were not edited yet are listed in `scripts/words/unedited.txt`. The list only
  shrinks: a listed file without findings, or one that does not exist, is reported too.

Run it as `python scripts/check_words.py`; it prints what it finds, and exits with 1 if that is
anything. `--list` prints the findings of the files on the list as well.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

CLEAN = "All English that was edited is plain."
_PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md", "proofs/*.md")
_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]*")
_TEXT = {
    tokenize.COMMENT,
    tokenize.STRING,
    *(getattr(tokenize, name) for name in ("FSTRING_MIDDLE",) if hasattr(tokenize, name)),
}
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Rules(NamedTuple):
    """The words of the project.

    Attributes:
        verbs: Words that a docstring may begin with.
        banned: Expressions that may not stand anywhere, each with its replacement.
        unedited: Paths of the files that may still break the rules.
    """

    verbs: frozenset[str]
    banned: Sequence[tuple[re.Pattern[str], str]]
    unedited: frozenset[str]


def read_rules(folder: Path) -> Rules:
    """Return the rules in `verbs.txt`, `banned.txt` and `unedited.txt` of a folder."""
    banned = [re.split(r"\s{2,}", line, maxsplit=1) for line in _lines(folder / "banned.txt")]
    return Rules(
        verbs=frozenset(word for line in _lines(folder / "verbs.txt") for word in line.split()),
        banned=[(re.compile(rf"\b(?:{one})\b", re.IGNORECASE), better) for one, better in banned],
        unedited=frozenset(_lines(folder / "unedited.txt")),
    )


def _lines(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def check_source(source: str, rules: Rules) -> list[str]:
    """Return the findings in a module, each as `line: text`."""
    found = list(_check_docstrings(ast.parse(source), rules.verbs))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _TEXT:
            found += _check_text(token.string, rules, token.start[0])
    return found


def check_page(page: str, rules: Rules) -> list[str]:
    """Return the findings in a Markdown page, each as `line: text`."""
    return _check_text(_CODE.sub(lambda code: "\n" * code[0].count("\n"), page), rules, 1)


def _check_text(text: str, rules: Rules, first: int) -> list[str]:
    return [
        f"{first + text.count(chr(10), 0, match.start())}: "
        f"{' '.join(match[0].split())!r}; write: {better}"
        for pattern, better in rules.banned
        for match in pattern.finditer(text)
    ]


def _check_docstrings(node: ast.AST, verbs: frozenset[str]) -> Iterator[str]:
    """Yield the functions whose docstring does not begin with a verb, private ones included."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Function) and not _is_property(child):
            first = _WORD.match(ast.get_docstring(child) or "Return")
            if first is None or first[0].lower() not in verbs:
                word = first[0] if first else (ast.get_docstring(child) or "").split()[0]
                yield (
                    f"{child.lineno}: the docstring of {child.name} begins with {word!r}; begin "
                    "with a verb (a new one goes into scripts/words/verbs.txt)"
                )
        yield from _check_docstrings(child, verbs)


def _is_property(function: _Function) -> bool:
    names = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any("property" in name or name.endswith((".setter", ".getter")) for name in names)


def check(root: Path, *, show_unedited: bool = False) -> list[str]:
    """Return the findings in a checkout.

    Args:
        root: Its top folder.
        show_unedited: Whether to return the findings of unedited files too.
    """
    rules = read_rules(root / "scripts" / "words")
    findings: dict[str, list[str]] = {}
    for path in sorted((root / "src").rglob("*.py")):
        findings[path.relative_to(root).as_posix()] = check_source(path.read_text("utf-8"), rules)
    for pattern in _PAGES:
        for path in sorted(root.glob(pattern)):
            findings[path.relative_to(root).as_posix()] = check_page(path.read_text("utf-8"), rules)
    rows = [
        f"{name}:{row}"
        for name, found in findings.items()
        if show_unedited or name not in rules.unedited
        for row in found
    ]
    return rows + [
        f"scripts/words/unedited.txt: take {name} off, it is plain or gone"
        for name in sorted(rules.unedited)
        if not findings.get(name)
    ]


def main(words: Sequence[str]) -> int:
    """Print the findings, and return 1 if there are any, else 0."""
    parser = argparse.ArgumentParser(description="Check that the English of feint is plain.")
    parser.add_argument("--list", action="store_true", help="show unedited files too")
    found = check(Path(), show_unedited=parser.parse_args(words).list)
    print("\n".join(found) or CLEAN)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
