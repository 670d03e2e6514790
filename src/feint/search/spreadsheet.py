"""Export a round as a CSV file and import its answers, for work in a spreadsheet or elsewhere.

An exported sheet has the questions and room for answers. Only the search that wrote a sheet imports
it: id, label and value of every answered row must match the question, and so must the question's
text if the sheet has it. A sheet is imported completely or not at all.

The answers in a sheet are as secret as elsewhere. `yes` and `no` differ in length, so the size of a
sheet depends on its answers, and anyone who can list the folder sees it. Write y and n, or keep
sheets in a private folder.
"""

from __future__ import annotations

import csv
import io
import logging
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from feint.errors import InvalidValue, WrongType
from feint.exact import rational
from feint.exact.sheets import as_text
from feint.problem import Query
from feint.search import private
from feint.search.search import Search, search_of
from feint.search.units import place

COLUMNS = ("id", "label", "value", "question", "answer")
_NEEDED = ("id", "label", "value", "answer")
_SAMPLE = "sample"  # a column for noisy plans, which ask a value several times
_YES, _NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")
_LOG = logging.getLogger(__name__)
_WORDS = "write yes, y, true or 1, and no, n, false or 0; an empty cell is no answer yet"
_OWN = "take the sheet that this search wrote, with its columns as they were"
_CORRECT = (
    "correct the sheet; if an answer of an earlier round was wrong, which cannot be changed, answer"
    " at the prompt to go on all the same"
)
_DIGITS = 6  # digits that a spreadsheet shows and saves

File = str | os.PathLike[str] | TextIO
"""A file by its name, or an open one."""


@dataclass(frozen=True)
class _Row:
    """An answered row of a sheet.

    Attributes:
        number: Its number in a spreadsheet; the titles are row 1.
        id: The id of its query.
        cells: The other cells by column.
        yes: The answer.
    """

    number: int
    id: str
    cells: dict[str, str]
    yes: bool


def export_round(search: Search, path: File) -> int:
    """Write the open queries of the current round, with an empty column for the answers.

    A spreadsheet program keeps some 15 digits of a value; the question, which is text, has them
    all. Where a noisy plan asks a value several times, a column says which sample a row is for.
    If the search says who asks and why, two more columns say it. A text that a spreadsheet would
    take for a formula has an apostrophe before it.

    Args:
        search: The search. If the current round is answered, the next one is shown.
        path: A new file, which only its owner may read. An existing file is refused, since it may
            hold answers. Or an open file, such as `sys.stdout`.

    Returns:
        The number of queries written.

    Raises:
        InvalidValue: The file exists or cannot be created.
        SearchDone: Every question is answered. No file is left then, nor after any other error.
    """
    search_of(search)
    with _made(path) as file:
        queries = search.ask()
        noisy = search.plan.problem.noisy
        preface = {name: words for name, words in search.preface.to_dict().items() if words}
        extra = (*preface, *((_SAMPLE,) if noisy else ()))
        titles = (*COLUMNS[:-1], *extra, COLUMNS[-1])
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(titles)
        for query in queries:
            note = (query.note,) if noisy else ()
            label, question = as_text(query.label or ""), as_text(query.text)
            told = map(as_text, preface.values())
            writer.writerow((query.id, label, query.shown, question, *told, *note, ""))
    return len(queries)


@contextmanager
def _made(path: File) -> Iterator[TextIO]:
    """Create a new file, and delete it if the block fails. An open file is used unchanged."""
    if not isinstance(path, str | os.PathLike):
        yield _stream(path, "write")
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, private.MODE)
    except FileExistsError:
        rule = "this file exists already, perhaps with answers in it"
        remedy = "name another file, or move it away"
        raise InvalidValue("path", path, rule, remedy) from None
    except OSError as error:
        rule = f"cannot be made: {error.strerror}"
        remedy = "name a file in a folder that exists and is yours"
        raise InvalidValue("path", path, rule, remedy) from None
    try:
        with open(descriptor, "w", newline="", encoding="utf-8") as file:
            yield file
    except BaseException:  # an interrupt too
        Path(path).unlink()
        raise


def import_answers(search: Search, path: File) -> int:
    """Record all answers of a CSV file, or none if one of them is refused.

    A sheet can be imported again at any time, as long as its answers are the same.

    Args:
        search: The search.
        path: A file with the exported columns id, label, value and answer, separated by commas,
            semicolons or tabs; or an open file. If others may read or write the file, a warning is
            logged, because its answers are then not secret or not all yours. It is imported
            anyway, since most programs save files that others may read.

    Returns:
        The number of answers in the file.

    Raises:
        InvalidValue: The file cannot be read, a row does not belong to this search, an answer is
            neither yes nor no or can no longer be changed, or, without noise, the answers
            contradict each other. The message names the row. Its content, and the contradicting
            answers, are only in the error's `for_owner`.
    """
    search_of(search)
    rows = _read(path)
    for row in rows:
        if (why := _stranger(search, row)) is not None:
            raise InvalidValue("path", _name(path), f"row {row.number}: {why}", _OWN)
    # A sheet may be sorted by its answers, so the order of recording must not follow the sheet.
    rows.sort(key=lambda row: place(row.id) or (0, 0))
    answers = {row.id: row.yes for row in rows}
    if found := search.conflicts(answers):
        rule = "its answers, with those told before, cannot all be right"
        raise _for_owner(
            InvalidValue("path", _name(path), rule, _CORRECT), "; ".join(map(str, found))
        )
    try:
        search.tell_all(answers)
    except InvalidValue as error:
        number = next((row.number for row in rows if row.id == error.value), 0)
        rule = f"row {number}: {error.rule}"
        raise type(error)("path", _name(path), rule, error.remedy) from None
    return len(answers)


