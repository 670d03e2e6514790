"""The posterior eavesdropper of searches that stop when they are sure, against enumeration."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from feint import Problem
from feint.audit import audit, noisy_audit, noisy_exact
from feint.audit.posterior import joint, truths_of
from feint.branches import noisy_branches
from feint.interfaces import columns
from feint.simulate import play
from feint.strategies import SequentialNoisy, SequentialShape

SHAPE = SequentialShape(
    blocks=2,
    narrow_error=Fraction(1, 6),
    narrow_cap=(3, 1),
    parts=3,
    repeats=1,
    kept=2,
    hide_error=Fraction(1, 5),
    hide_cap=(3, 1),
)
PROBLEM = Problem("1/96", "1/12", 2, p="0.8", confidence="0.6")
MEMBERS = {
    "spare": (24, SHAPE),
    "all kept": (18, replace(SHAPE, kept=3)),
    "two at once": (24, replace(SHAPE, at_once=2)),
    "one block": (12, replace(SHAPE, blocks=1, parts=2, repeats=2)),
    "no cap": (24, replace(SHAPE, narrow_cap=(3, 0), hide_cap=(4, 0))),
    "tilted alone": (16, replace(SHAPE, narrow_cap=(0, 3), parts=2, hide_cap=(0, 3))),
    "uneven": (23, SHAPE),
    "sure at once": (6, replace(SHAPE, narrow_cap=(3, 0))),
    "never hides": (12, replace(SHAPE, hide_cap=(0, 0))),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_every_transcript_has_its_chance_in_every_cell(name: str) -> None:
    size, shape = MEMBERS[name]
    strategy = SequentialNoisy(PROBLEM, size, shape)
    found = noisy_branches(strategy)
    for points, chance in zip(found.transcripts, found.chance, strict=True):
        if chance.max() < 1e-12:
            continue  # a coin had to fall on the other side
        heard = joint(strategy, points, None)
        mass = np.repeat(heard.mass, np.diff(heard.edges)) * np.exp(heard.log)
        assert mass == pytest.approx(chance, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("confidence", ["0.6", None])
def test_on_average_too(confidence: str | None) -> None:
    problem = Problem("1/96", "1/12", 2, p="0.8", confidence=confidence)
    strategy = SequentialNoisy(problem, 24, SHAPE)
    exact = noisy_exact(strategy)
    found = noisy_audit(strategy, runs=120, seed=2)
    assert found.low <= exact.success <= found.high
    assert found.helped == 0


def test_she_who_is_told_the_answers_that_are_followed_does_no_worse() -> None:
    """And stays within the bound, which allows for it."""
    strategy = SequentialNoisy(PROBLEM, 24, SHAPE)
    alone = noisy_exact(strategy).success
    found = noisy_audit(strategy, runs=150, seed=3, states=0)
    assert found.helped > 120
    assert alone - 0.1 <= found.success <= 0.5


def test_what_happened_is_read_off_the_answers() -> None:
    strategy = SequentialNoisy(PROBLEM, 24, SHAPE)
    targets = np.random.default_rng(0).integers(24, size=(20, 1))
    told = np.empty((20, columns(strategy)), bool)
    played = play(strategy, targets, np.random.default_rng(1), told=told)
    points = played.transcript.points
    for i, truths in enumerate(truths_of(strategy, played.state, told, 0, points)):
        heard = joint(strategy, points[i], truths)
        alone = joint(strategy, points[i], None)
        assert (heard.mass[alone.mass == 0] == 0).all()
        assert heard.log <= alone.log + 1e-9


@pytest.mark.long
def test_a_large_member_holds_its_eavesdropper() -> None:
    """The first row of the table of section 12; B is below .2001 there."""
    shape = SequentialShape(
        blocks=5,
        narrow_error=Fraction("0.006"),
        narrow_cap=(40, 40),
        parts=5,
        repeats=5,
        kept=5,
        hide_error=Fraction("0.03"),
        hide_cap=(80, 60),
    )
    problem = Problem("0.001", "0.02", 5, p="0.9", confidence="0.95")
    report = audit(SequentialNoisy(problem, 1000, shape), runs=400, seed=1)
    assert report.limits[0][0] <= 0.2
    assert float(report.adversary_success or 1) <= 0.21
