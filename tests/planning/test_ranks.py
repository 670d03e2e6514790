"""How far the rank of a panel's quantile may be off, beside every panel there is."""

from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import pytest

from feint.errors import InvalidValue, NoPlan
from feint.planning import panel_miss, panel_size

SHARES = [Fraction(1, 2), Fraction(1, 4), Fraction(2, 3)]


def is_off(values: tuple[int, ...], found: int, share: Fraction, rank: Fraction) -> bool:
    """Too many hold less than what was found, or too few hold it or less."""
    less = Fraction(sum(each < found for each in values), len(values))
    most = Fraction(sum(each <= found for each in values), len(values))
    return less > share + rank or most < share - rank


def quantile(panel: tuple[int, ...], share: Fraction) -> int:
    """The greatest number that at least a share of 1 - share of a panel reach."""
    return max(
        each for each in panel if sum(other >= each for other in panel) >= (1 - share) * len(panel)
    )


def share_off(values: tuple[int, ...], size: int, share: Fraction, rank: Fraction) -> Fraction:
    panels = list(combinations(values, size))
    off = sum(is_off(values, quantile(each, share), share, rank) for each in panels)
    return Fraction(off, len(panels))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("rank", [Fraction(1, 20), Fraction(1, 8), Fraction(1, 3)])
def test_every_panel_of_different_numbers(share: Fraction, rank: Fraction) -> None:
    for count in (1, 2, 5, 8):
        for size in range(1, count + 1):
            exact = share_off(tuple(range(count)), size, share, rank)
            assert panel_miss(count, size, rank=rank, share=share) == exact


@pytest.mark.parametrize("share", SHARES)
def test_ties_make_nothing_worse(share: Fraction) -> None:
    """All ways in which six people hold numbers from 0 to 3."""
    rank = Fraction(1, 8)
    for values in combinations_with_replacement(range(4), 6):
        for size in range(1, 7):
            off = share_off(values, size, share, rank)
            assert off <= panel_miss(6, size, rank=rank, share=share)


@pytest.mark.parametrize("share", SHARES)
def test_the_worst_that_silence_can_do(share: Fraction) -> None:
    """At each question those may be silent who make it look as wrong as they can."""
    count, rank = 7, Fraction(1, 5)
    for size, silent in ((3, 1), (5, 1), (5, 2), (7, 2)):
        worst = Fraction(0)
        panels = list(combinations(range(count), size))
        for panel in panels:
            # What is answered yes in the best case for yes is as high as silence can lead.
            says = [
                (sum(each >= place for each in panel), sum(each < place for each in panel))
                for place in range(count + 1)
            ]
            yes = [
                any(
                    up >= (1 - share) * (up + down - quiet)
                    for quiet in range(min(silent, down) + 1)
                )
                for up, down in says
            ]
            no = [
                any(
                    up - quiet < (1 - share) * (up + down - quiet)
                    for quiet in range(min(silent, up) + 1)
                )
                for up, down in says
            ]
            high = max((place for place in range(count) if yes[place]), default=0)
            low = min(place for place in range(count + 1) if no[place]) - 1
            off = is_off(tuple(range(count)), high, share, rank) or is_off(
                tuple(range(count)), max(low, 0), share, rank
            )
            worst += Fraction(off, len(panels))
        assert worst <= panel_miss(count, size, rank=rank, share=share, silent=silent)


def test_no_smaller_odd_panel_would_do() -> None:
    for count, rank in ((101, "0.1"), (1001, "0.05"), (60, "0.2")):
        size = panel_size(count, rank=rank)
        assert panel_miss(count, size, rank=rank) <= Fraction(1, 20)
        assert all(
            panel_miss(count, fewer, rank=rank) > Fraction(1, 20) for fewer in range(1, size, 2)
        )


def test_everybody_is_asked_if_nobody_can_be_spared() -> None:
    assert panel_size(9, rank="0.001") == 9
    assert panel_miss(9, 9, rank="0.001") == 0
    assert panel_size(10, rank="0.001") == 9  # its median is one of the middle two
    with pytest.raises(NoPlan, match="stay silent"):
        panel_size(100, rank="0.02", missing="0.1")


def test_bad_arguments_are_named() -> None:
    for wrong in ({"rank": 0}, {"rank": 1}, {"share": 1}, {"confidence": 1}):
        with pytest.raises(InvalidValue, match=next(iter(wrong))):
            panel_size(10, **{"rank": "0.1"} | wrong)
    with pytest.raises(InvalidValue, match="size"):
        panel_miss(10, 11, rank="0.1")
