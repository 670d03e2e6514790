"""The exact misses of a small search are those of the search that runs."""

from fractions import Fraction

import numpy as np
import pytest

from feint.beliefs import Belief
from feint.planning.noisy.certificates import exact
from feint.planning.noisy.certificates.exact import gathered, misses, spread
from feint.strategies import Pursuit


@pytest.mark.parametrize("p", ["3/5", "2/3", "3/4", "9/10", "19/20"])
@pytest.mark.parametrize("cells", [2, 3, 4, 5, 6])
def test_the_walk_decides_as_the_live_search(p: str, cells: int) -> None:
    """Every history of live beliefs, against beliefs gathered from merged scores."""
    right = float(Fraction(p))
    search = Pursuit(Fraction(p), "posterior")
    state, chance = search.start(np.array([cells])), np.ones((1, cells))
    walked = misses(cells, Fraction(p), "posterior", 10)
    for answers in range(11):
        rebuilt = search.resume(gathered(spread(state.belief)))
        assert (search.ask(rebuilt) == search.ask(state)).all()
        found = search.found(state)
        missed = 1 - chance[np.arange(len(found)), found].sum() / cells
        assert walked[answers] >= missed - 1e-9
        point = search.ask(state)
        beliefs, chances = [], []
        for answer in (False, True):
            agrees = (np.arange(cells) >= point[:, None]) == answer
            beliefs.append(search.tell(state, np.full(len(point), answer)).belief)
            chances.append(chance * np.where(agrees, right, 1 - right))
        joined = zip(*beliefs, strict=True)  # both have room for as many edges
        state = search.resume(Belief(*(np.concatenate(each) for each in joined)))
        chance = np.concatenate(chances)


def test_what_is_not_followed_counts_as_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only small leads are followed, hardly any run is left in the end."""
    whole = exact.misses(3, Fraction(9, 10), "posterior", 60)
    exact._walked.cache_clear()
    monkeypatch.setattr(exact, "_WIDE", 4)
    few = exact.misses(3, Fraction(9, 10), "posterior", 60)
    exact._walked.cache_clear()
    assert all(many <= more + 1e-12 for many, more in zip(whole, few, strict=False))
    assert whole[60] < 1e-6
    assert few[-1] > 0.99  # and there it ends
