"""What the best eavesdropper makes of transcripts of customers' answers."""

from fractions import Fraction

import numpy as np
import pytest

from feint import Domain, Plan
from feint.audit import audit, noisy_audit, noisy_belief
from feint.audit.placed import placed_joint
from feint.problem import Transcript
from feint.simulate import play
from feint.strategies import ResponseNoisy, ResponseShape

DOMAIN = Domain(0, 100)
SHAPE = ResponseShape(
    parts=10, repeats=16, kept=5, at_once=6, hide_error=Fraction(21, 100), most=60
)


def search(p: str = "logistic(6)", shape: ResponseShape = SHAPE) -> ResponseNoisy:
    problem = DOMAIN.problem(epsilon=2, delta=10, level=4, confidence="0.9", p=p)
    return ResponseNoisy(problem, 500, shape)


def transcripts(strategy: ResponseNoisy, runs: int) -> tuple[Transcript, np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    told = np.empty((runs, sum(len(each.coordinates) for each in strategy.rounds)), bool)
    cells = random.integers(500, size=(runs, 1))
    heard = play(strategy, cells, random, told=told)
    return heard.transcript, np.stack([heard.state.column, *heard.state.window.T]), told


@pytest.mark.long
def test_help_tells_little_that_the_questions_do_not() -> None:
    """With the followed answers she wins as often within half a percent."""
    found = [noisy_audit(search(), runs=6, seed=3, states=each) for each in (0, 512)]
    assert found[0].helped == 6
    assert found[1].helped < 6
    assert found[0].success == pytest.approx(found[1].success, abs=0.005)


def test_a_believed_number_lies_in_a_kept_part() -> None:
    strategy = search()
    heard, state, _ = transcripts(strategy, 1)
    found = noisy_belief(Plan.of(strategy, domain=DOMAIN), heard)
    assert 0.15 < float(found.window.probability) < 0.26
    inside = np.zeros(500, bool)
    for start in state[1:, 0]:
        inside[max(0, start - 25) : start + 75] = True
    width = np.diff(found.ends)
    middles = (found.ends[1:] + found.ends[:-1]) / 2
    assert (found.density * width)[inside[(middles * 5).astype(int)]].sum() > 0.999


def test_a_transcript_that_cannot_be_is_refused() -> None:
    strategy = search()
    heard, _, _ = transcripts(strategy, 1)
    points = heard.points[0].copy()
    points[144 + 30 : 144 + 60] = points[144 : 144 + 30] + 1
    with pytest.raises(ValueError, match="give one of its own"):
        placed_joint(strategy, points)


def test_a_report_says_how_answers_depend_on_the_distance() -> None:
    report = audit(Plan.of(search(), domain=DOMAIN), runs=4)
    assert "logistic(6)" in " ".join(report.assumptions)
    assert report.private is None


@pytest.mark.slow
@pytest.mark.parametrize("p", ["logistic(6)", "logistic(3|6|12)"])
def test_the_best_eavesdropper_is_within_the_claim(p: str) -> None:
    """Her posterior after each of 500 transcripts, told the followed answers where too many fit."""
    from feint import plan

    found = plan(DOMAIN.problem(epsilon=2, delta=10, level=4, confidence="0.9", p=p), domain=DOMAIN)
    heard = noisy_audit(found.strategy, runs=500, seed=20)
    claim = found.adversary_success
    assert claim is not None
    assert heard.success <= float(claim)
    assert heard.success > 0.9 * float(claim)
