"""The exact audit: the figures of the theory, specimens caught, certified plans never."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.brute import joint_success
from tests.support.checks import coverings
from tests.support.examples import examples
from tests.support.strategies import planted, staged

from feint import Problem
from feint.audit import BestReply, Prior, audit, measure
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import Round
from feint.planning import compare, plan
from feint.simulate import play
from feint.strategies import Product, Scalar, Staged
from feint.testing import SPECIMENS

WORST = Problem("1/64", "1/8", 3, setting="deterministic")
LINE = Problem("1/8", "1/4", 2)


def test_the_printed_planted_strategy_leaves_one_place() -> None:
    """ε=1/64, δ=1/8, L=3: covering number 1 as printed, 3 corrected."""
    printed, corrected = (audit(plan(WORST, method=name)) for name in ("printed", "paper"))
    assert (printed.covering_number, corrected.covering_number) == (1, 3)
    assert (printed.private, corrected.private) == (False, True)
    assert audit(plan(WORST)).covering_number == 3
    text = printed.counterexample
    assert "round 2: 0.25, 0.265625" in text
    assert "from 0 to 0.03125 with probability 100 % (1)" in text
    assert "one window of length 0.125 covers all that is possible, where 3 are promised" in text


def test_a_deterministic_plan_loses_to_whoever_averages() -> None:
    """ε=1/64, δ=1/8, L=2, both guesses along the bisection: 1987/2048."""
    problem = Problem("1/64", "1/8", 2, setting="deterministic")
    report = audit(planted(problem, 64, False, False, 2, 1, (2,) * 4))
    assert report.adversary_success == Fraction(1987, 2048)
    assert report.covering_number == 2
    assert report.private
    words = " ".join(str(report).split())
    assert "wins with probability 97.02 % (1987/2048), more than 1/2" in words
    assert "no estimator, random ones included, wins with probability above 1/2" in words
    tight = audit(plan(problem)).adversary_success
    assert tight is not None
    assert tight > Fraction(95, 100)


@pytest.mark.parametrize("name", SPECIMENS)
def test_every_specimen_is_rejected_with_a_counterexample(name: str) -> None:
    report = audit(SPECIMENS[name].strategy)
    assert report.private is False
    assert not report.holds
    assert report.verdict.startswith("leaks")
    assert report.counterexample.startswith("Counterexample: she hears\n  round 1: ")
    assert "is promised" in report.counterexample or "are promised" in report.counterexample
    shown = report.exhibits[0]
    if report.problem.setting == "deterministic":
        assert shown.covering < report.problem.level
    else:
        assert shown.window.probability * report.problem.level > 1


def test_specimens_fail_for_their_own_reason() -> None:
    """Without the mistake the very same parameters are private; by hand for the staged ones.

    Asking the true part first, or alone, gives it away: 1. The loaded coin (2:1:1) makes the first
    kept part twice as likely: 1/2. Stopping early shows the cell: 1.
    """
    shape = (64, (2,), 4, 3, (2, 2, 2))
    assert audit(staged(Problem("1/64", "1/12", 3), *shape)).private
    success = {name: audit(each.strategy).adversary_success for name, each in SPECIMENS.items()}
    assert success["true part first"] == success["no last decoys"] == success["stops early"] == 1
    assert success["biased coin"] == Fraction(1, 2)


def test_inaccuracy_is_shown_by_example() -> None:
    short = staged(LINE, 8, (), 2, 2, (2,))
    report = audit(short)
    assert (report.private, report.accurate) == (True, False)
    assert report.accuracy == Fraction(1, 4)
    assert report.verdict == "private, but inaccurate"
    assert "off by up to 0.125, where 0.0625 is promised" in report.counterexample


@st.composite
def small(draw: Any) -> Problem:
    """Problems on up to some hundred cells, either setting, intervals and whole values."""
    setting = draw(st.sampled_from(["bayesian", "deterministic"]))
    level, dim = draw(st.integers(2, 6)), draw(st.integers(1, 2))
    share = next(g for g in range(1, 7) if g**dim >= level)
    if draw(st.booleans()):
        width = draw(st.integers(1, 6))
        values = draw(st.integers(max(2, share * width), share * width + 60))
        delta = Fraction(width, values)
        return Problem(Fraction(1, values), delta, level, setting=setting, dim=dim, values=values)
    delta = draw(st.fractions(Fraction(1, 30), Fraction(1, share), max_denominator=40))
    return Problem(delta / draw(st.integers(2, 8)), delta, level, setting=setting, dim=dim)


@given(small())
@examples(120)
def test_no_certified_plan_is_ever_rejected(problem: Problem) -> None:
    for each in compare(problem):
        if max(each.cells) > 4096:
            continue
        report = audit(each)
        assert report.accurate
        assert report.accuracy <= problem.epsilon
        assert report.private or not each.private
        if each.adversary_success is not None and report.adversary_success is not None:
            assert report.adversary_success <= each.adversary_success
        if each.places is not None and report.covering_number is not None:
            assert report.covering_number >= each.places


@pytest.mark.parametrize("other", [(2, 2, (2,)), (4, 3, (2,)), (3, 2, (2, 2))])
def test_coordinates_multiply(other: tuple[int, int, tuple[int, ...]]) -> None:
    """Joint enumeration of a product in two dimensions, squares and all."""
    factors = (staged(LINE, 8, (), 3, 2, (2, 2)), staged(LINE, 8, (), *other))
    both = Product(Problem("1/8", "1/4", 4, dim=2), factors)
    report = audit(both)
    assert report.adversary_success == joint_success(both, 2)
    numbers = [min(coverings(factor).values()) for factor in factors]
    assert report.covering_number == numbers[0] * numbers[1]
    assert len(report.exhibits) == 2


def test_every_coordinate_is_shown_and_the_product_is_what_breaks_the_promise() -> None:
    """Coordinate 0 keeps its third, coordinate 1 gives all away: 1/3 together, 1/4 promised."""
    factors = (staged(LINE, 8, (), 4, 3, (2,)), staged(LINE, 8, (2, 2), 1, 1, (2,)))
    report = audit(Product(Problem("1/8", "1/4", 4, dim=2), factors))
    assert report.private is False
    text = report.counterexample
    assert text.startswith("Counterexample: she hears about coordinate 0\n  round 1: 0.25, 0.5")
    assert "and hears about coordinate 1\n" in text
    assert "wins with probability 33.33 % (1/3)\nand hears" in text
    assert "wins with probability 100 % (1)\nso these guesses together win" in text
    assert "win with probability 33.33 % (1/3), where 1/4 is promised" in text
    heard = report.exhibits[0].heard * report.exhibits[1].heard
    assert f"heard with probability {100 * float(heard):.4g} % ({heard})" in text


def test_no_coordinate_leaks_by_itself_but_all_of_them_do() -> None:
    """A third each, twice: one in nine, where ten are promised; twins are told once."""
    factor = staged(LINE, 8, (), 4, 3, (2,))
    text = audit(Product(Problem("1/8", "1/4", 10, dim=2), (factor, factor))).counterexample
    assert text.startswith("Counterexample: she hears about coordinates 0 and 1 alike\n")
    assert text.count("round 1") == 1
    assert "win with probability 11.11 % (1/9), where 1/10 is promised" in text


def test_boxes_are_counted_in_the_worst_case() -> None:
    problem = Problem("1/8", "1/4", 4, dim=2, setting="deterministic")
    factors = (staged(LINE, 8, (), 4, 3, (2,)), staged(LINE, 8, (2, 2), 1, 1, (2,)))
    text = audit(Product(problem, factors)).counterexample
    assert "which 3 windows of length 0.25 can cover\nand hears about coordinate 1" in text
    assert text.endswith("so 3 boxes of side 0.25 cover all that is possible, where 4 are promised")


def lopsided(answers: tuple[tuple[bool, ...], ...], coins: tuple[int, ...]) -> list[int]:
    """Search the right half to the end, leave the left half alone."""
    if not answers:
        return [4]
    if not answers[0][0]:
        return [0]
    return [6] if len(answers) == 1 else [7 if answers[1][0] else 5]


def test_a_prior_that_rules_the_narrowest_transcript_out() -> None:
    """It is shown as what is possible: the prior says nothing of what cannot happen."""
    problem = Problem("1/8", "1/4", 2, setting="deterministic")
    strategy = Scalar(problem, 8, (Round("ask", (0,)),) * 3, lopsided)
    report = audit(strategy, prior=Prior([1, 0]))
    shown = report.exhibits[0]
    assert (report.covering_number, report.private) == (1, False)
    assert shown.rounds == ((4,), (6,), (5,))
    assert [(piece.low, piece.high) for piece in shown.pieces] == [(Fraction(1, 2), Fraction(3, 4))]
    assert shown.window.probability == 1
    assert shown.heard == Fraction(1, 4)


def test_a_problem_that_the_strategy_does_not_fit() -> None:
    with pytest.raises(InvalidValue, match=r"dim = 2.*1 coordinate"):
        audit(plan(LINE), problem=Problem("1/8", "1/4", 2, dim=2))
    with pytest.raises(InvalidValue, match=r"values = 9.*8 cells"):
        audit(staged(LINE, 8, (), 1, 1, (8,)), problem=Problem("1/9", "1/3", 2, values=9))
    values = Problem("1/8", "1/4", 2, values=8)
    assert audit(staged(LINE, 8, (), 1, 1, (8,)), problem=values).private


def test_a_plan_audited_against_another_promise_has_no_theorem() -> None:
    found = plan(Problem("1/64", "1/12", 3))
    assert audit(found).theorem.startswith("method tight")
    other = audit(found, problem=Problem("1/64", "1/12", 4))
    assert other.private is False
    assert other.theorem == "none: the plan was made for another promise than this one"


def test_a_prior_that_is_not_uniform() -> None:
    """Three values with odds 1:2:1, grid: nothing is learnt, the middle wins half the time."""
    problem = Problem("1/3", "1/3", 2, values=3)
    strategy = plan(problem, method="grid")
    report = audit(strategy, prior=Prior([1, 2, 1]))
    assert report.adversary_success == report.blind == Fraction(1, 2)
    assert report.private
    assert audit(strategy, prior=Prior(["0.5", "1/2", 0])).adversary_success == Fraction(1, 2)
    sure = audit(strategy, prior=Prior([0, 1, 0]))
    assert sure.adversary_success == 1
    assert sure.private is False
    assert "no plan can keep the promise" in " ".join(str(sure).split())
    with pytest.raises(InvalidValue, match="one weight for each of the 3 values"):
        audit(strategy, prior=Prior([1, 2]))


@pytest.mark.parametrize(
    ("weights", "words"),
    [([], "from 1 to"), ([1, -1], "negative"), ([0, 0], "positive"), (["x"], r"prior\[0\]")],
)
def test_priors_that_make_no_sense(weights: list[Any], words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        Prior(weights)


def test_the_blind_guess() -> None:
    """Odds 1:3 on two halves: a window of 3/4 takes the right half and half of the left."""
    assert Prior([1, 3]).blind(Fraction(3, 4)) == Fraction(3, 4) + Fraction(1, 8)
    assert Prior([1]).blind(Fraction(1, 7)) == Fraction(1, 7)
    with pytest.raises(InvalidValue, match="uniform, peak, ramp"):
        Prior.named("bell", 4)


def test_the_best_reply_wins_as_often_as_the_audit_says() -> None:
    """Each run's cell is met once for every coin: the mean over runs nears the exact value."""
    strategy = staged(Problem("1/64", "1/12", 3), 64, (2,), 4, 3, (2, 2, 2))
    reply = BestReply(strategy)
    random = np.random.default_rng(0)
    cells = random.integers(64, size=(40_000, 1))
    played = play(strategy, cells, random)
    places = cells + random.random(cells.shape)
    near = np.abs(reply.guess(played.transcript, random) - places) <= 64 / 12 / 2
    assert abs(near.mean() - float(measure(strategy, Fraction(1, 12)).success)) < 0.015
    other = play(plan(Problem("1/64", "1/12", 3), method="paper").strategy, cells % 12, random)
    with pytest.raises(InvalidValue, match="never asks"):
        reply.guess(other.transcript, random)


