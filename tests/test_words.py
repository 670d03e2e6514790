"""The check that keeps the project's English plain."""

from pathlib import Path

import pytest
from scripts import check_words

SOURCE = '''
"""Docstrings of modules may begin with a noun."""

def count(rows):
    """The number of rows."""

def add(rows):
    """Add the rows."""

def _inner(rows):
    """Private functions too."""

class Line:
    """Lines of a page."""

    @property
    def length(self):
        """The number of its words."""

    def words(self):
        """Whether whoever calls it."""  # ridden
        return np.where(f"parted {self} by")
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one module and one page, with lists of its own."""
    words = tmp_path / "scripts" / "words"
    words.mkdir(parents=True)
    (words / "verbs.txt").write_text("# verbs\nadd return\n")
    (words / "banned.txt").write_text("whoever  the one who\nridden  used\nparted  separated\n")
    (words / "unedited.txt").write_text("")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "one.py").write_text(SOURCE)
    (tmp_path / "README.md").write_text(
        "Read it.\n\n```text\nwhoever\n```\n\n`ridden` is Ridden.\n"
    )
    return tmp_path


def test_noun_docstrings_and_banned_words_are_found(project: Path) -> None:
    found = check_words.check(project)
    assert [row.split(";")[0] for row in found] == [
        "src/one.py:4: the docstring of count begins with 'The'",
        "src/one.py:10: the docstring of _inner begins with 'Private'",
        "src/one.py:20: the docstring of words begins with 'Whether'",
        "src/one.py:21: 'whoever'",
        "src/one.py:21: 'ridden'",
        "src/one.py:22: 'parted'",
        "README.md:7: 'Ridden'",
    ]


def test_the_list_of_unedited_files_only_shrinks(project: Path) -> None:
    unedited = project / "scripts" / "words" / "unedited.txt"
    unedited.write_text("src/one.py\nREADME.md\n")
    assert check_words.check(project) == []
    assert len(check_words.check(project, show_unedited=True)) == 7
    (project / "README.md").write_text("Read it.\n")
    unedited.write_text("src/one.py\nREADME.md\nsrc/gone.py\n")
    assert check_words.check(project) == [
        f"scripts/words/unedited.txt: take {name} off, it is plain or gone"
        for name in ("README.md", "src/gone.py")
    ]
