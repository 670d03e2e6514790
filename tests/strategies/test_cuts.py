"""Near-equal parts are cut where exact arithmetic cuts them, however many there are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from feint.strategies import cut, longest
from feint.strategies.cuts import part


@given(st.integers(1, 1 << 62), st.data())
def test_cuts_are_exact(size: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, size))
    number = data.draw(st.integers(0, k - 1))
    first, after = number * size // k, (number + 1) * size // k
    numbers = np.array([number, number + 1])
    assert cut(size, k, numbers).tolist() == [first, after]
    begun, length = part((np.array([5]), np.array([size])), k, numbers[:1])
    assert (begun[0] - 5, length[0]) == (first, after - first)
    assert longest(np.array([size]), k)[0] == -(-size // k)
