"""Findings in words: of several coordinates in the worst case, and of laws far from their bins."""

from fractions import Fraction

import pytest
from tests.support.strategies import staged

from feint import Domain, Problem
from feint.audit import Prior, audit
from feint.audit.explain import leak
from feint.audit.tally import Exhibit
from feint.branches import Window

F = Fraction
RULER = Domain(0, 16)


def found(covering: int) -> Exhibit:
    """One question at 4, after which all is possible; the covering is as given."""
    whole = Window(F(0), F(1), F(1))
    window = Window(F(0), F(1, 8), F(1, 8))
    return Exhibit(
        rounds=((2,),), cells=8, heard=F(1, 2), window=window, pieces=(whole,), covering=covering
    )


@pytest.mark.parametrize(
    ("coverings", "alone", "together"),
    [
        ((1, 1), ["one window"], "one box of side 2 covers"),
        ((1, 2), ["one window", "2 windows"], "2 boxes of side 2 cover"),
        ((2, 3), ["2 windows", "3 windows"], "6 boxes of side 2 cover"),
    ],
)
def test_in_the_worst_case_each_coordinate_is_covered_and_then_all_of_them(
    coverings: tuple[int, ...], alone: list[str], together: str
) -> None:
    """Boxes multiply; coordinates that are told alike are told once."""
    problem = Problem("1/16", "1/8", 8, dim=2, setting="deterministic")
    lines = leak([found(each) for each in coverings], problem, RULER).splitlines()
    told = [line for line in lines if line.startswith("which")]
    assert told == [f"which {each} of length 2 can cover" for each in alone]
    assert lines[-1] == f"so {together} all that is possible, where 8 are promised"
    assert lines[0] == "Counterexample: she hears about " + (
        "coordinates 0 and 1 alike" if len(alone) == 1 else "coordinate 0"
    )


@pytest.mark.parametrize(("covering", "places"), [(1, "one window"), (3, "3 windows")])
def test_of_one_coordinate_windows_cover(covering: int, places: str) -> None:
    problem = Problem("1/16", "1/8", 8, setting="deterministic")
    last = leak([found(covering)], problem, RULER).splitlines()[-1]
    verb = "covers" if covering == 1 else "cover"
    assert last == f"so {places} of length 2 {verb} all that is possible, where 8 are promised"


@pytest.mark.parametrize(
    ("distance", "private", "most"),
    [
        (0.0, True, ""),
        (0.25, True, ""),  # 1/4 + 1/4 = 1/2: just what is promised
        (0.375, False, "62.5 % (5/8)"),
        (1.0, False, "100 % (1)"),  # never more than always
    ],
)
def test_a_law_that_is_far_from_its_bins_is_not_shown_to_be_hidden(
    distance: float, private: bool, most: str
) -> None:
    """A grid tells nothing: she wins with 1/4 in the bins, and a distance more under the law."""
    grid = staged(Problem("1/8", "1/8", 2), 8, (), 1, 1, (8,))
    law = Prior([2, 1, 1, 1, 1, 1, 1, 0], distance=distance, source="a law")
    report = audit(grid, prior=law)
    assert report.adversary_success == F(1, 4)
    assert report.private is private
    if private:
        assert report.notes == ()
    else:
        assert report.verdict == "not shown to be private"
        assert report.counterexample == ""
        assert report.notes == (
            "she wins with probability 25 % (1/4) in the prior's bins, and with up to"
            f" {most} under the prior as stated, which is more than is promised: use more bins, or"
            " narrow the range",
        )
