"""Near-equal parts: as Python's own integers divide, up to the last bit of 63."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from feint.strategies.cuts import alike, boundaries, cut, longest, part

MOST = (1 << 62) - 1


@given(st.integers(0, MOST), st.integers(1, MOST), st.data())
@examples(120)
def test_as_whole_numbers_divide(size: int, k: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, k))
    sizes, numbers = np.array([size]), np.array([number])
    assert cut(sizes, k, numbers).tolist() == [number * size // k]
    assert longest(sizes, k).tolist() == [-(-size // k)]
    if number < k:
        begin, end = (each * size // k for each in (number, number + 1))
        start, count = part((np.array([5]), sizes), k, numbers)
        assert (start.tolist(), count.tolist()) == ([5 + begin], [end - begin])


@pytest.mark.parametrize("k", [3_037_000_499, 3_037_000_500, 1 << 32, (1 << 33) + 1, 1 << 61])
def test_products_that_pass_63_bits(k: int) -> None:
    for size in (k - 1, k + 1, MOST):
        for number in (1, k // 2, k - 1):
            found = cut(np.array([size]), k, np.array([number]))
            assert found.tolist() == [number * size // k]


def test_one_size_for_all_runs() -> None:
    held = alike(10, 4)
    assert cut(held, 4, np.arange(4)).tolist() == [0, 2, 5, 7]
    start, count = part((np.zeros(4, np.int64), held), 5, np.arange(4))
    assert (start.tolist(), count.tolist()) == ([0, 2, 4, 6], [2] * 4)
    out = np.arange(4)
    assert cut(10, 4, out, out=out) is out


@pytest.mark.parametrize("size", [0, 1, 7, 12, 97, (1 << 62) - 3])
def test_boundaries_are_the_cuts_of_one_size(size: int) -> None:
    for k in (1, 2, 3, 7, 12, 100):
        assert boundaries(size, k) == cut(size, k, np.arange(k + 1)).tolist()