def _stranger(search: Search, row: _Row) -> str | None:
    """Explain why a row does not belong to this search; None if it does.

    Questions are public, so they may be quoted.
    """
    try:
        query = search.query(row.id)
    except InvalidValue:
        return f"{row.id or 'an empty id'} is no question that this search has shown"
    label, question, value = (row.cells.get(name, "") for name in ("label", "question", "value"))
    if label not in (query.label or "", as_text(query.label or "").strip()):
        return f"{row.id} is about {_named(label)}, and here about {_named(query.label)}"
    asked = (query.text.split(), as_text(query.text).split())
    if question and question.split() not in asked:
        return f"{row.id} asks another question than here, which is: {query.text}"
    if not _is_value(value, query, exact=not question):
        return f"{row.id} is at {value or 'no value'}, and here at {query.shown}"
    return None


def _named(label: str | None) -> str:
    return f"the {label}" if label else "a number without a label"


def _is_value(cell: str, query: Query, *, exact: bool) -> bool:
    """Return True if a cell is a query's value, or the digits that a spreadsheet shows of it.

    Args:
        cell: The cell; the decimal separator may be a comma.
        query: The query.
        exact: True to require at least six digits, unless it is the value itself.
    """
    digits = cell.replace(",", ".").replace("\N{MINUS SIGN}", "-")
    mantissa, _, power = digits.lower().partition("e")
    whole, _, rest = mantissa.partition(".")
    try:
        value, shown = rational(digits, "value"), rational(query.shown, "value")
        last = rational(f"1e{int(power or 0) - len(rest)}", "value")
    except ValueError:  # errors of parsing a number
        return False
    if value == shown:
        return True
    written = (whole + rest).lstrip("-+0")
    return 2 * abs(value - shown) <= last and (len(written) >= _DIGITS or not exact)


def _read(path: File) -> list[_Row]:
    """Return every row with an answer.

    Raises:
        InvalidValue: The file cannot be read, lacks a column, or has an invalid answer.
    """
    lines = iter(_cells(path))
    names = [title.strip().lower() for title in next(lines, [])]
    if not set(_NEEDED) <= set(names):
        rule = f"must have the columns {', '.join(_NEEDED[:-1])} and {_NEEDED[-1]} in its first row"
        raise InvalidValue("path", _name(path), rule, _OWN)
    found, first = list[_Row](), dict[str, _Row]()
    for number, line in enumerate(lines, start=2):
        cells = {name: cell.strip() for name, cell in zip(names, line, strict=False)}
        word, id = cells.pop("answer", ""), cells.get("id", "")
        if not word:
            continue
        if word.lower() not in _YES + _NO:
            rule = f"row {number}, {id or 'without an id'}: the answer cannot be read"
            raise _for_owner(
                InvalidValue("path", _name(path), rule, _WORDS),
                f"row {number} has {_short(word)!r} for an answer",
            )
        row = _Row(number, id, cells, word.lower() in _YES)
        before = first.setdefault(id, row)
        if id and before.yes != row.yes:
            rule = f"row {number} answers {id} otherwise than row {before.number}"
            raise InvalidValue("path", _name(path), rule, "leave one of the two")
        found.append(row)
    return found


def _cells(path: File) -> list[list[str]]:
    """Return every row of a sheet, split at the delimiter of its first row.

    Raises:
        InvalidValue: The text is not CSV.
    """
    text = _text(path)
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        return list(rows)
    except csv.Error:  # a NUL byte, or a cell of more than 128 KiB
        rule = "is no CSV that a spreadsheet writes"
        raise InvalidValue("path", _name(path), rule, "save it as CSV in UTF-8") from None


def _for_owner(error: InvalidValue, words: str) -> InvalidValue:
    """Return the error with text for the owner only, because it may hold an answer."""
    error.for_owner = words
    return error


def _short(cell: str) -> str:
    return cell if len(cell) <= 40 else cell[:39] + "…"


def _name(path: File) -> object:
    """Return the name of a file for errors."""
    return path if isinstance(path, str | os.PathLike) else getattr(path, "name", "the sheet")


def _stream(given: TextIO, does: str) -> TextIO:
    if not hasattr(given, does):
        rule = "must be the name of a file, or an open one"
        raise WrongType.of("path", given, rule, "pass a str or a Path")
    return given


def _text(path: File) -> str:
    """Return the content of a file, and log a warning if others may read or write it."""
    try:
        if not isinstance(path, str | os.PathLike):
            return _stream(path, "read").read().removeprefix("\ufeff")
        with open(path, encoding="utf-8-sig", newline="") as file:
            found = os.fstat(file.fileno())
            text = file.read()
    except OSError as error:
        rule = f"cannot be read: {error.strerror}"
        raise InvalidValue("path", _name(path), rule, "name the sheet that was filled in") from None
    except UnicodeDecodeError:
        rule = "is not text in UTF-8"
        raise InvalidValue("path", _name(path), rule, "save it as CSV in UTF-8") from None
    if stat.S_ISREG(found.st_mode) and (why := private.others(found)) is not None:
        _LOG.warning("%s holds answers, and %s: keep it where only you may read it", path, why)
    return text
