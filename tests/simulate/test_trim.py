"""Runs that have ended leave a simulated batch, and nothing else changes."""

import numpy as np
import pytest
from tests.support.uneven import Forked

from feint.interfaces import UNASKED
from feint.simulate import play


@pytest.mark.parametrize("keeps", [False, True])
def test_runs_that_leave_are_found_as_they_would_have_been(keeps: bool) -> None:
    """The only coin falls before any run ends: both batches find the same, in the same order."""
    strategy = Forked()
    targets = np.random.default_rng(0).choice(16, size=(3000, 1), p=np.r_[[0.02] * 12, [0.19] * 4])
    told = np.empty((3000, 7), bool) if keeps else None
    whole = play(strategy, targets, np.random.default_rng(1))
    trimmed = play(strategy, targets, np.random.default_rng(1), trim=True, told=told)
    wide = trimmed.transcript.points.shape[1]
    assert (trimmed.transcript.points == whole.transcript.points[:, :wide]).all()
    assert (whole.transcript.points[:, wide:] == UNASKED).all()
    assert trimmed.transcript.rounds == whole.transcript.rounds[:wide]
    for name in ("cell", "rest", "low", "high"):
        assert (getattr(trimmed.estimate, name) == getattr(whole.estimate, name)).all()
    assert (len(trimmed.state.part) == 3000) == keeps
