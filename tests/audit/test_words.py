"""What plans and reports say: word for word what they said, whatever was changed.

What is true of each is tested elsewhere. Here a sentence that is lost, or stands where it should
not, is noticed too. Where one says something else on purpose, `python -m tests.support.reports`
writes the file anew.
"""

import pytest
from tests.support.examples import later
from tests.support.reports import SAID, held, said

BEFORE = held()


@pytest.mark.parametrize("name", later(SAID, {"afford, a delta", "afford, under a prior"}))
def test_it_says_what_it_said(name: str) -> None:
    assert said(name) == BEFORE[name]
