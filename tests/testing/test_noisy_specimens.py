"""The exact audit rejects every broken search under noise, and accepts its sound counterpart."""

import pytest

from feint.audit import noisy_exact
from feint.strategies import SequentialNoisy
from feint.testing import NOISY_SPECIMENS, check


@pytest.mark.parametrize("name", NOISY_SPECIMENS)
def test_the_audit_rejects_it_and_accepts_the_same_without_the_mistake(name: str) -> None:
    specimen = NOISY_SPECIMENS[name]
    broken = noisy_exact(specimen.strategy, right=specimen.right)
    sound = noisy_exact(specimen.sound, right=specimen.right)
    assert (broken.private, sound.private) == (False, True)
    assert broken.success > 1 / specimen.strategy.problem.level + 0.02
    assert broken.caught[1] > sound.success


def test_figures_are_those_of_independent_computations() -> None:
    """1.71/L' at C = 3 and p = .9; .33 for .25, between .33 and .55 as its scale goes."""
    found = {
        name: noisy_exact(each.strategy, right=each.right).success
        for name, each in NOISY_SPECIMENS.items()
    }
    assert 3 * found["stops on confidence"] == pytest.approx(1.71, abs=0.01)
    assert 0.33 <= found["narrows adaptively"] <= 0.55


@pytest.mark.parametrize("name", NOISY_SPECIMENS)
def test_it_obeys_the_laws_all_the_same(name: str) -> None:
    """None of them can be told from a sound one but by an audit."""
    strategy = NOISY_SPECIMENS[name].strategy
    if isinstance(strategy, SequentialNoisy):
        check(strategy)
