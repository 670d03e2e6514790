"""Two lanes: what the learner knows is what right answers leave; she sees every question."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from feint.picture import column, lanes, lanes_svg, played, strip

SHARES = st.floats(0.01, 0.99)
ASKED = st.lists(st.lists(SHARES, min_size=1, max_size=6), min_size=1, max_size=30)


def name(share: float) -> str:
    return f"{share:.3g}"


@given(ASKED, SHARES)
def test_what_is_known_holds_the_number_and_shrinks(
    asked: list[list[float]], number: float
) -> None:
    rounds = played(asked, number)
    assert [each.asked for each in rounds] == [tuple(each) for each in asked]
    ends = [each.known for each in rounds]
    assert ends[0] == (0, 1)
    for (low, high), (later, sooner) in itertools.pairwise(ends):
        assert low <= later <= number <= sooner <= high
    for each in rounds:
        low, high = each.known
        assert set(each.telling) == {share for share in each.asked if low < share < high}


@given(ASKED, SHARES, st.integers(40, 120))
def test_both_lanes_fit_the_width(asked: list[list[float]], number: float, width: int) -> None:
    drawn = lanes(played(asked, number), number, name, width=width)
    assert max(map(len, drawn)) <= width
    assert drawn[0].split() == ["round", "what", "you", "know", "what", "she", "sees"]
    assert max(map(len, strip(asked, name, width=width))) <= width


def test_a_search_in_two_lanes() -> None:
    """A half, then a question in each half: she sees both, and one of them tells something."""
    drawn = lanes(played([[0.5], [0.2, 0.7]], 0.6), 0.6, name, width=50)
    assert drawn == [
        "round  what you know          what she sees",
        "    1  ----------?---------             ?",
        "    2            ----?-----       ?     .   ?",
        "        the number ^",
        "       0                  1   0                  1",
    ]


def test_what_lies_close_is_drawn_larger() -> None:
    asked = [[0.5], [0.26, 0.27, 0.28], [0.265, 0.275, 0.285]]
    rounds = played(asked, 0.266)
    drawn = lanes(rounds, 0.266, name, width=79)
    assert [line.split()[0] for line in drawn if line[:5].strip()] == ["round", "1", "2", "3"]
    assert drawn[3].split() == ["0", "1", "0", "1"]
    low, high = map(float, drawn[-1].split()[:2])
    assert 0.25 < low < 0.26 < 0.285 < high < 0.29
    lane = (79 - 10) // 2
    place = column((0.266 - low) / (high - low), lane)
    assert abs(drawn[-2].index("^") - 7 - place) <= 1


def test_a_long_search_is_cut_short_and_rounds_that_look_alike_are_one() -> None:
    asked = [[0.3 + 1e-6 * index] for index in range(40)]
    drawn = strip(asked, name, width=79)
    assert len(drawn) <= 20
    assert any(line.strip() == "..." for line in drawn)
    alike = strip([[0.5], [0.5], [0.5], [0.1]], name, width=79)
    assert [line.split()[0] for line in alike[1:3]] == ["1-3", "4"]


@given(ASKED, SHARES)
def test_a_notebook_shows_every_round(asked: list[list[float]], number: float) -> None:
    drawn = lanes_svg(played(asked, number), name, number=number)
    assert drawn.startswith("<svg")
    assert drawn.endswith("</svg>")
    assert "what you know" in drawn
    seen = lanes_svg(played(asked, number), name)
    assert "what you know" not in seen
    assert "stroke-dasharray" not in seen  # where the number is
