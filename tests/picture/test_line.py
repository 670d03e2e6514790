"""Lines of a picture: each has the width that was asked for."""

from hypothesis import given
from hypothesis import strategies as st

from feint import picture

SHARES = st.lists(st.floats(0, 1), max_size=30)


@given(SHARES, st.integers(1, 120), st.booleans())
def test_bars_stand_where_questions_fell(shares: list[float], width: int, signs: bool) -> None:
    line = picture.heights(shares, width, signs=signs)
    assert len(line) == width
    columns = {picture.column(share, width) for share in shares}
    assert {i for i, sign in enumerate(line) if sign != " "} == columns
    assert signs or line.isascii()


@given(SHARES, st.integers(1, 120))
def test_marks_and_spans_keep_their_width(shares: list[float], width: int) -> None:
    assert len(picture.marks(shares, width, "^")) == width
    ranges = [(share / 2, share) for share in shares]
    line = picture.spans(ranges, shares, width, "-", "o")
    assert len(line) == width
    assert {i for i, sign in enumerate(line) if sign == "o"} == {
        picture.column(share, width) for share in shares
    }


@given(st.floats(0, 1), st.integers(20, 120))
def test_a_word_stands_beside_its_mark(share: float, width: int) -> None:
    start = picture.column(share, width)
    line = picture.beside(picture.marks([share], width, "^"), start, "only you", width)
    assert line[start] == "^"
    assert "only you" in line
    assert len(line) <= width
    assert picture.ruler("10", "110", width).split() == ["10", "110"]


def test_words_stand_to_the_left_and_numbers_to_the_right() -> None:
    rows = [("tight", "57", "2^-20"), ("paper", "161", "-")]
    assert picture.aligned(("method", "questions", "epsilon"), rows) == [
        "method  questions  epsilon",
        "tight          57    2^-20",
        "paper         161        -",
    ]
