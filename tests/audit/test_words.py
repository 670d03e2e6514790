"""What reports say: word for word what they said, whatever was changed.

What is true of each is tested elsewhere. Here a sentence that is lost, or stands where it should
not, is noticed too. Where a report says something else on purpose, `python -m
tests.support.reports` writes the file anew.
"""

import pytest
from tests.support.reports import AUDITS, held, said

BEFORE = held()


@pytest.mark.parametrize("name", AUDITS)
def test_a_report_says_what_it_said(name: str) -> None:
    assert said(name) == BEFORE[name]
