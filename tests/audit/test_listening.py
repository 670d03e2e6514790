"""What is told after each round, from the transcript alone."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.support.followed import won

from feint import Domain, Problem, Search, plan
from feint.audit import audit, noisy_belief, overheard
from feint.errors import InvalidValue, TooLarge
from feint.planning import Plan
from feint.problem import Transcript
from feint.strategies import StagedNoisy

MARKET = Domain(20, 100, label="price")
PROBLEM = MARKET.problem(epsilon="1.25", delta=10, level=4)


def _played(made: Plan, hidden: Fraction, seed: int = 1) -> Search:
    search = Search(made, seed=seed)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, hidden >= query.value)
    return search


@pytest.mark.parametrize("method", ["tight", "paper", "bisection", "grid"])
def test_the_last_belief_averages_to_the_audits_success(method: str) -> None:
    """Over one number a place and one key, the best windows catch as often as the audit says."""
    problem = Problem("1/16", "1/8", 2)
    made = plan(problem, method=method)
    assert made.repeatable  # no coin: each number has one transcript
    cells = made.cells[0]
    won = Fraction(0)
    for cell in range(cells):
        held = overheard(made, _played(made, Fraction(2 * cell + 1, 2 * cells)).transcript)
        won += held[-1].window.probability / cells
    assert won == audit(made).adversary_success


@pytest.mark.parametrize("method", ["tight", "paper"])
def test_the_number_stays_possible_and_the_odds_stay_below_the_promise(method: str) -> None:
    made = plan(PROBLEM, domain=MARKET, method=method)
    for hidden in (Fraction(21), Fraction(157, 3), Fraction(99)):
        search = _played(made, hidden)
        beliefs = overheard(made, search.transcript)
        assert len(beliefs) == made.rounds
        for each in beliefs:
            assert sum(piece.probability for piece in each.pieces) == 1
            assert any(piece.low <= hidden < piece.high for piece in each.pieces)
        assert beliefs[-1].window.probability <= Fraction(1, 4)
        assert beliefs[-1].places >= 4


def test_under_a_prior_the_last_belief_averages_to_the_audits_success() -> None:
    """Each cell counts by the prior; without coins each number has one transcript."""
    units = Domain(0, 8)
    weights = [1, 2, 4, 1, 1, 4, 2, 1]
    problem = units.problem(epsilon=1, delta=2, level=2, prior=weights)
    made = plan(problem, domain=units, method="grid")
    won = Fraction(0)
    for cell, weight in enumerate(weights):
        held = overheard(made, _played(made, Fraction(2 * cell + 1, 2)).transcript)
        won += held[-1].window.probability * Fraction(weight, sum(weights))
    assert won == audit(made).adversary_success


def test_bisection_tells_its_listener_the_place_to_within_one_answer() -> None:
    made = plan(PROBLEM, domain=MARKET, method="bisection")
    last = overheard(made, _played(made, Fraction(71)).transcript)[-1]
    assert last.window.probability == 1
    assert last.places == 1


def test_answers_and_keys_are_not_looked_at() -> None:
    """Two searches that asked the same, with other last answers, leave the same belief."""
    made = plan(PROBLEM, domain=MARKET)
    one = _played(made, Fraction(71))
    other = Search.from_json(one.to_json())
    assert overheard(made, one.transcript) == overheard(made, other.transcript)
    part = Search(made, seed=1)
    part.ask()
    assert overheard(made, part.transcript) == overheard(made, one.transcript)[:1]


def test_whole_values_are_places_of_one_step() -> None:
    values = Domain(1, 33, step=1)
    made = plan(values.problem(delta=4, level=3), domain=values)
    search = _played(made, Fraction(20))
    last = overheard(made, search.transcript)[-1]
    assert any(piece.low <= 20 < piece.high for piece in last.pieces)
    assert all(piece.low.denominator == 1 for piece in last.pieces)


def test_what_cannot_be_followed_is_refused() -> None:
    made = plan(Problem("1/64", "1/8", 2, p="0.9"))
    search = Search(made, seed=1)
    search.ask()
    with pytest.raises(TooLarge, match="any answer may come"):
        overheard(made, search.transcript)
    two = plan(Problem("1/16", "1/4", 4, dim=2))
    search = Search(two, seed=1)
    search.ask()
    with pytest.raises(InvalidValue, match="from 0 to 1"):
        overheard(two, search.transcript, coordinate=2)
    several = Transcript(np.zeros((2, 1), np.int64), (0,), (0,), made.cells)
    with pytest.raises(InvalidValue, match="one search is followed"):
        overheard(made, several)


@pytest.mark.parametrize("prior", [None, "points(30, 50, 90)"])
def test_what_she_believes_after_noise_is_a_density_and_its_best_window(prior: str | None) -> None:
    """Added up by hand; without a prior she wins with it as often as the noisy audit counts."""
    problem = MARKET.problem(epsilon=2, delta=10, level=2, p="0.9", confidence="0.9", prior=prior)
    made = plan(problem, domain=MARKET, method="fixed")
    heard = _played(made, Fraction(61)).transcript
    belief = noisy_belief(made, heard)
    assert (belief.ends[0], belief.ends[-1]) == (20, 100)
    assert (np.diff(belief.ends) * belief.density).sum() == pytest.approx(1)
    window = belief.window
    assert window.high - window.low == 10
    inside = np.clip(belief.ends, float(window.low), float(window.high))
    caught = (np.diff(inside) * belief.density).sum()
    assert caught == pytest.approx(float(window.probability))
    middle = (belief.ends[:-1] + belief.ends[1:]) / 2
    for start in (*middle, *belief.ends):
        other = np.clip(belief.ends, start, start + 10)
        assert (np.diff(other) * belief.density).sum() <= caught + 1e-9
    if prior is None:
        assert isinstance(made.strategy, StagedNoisy)
        success = won(made.strategy, problem.delta, heard.points[0])
        assert success == pytest.approx(float(window.probability))


def test_a_noisy_belief_is_of_one_whole_search_under_noise() -> None:
    made = plan(Problem("1/64", "1/8", 2, p="0.9"))
    search = Search(made, seed=1)
    search.ask()
    with pytest.raises(InvalidValue, match="one search is followed, with all its"):
        noisy_belief(made, search.transcript)
    still = plan(PROBLEM, domain=MARKET)
    with pytest.raises(InvalidValue, match="by the staged family under noise"):
        noisy_belief(still, _played(still, Fraction(61)).transcript)


@pytest.mark.parametrize("level", [2, 7])
def test_of_several_numbers_the_odds_multiply_to_the_audits_success(level: int) -> None:
    """Theorem 3: over all pairs of places, both windows catch as often as the audit says.

    At level 7 one search has three rounds and the other two: what she believes of it stays.
    """
    made = plan(Problem("1/8", "1/4", level, dim=2))
    assert made.repeatable
    won, places = Fraction(0), list(product(*map(range, made.cells)))
    for pair in places:
        hidden = [
            Fraction(2 * cell + 1, 2 * size) for cell, size in zip(pair, made.cells, strict=True)
        ]
        search = Search(made, seed=1)
        while not search.done:
            for query in search.ask():
                search.tell(query.id, hidden[query.coordinate] >= query.value)
        caught = Fraction(1)
        for coordinate, number in enumerate(hidden):
            held = overheard(made, search.transcript, coordinate=coordinate)
            assert len(held) == made.rounds
            assert any(piece.low <= number < piece.high for piece in held[-1].pieces)
            caught *= held[-1].window.probability
        won += caught / len(places)
    assert won == audit(made).adversary_success
    part = Search(made, seed=1)
    part.ask()
    assert [len(overheard(made, part.transcript, coordinate=each)) for each in (0, 1)] == [1, 1]