def test_too_many_branches_point_to_the_sampled_audit() -> None:
    """2^-40 has some 10^13 branches: refused early, not after walking all that is allowed."""
    with pytest.raises(TooLarge, match=r"about .*e\+13.* sample: give runs = 100000"):
        audit(plan(Problem("2^-40", "2^-8", 15)), limit=1 << 20)


def test_what_cannot_be_audited_is_refused() -> None:
    noisy = staged(Problem("1/48", "1/12", 3, p=0.9), 48, (2,), 4, 3, (2, 3))
    with pytest.raises(InvalidValue, match="staged family under noise"):
        audit(noisy)
    refused: list[dict[str, Any]] = [{"adversaries": ["last"]}, {"seed": 0}, {"failure": 0.1}]
    for options in refused:
        with pytest.raises(InvalidValue, match="measured on runs"):
            audit(plan(LINE), **options)
    with pytest.raises(InvalidValue, match="lemmas are measured exactly"):
        audit(plan(LINE), runs=100, lemmas=True)

    class Joint(Staged):
        """A search of two coordinates in a way of its own."""

        cells = (8, 8)
        rounds = (Round("ask", (0, 1)),)

    with pytest.raises(InvalidValue, match="factors of a Product"):
        audit(staged(Problem("1/8", "1/4", 2, dim=2), 8, (), 1, 1, (8,), Joint))


