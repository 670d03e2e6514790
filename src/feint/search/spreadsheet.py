"""A round as a CSV file, for people who answer in a spreadsheet or run the tests elsewhere.

What is exported holds questions and room for answers; what is imported, id and answer. A sheet that
is filled in holds answers, and they are as secret there as elsewhere: `yes` and `no` differ in
length, and so do two sheets, which whoever may look into the folder can see. Write y and n, or keep
sheets in a folder of your own.
"""

from __future__ import annotations

import csv
import logging
import os
import stat
from pathlib import Path

from feint.errors import InvalidValue
from feint.search import private
from feint.search.search import Search
from feint.search.units import place

COLUMNS = ("id", "label", "value", "question", "answer")
_YES, _NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")
_LOG = logging.getLogger(__name__)
_WORDS = "yes, y, true or 1, and no, n, false or 0; an empty cell is no answer yet"


def export_round(search: Search, path: str | os.PathLike[str]) -> int:
    """Write the open queries of the current round, with an empty column for the answers.

    A spreadsheet program keeps some 15 digits of a value; the question, which is text, has them
    all.

    Args:
        search: The search; a round that is answered makes room for the next.
        path: The file to write, which only its owner may read; there must be none, since somebody
            may have answers in it.

    Returns:
        How many queries were written.

    Raises:
        InvalidValue: The file exists.
        SearchDone: Every question is answered; then no file is left, as whenever it fails.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, private.MODE)
    except FileExistsError:
        rule = "there is a file of this name, perhaps with answers in it"
        remedy = "name another file, or move it away"
        raise InvalidValue("path", path, rule, remedy) from None
    try:
        with open(descriptor, "w", newline="", encoding="utf-8") as file:
            queries = search.ask()
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(COLUMNS)
            for query in queries:
                writer.writerow((query.id, query.label or "", query.shown, query.text, ""))
    except BaseException:  # an interrupt too
        Path(path).unlink()
        raise
    return len(queries)


def import_answers(search: Search, path: str | os.PathLike[str]) -> int:
    """Tell every answer in a CSV file, or, if one of them is refused, none.

    Args:
        search: The search.
        path: A file with the columns id and answer, parted by commas, semicolons or tabs; other
            columns are not read. If others may read or write it, a warning is logged: its answers
            are no secret then, or not all yours. It is taken all the same, since most programs
            save what others may read, and whoever answers need not be the owner.

    Returns:
        How many answers the file holds.

    Raises:
        InvalidValue: The file cannot be read so, or an answer is neither yes nor no; the message
            names the line, and not what is in it.
        FeintError: The search refuses an answer, as in `Search.tell`.
    """
    answers = _read(Path(path))
    rounds = sorted(answers, key=lambda id: place(id) or (0, 0))  # the open round last
    trial = Search.from_json(search.to_json())
    for target in (trial, search):
        for id in rounds:
            target.tell(id, answers[id])
    return len(answers)


def _read(path: Path) -> dict[str, bool]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            found = os.fstat(file.fileno())
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        rule = f"cannot be read ({type(error).__name__})"
        raise InvalidValue("path", path, rule, "save it as CSV in UTF-8") from None
    if stat.S_ISREG(found.st_mode) and (why := private.others(found)) is not None:
        _LOG.warning("%s holds answers, and %s: keep it where only you may read it", path, why)
    titles = lines[0] if lines else ""
    delimiter = max(",;\t", key=titles.count)
    rows = csv.DictReader(lines, delimiter=delimiter, skipinitialspace=True)
    names = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    if not {"id", "answer"} <= names.keys():
        rule = "must have the columns id and answer in its first line"
        raise InvalidValue("path", path, rule, "fill in a file that export_round wrote")
    answers = dict[str, bool]()
    for row in rows:
        word = (row[names["answer"]] or "").strip().lower()
        id = (row[names["id"]] or "").strip()
        if word in _YES + _NO and answers.setdefault(id, word in _YES) == (word in _YES):
            continue
        if word:
            said = "is answered twice" if word in _YES + _NO else "has an answer we cannot read"
            raise InvalidValue("path", path, f"line {rows.line_num} {said}", f"write {_WORDS}")
    return answers
