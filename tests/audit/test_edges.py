"""Where an audit begins to refuse: the last value that is taken, and the first that is not."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.strategies import staged, staged_noisy

from feint import Domain, InvalidValue, Plan, Problem, TooLarge
from feint.audit import Prior, audit
from feint.audit.hearing import Hearing, each
from feint.audit.motion import Motion, jump, steps, walk
from feint.audit.sampled import MOST
from feint.interfaces import Round
from feint.strategies import Scalar

F = Fraction
LINE = Problem("1/8", "1/4", 2)
WORST = Problem("1/8", "1/4", 2, setting="deterministic")
GRID = staged(LINE, 8, (), 1, 1, (8,))
NOISY = staged_noisy(Problem("1/32", "1/8", 2, p="0.9"), 32, 1, 0, 2, 3, 2, 3)
HALVED = Scalar(
    Problem("1/4", "1/4", 2),
    4,
    (Round("ask", (0,)), Round("ask", (0,))),
    lambda told, _: ((3,) if told[0][0] else (1,)) if told else (2,),
)
ROUNDS = (Round("ask", (0, 1)), Round("ask", (1,)), Round("ask", (0, 0)))


@pytest.mark.parametrize(
    "given", [{"repeat": 2, "fresh_keys": True}, {"hears": "every(2)"}, {"knows": "last"}]
)
def test_limits_of_a_mean_take_two_runs(given: dict[str, Any]) -> None:
    """One run has no variance, and no limits could be said to hold."""
    found = audit(GRID, runs=2, **given)
    assert not found.exact
    for runs in (1, 0, MOST + 1):
        with pytest.raises(InvalidValue, match=f"runs = {runs}"):
            audit(GRID, runs=runs, **given)


def test_limits_of_a_mean_take_two_runs_under_noise_too() -> None:
    given: dict[str, Any] = {"repeat": 2, "fresh_keys": True}
    assert len(audit(NOISY, runs=2, **given).successes) == 2
    with pytest.raises(InvalidValue, match="runs = 1"):
        audit(NOISY, runs=1, **given)


@pytest.mark.parametrize("given", [{"repeat": 2, "fresh_keys": True}, {"hears": "every(2)"}])
@pytest.mark.parametrize("weights", [(1, 1, 0, 0), (1, 0, 0, 0), (1, 1, 1, 5)])
def test_what_is_possible_does_not_depend_on_what_is_likely(
    given: dict[str, Any], weights: Sequence[int]
) -> None:
    """In the worst case no prior makes a place impossible, and yet averages are by the prior.

    All of the grid is asked about, so nothing is learned: 4 windows of a quarter cover the line,
    and the best guess is the heaviest quarter.
    """
    found = audit(GRID, problem=WORST, prior=Prior(weights), **given)
    assert found.covering_number == 4
    assert found.private is True
    assert found.adversary_success == F(max(weights), sum(weights))
    (shown,) = found.exhibits
    assert shown.covering == 4
    plain = audit(GRID, problem=WORST, **given)
    assert (plain.covering_number, plain.private, plain.adversary_success) == (4, True, F(1, 4))


@pytest.mark.parametrize("given", [{"repeat": 2, "fresh_keys": True}, {"hears": "every(2)"}, {}])
@pytest.mark.parametrize("prior", [None, Prior([1, 1, 0, 0])])
@pytest.mark.parametrize("setting", ["deterministic", "bayesian"])
def test_a_promise_is_kept_where_she_does_just_as_well_as_it_says(
    given: dict[str, Any], prior: Prior | None, setting: Any
) -> None:
    """The second question tells the half: two windows cover it, and a guess wins every other time.

    So level 2 is kept, and level 3 is not, whether by windows or by guesses.
    """
    for level, kept in ((2, True), (3, False)):
        promised = Problem("1/8", "1/4", level, setting=setting)
        found = audit(HALVED, problem=promised, prior=prior, **given)
        assert found.adversary_success == F(1, 2)
        assert found.private is kept
        assert found.verdict.startswith("private" if kept else "leaks")
        assert ("Counterexample" in found.counterexample) is not kept
        if setting == "deterministic":
            assert found.covering_number == 2


def test_an_estimate_may_be_off_by_what_is_promised_and_no_more() -> None:
    """Cells of an eighth are found: twice the worst error is 1/8."""
    ways: list[dict[str, Any]] = [{}, {"hears": "every(2)"}, {"repeat": 2, "fresh_keys": True}]
    for epsilon, kept in (("1/8", True), ("1249/10000", False)):
        for given in ways:
            found = audit(GRID, problem=Problem(epsilon, "1/4", 2), **given)
            assert (found.accuracy, found.accurate) == (F(1, 8), kept)


def test_branches_are_walked_up_to_the_limit() -> None:
    """Eight cells, all of them asked about: eight branches."""
    assert audit(GRID).branches == 8
    ways: list[dict[str, Any]] = [{}, {"hears": "every(2)"}, {"repeat": 2, "fresh_keys": True}]
    for given in (*ways, {"repeat": 2}):
        assert audit(GRID, limit=8, **given).exact
        with pytest.raises(TooLarge, match="branches"):
            audit(GRID, limit=7, **given)


def test_a_limit_is_at_least_one_branch() -> None:
    with pytest.raises(TooLarge):
        audit(GRID, limit=1)
    with pytest.raises(InvalidValue, match="limit = 0") as refused:
        audit(GRID, limit=0)
    assert not isinstance(refused.value, TooLarge)  # that would be about the plan


@pytest.mark.parametrize("given", [{}, {"repeat": 2}, {"hears": "every(2)"}])
def test_what_is_said_of_samples_is_refused_without_them(given: dict[str, Any]) -> None:
    """A seed of 0 is a seed, and the failure that is usual is one that was given."""
    more: list[dict[str, Any]] = [{"seed": 0}, {"failure": 1e-6}]
    for said in more:
        (name,) = said
        with pytest.raises(InvalidValue, match=rf"^{name} = .*no number of runs is given"):
            audit(GRID, **said, **given)
        audit(GRID, **said, runs=2, **given)


def test_a_walk_goes_from_once_to_a_thousand_times() -> None:
    assert walk(1).times == 1
    assert Motion.read("walk(1)") == Motion.read("walk(1, 1)") == walk(1)
    assert Motion.read("walk(1, 1000)") == walk(1, times=1000)
    for times in (0, 1001):
        with pytest.raises(InvalidValue, match=f"motion = {times}"):
            walk(1, times=times)
    for words in ("steps(1, 2)", "jump(1, 2)"):
        with pytest.raises(InvalidValue, match="must be steps"):
            Motion.read(words)


def test_chances_lie_from_nothing_to_certainty() -> None:
    for make in (jump, each):
        for chance in ("0", "1/2", "1"):
            make(chance)
        for chance in ("-1/1000", "1001/1000"):
            with pytest.raises(InvalidValue, match="from 0 to 1"):
                make(chance)


def test_distances_are_positive_and_at_least_a_grain() -> None:
    fresh = np.ones(8, np.int64)
    for make in (steps, walk):
        make("1/1000")
        for none in (0, -1):
            with pytest.raises(InvalidValue, match="must be positive"):
                make(none)
        for far, cells in (("1/8", 1), ("2/8", 2), ("249/1000", 1)):
            kernel = make(far).kernel(F(1, 8), 3, fresh)
            assert kernel.stride == 3
            assert {abs(end) for move in kernel.moves for end in move} == {cells}
        with pytest.raises(InvalidValue, match=r"multiples of 0\.125.*let it move 0\.125"):
            make("124/1000").kernel(F(1, 8), 3, fresh)


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        ("all", "11111"),
        ("nothing", "00000"),
        ("rounds(1)", "11000"),
        ("rounds(1-2)", "11100"),
        ("rounds(3)", "00011"),
        ("coordinates(0)", "10011"),
        ("coordinates(1)", "01100"),
        ("coordinates(0-1)", "11111"),
        ("questions(1)", "10000"),
        ("questions(2, 4-5)", "01011"),
        ("every(1)", "11111"),
        ("every(2)", "01010"),
        ("every(5)", "00001"),
        ("every(6)", "00000"),
        ("last", "00001"),
        ("last(1)", "00001"),
        ("last(4)", "01111"),
        ("last(5)", "11111"),
        ("last(6)", "11111"),
        ("each(0)", "00000"),
        ("each(1/1000)", "11111"),
    ],
)
def test_which_questions_are_meant(words: str, heard: str) -> None:
    """One about each coordinate, then one about the second, then two about the first."""
    found = Hearing.read(words, "hears").columns(ROUNDS, "hears")
    assert "".join("01"[said] for said in found.tolist()) == heard


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("rounds(0)", "hears = 0: this search has rounds 1 to 3; name some of these"),
        ("rounds(3-4)", "hears = 4: this search has rounds 1 to 3; name some of these"),
        ("coordinates(2)", "hears = 2: this search has coordinates 0 to 1; name some of these"),
        ("questions(0-1)", "hears = 0: this search has questions 1 to 5; name some of these"),
        ("questions(6)", "hears = 6: this search has questions 1 to 5; name some of these"),
    ],
)
def test_what_there_is_not_is_named(words: str, rule: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        Hearing.read(words, "hears").columns(ROUNDS, "hears")
    assert str(refused.value) == rule


@pytest.mark.parametrize("words", ["last(0)", "every(0)", "last(-1)", "every(1.5)"])
def test_counts_of_questions_begin_at_one(words: str) -> None:
    with pytest.raises(InvalidValue, match="a whole number of at least 1"):
        Hearing.read(words, "hears")


@pytest.mark.parametrize(
    "words", ["all(1)", "nothing(1)", "every", "each", "rounds", "questions()"]
)
def test_words_that_want_or_have_no_number(words: str) -> None:
    with pytest.raises(InvalidValue, match="must be one of all"):
        Hearing.read(words, "hears")


def test_a_hearing_is_random_between_never_and_always() -> None:
    """And numbers of questions are the same in any order, and however often."""
    assert not any(each(chance).random for chance in (0, 1))
    assert all(each(chance).random for chance in ("1/1000", "999/1000"))
    assert Hearing.read([4, 1, 4], "hears") == Hearing("questions", (1, 4))
    assert Hearing.read([], "hears") == Hearing("nothing")


def test_a_promise_of_another_domain_is_told_in_its_units() -> None:
    """A domain that is given stands in place of the plan's own."""
    made = Plan.of(GRID, domain=Domain(0, 8))
    assert audit(made).domain == Domain(0, 8)
    assert audit(made, domain=Domain(0, 16)).domain == Domain(0, 16)
    assert "within 0.5 of the number" in audit(made).claim
    assert "within 1 of the number" in audit(made, domain=Domain(0, 16)).claim