def test_progress_names_the_coordinate() -> None:
    """Two coordinates of one plan are walked once, two of different plans one after the other."""
    problem = Problem("1/64", "1/8", 2, dim=2)
    parts = staged(problem, 64, (2,), 2, 2, (2,) * 4), staged(problem, 32, (), 2, 2, (2,) * 4)
    told = list[tuple[str, int, int]]()
    for factors in ((parts[0], parts[0]), parts):
        audit(Product(problem, factors), progress=lambda *step: told.append(step))
    assert told[0] == ("branches of coordinate 0", 1000, 1000)
    assert told[1:] == [(f"branches of coordinate {i}", 1000, 1000) for i in (0, 1)]


@pytest.mark.slow
def test_fifteen_million_branches() -> None:
    """(2^-20, 2^-8, 15): 16 blocks × 15 windows of 16 parts × 2^12 cells a part × 16."""
    told = list[tuple[str, int, int]]()
    report = audit(plan(Problem("2^-20", "2^-8", 15)), progress=lambda *step: told.append(step))
    assert report.branches == 15 << 20
    assert report.transcripts == 1 << 19
    assert (report.adversary_success, report.covering_number) == (Fraction(1, 15), 15)
    assert report.accuracy == Fraction(1, 1 << 20)
    assert told == sorted(told)
    assert told[-1] == ("branches", 1000, 1000)
