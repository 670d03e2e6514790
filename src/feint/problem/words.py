"""Describe in words the cost of a search, its result, and how an eavesdropper wins."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from feint.exact import near, plain, rounded
from feint.problem.domain import Domain
from feint.problem.noise import Between, Noise
from feint.problem.problem import Problem
from feint.problem.rates import Rates
from feint.problem.responses import Responses
from feint.problem.wording import with_unit


def count_words(number: int, word: str) -> str:
    """Return a number with its word: 1 round, 2 rounds.

    >>> count_words(1, "round"), count_words(2500, "question")
    ('1 round', '2,500 questions')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def mean_words(mean: Fraction | float) -> str:
    """Return a mean number of questions or rounds, with two decimals at most.

    >>> mean_words(Fraction(25, 4)), mean_words(Fraction(7))
    ('6.25', '7')
    """
    return f"{float(mean):,.2f}".rstrip("0").rstrip(".")


def length_words(
    queries: int,
    rounds: int,
    means: tuple[Fraction | float, Fraction | float] | None,
    *,
    is_simulated: bool = False,
) -> str:
    """Return the number of questions of a search and of its rounds, in words.

    Args:
        queries: The most questions.
        rounds: The most rounds.
        means: The mean numbers of both; None: unknown.
        is_simulated: Whether the means are estimates, which are shown in three digits.

    >>> length_words(17, 6, (Fraction(71, 5), Fraction(5)))
    'at most 17 questions (14.2 on average) in at most 6 rounds'
    >>> length_words(17, 6, (Fraction(17), Fraction(6)))
    '17 questions in 6 rounds'
    >>> length_words(17, 6, None)
    'at most 17 questions in at most 6 rounds'
    """
    asked, took = count_words(queries, "question"), count_words(rounds, "round")
    if means is None or means[0] != queries:
        asked = f"at most {asked}"
        if means is not None:
            shown = mean_words(means[0])
            if is_simulated:
                shown = f"about {float(f'{float(means[0]):.3g}'):,g}"
            asked += f" ({shown} on average)"
    if means is None or means[1] != rounds:
        took = f"at most {took}"
    return f"{asked} in {took}"


def found(
    name: str,
    estimate: Fraction,
    ends: tuple[Fraction, Fraction],
    *,
    step: Fraction | None,
    sure: Fraction | None,
    unit: str | None = None,
) -> tuple[str, ...]:
    """Return one number in words, and the interval that contains it if that says more.

    Args:
        name: Its name.
        estimate: The estimate.
        ends: The ends of the interval.
        step: The step, if values are a step apart.
        sure: Under noise, the probability that it lies in the interval.
        unit: Its unit.
    """
    chance = "" if sure is None else f" with probability {plain(sure)}"
    given = "" if sure is None else f"{chance} or more, given your answers"
    if step is not None:
        line = f"The {name} is {with_unit(near(estimate, step), unit)}"
        if sure is None:
            return (f"{line}.",)
        low, high = (with_unit(near(end, step), unit) for end in ends)
        where = f"It is {low}" if low == high else f"From {low} to {high}"
        return f"{line}, most likely.", f"{where}{given}."
    fine = (ends[1] - ends[0]) / 50  # the largest rounding error in the text
    half = max(ends[1] - estimate, estimate - ends[0])
    shown = (with_unit(_decimal(each, fine), unit) for each in (estimate, half, *ends))
    middle, about, low, high = shown
    line = f"The {name} is {middle}, give or take {about}{chance}."
    return line, f"Between {low} and {high}{given}."


def alike(name: str, yes: bool, end: str) -> str:
    """Return the warning that all answers about a number were the same, perhaps by mistake.

    Args:
        name: The name of the number.
        yes: The answer.
        end: The end of the range at which the number is, "low" or "high".
    """
    said = f"Every answer about the {name} was {'yes' if yes else 'no'}"
    check = "see that the range holds it, and that yes and no are not swapped"
    return f"{said}, so it is at the {end} end of its range: {check}."


def wins(problem: Problem, domains: Iterable[Domain]) -> str:
    """Return a phrase for how an eavesdropper wins, such as "come within 15 of it".

    Args:
        problem: The problem.
        domains: The units of each coordinate.
    """
    if problem.values is None:
        return f"come within {halved(problem.delta, domains)} of it"
    steps = int(problem.delta * problem.values)
    return "name it" if steps == 1 else f"name {steps} neighbouring values, one of which is it"


EQUALLY = "if all answers are right equally often"
"""The condition of privacy under noise, unless answers depend on the distance."""

_AS_STATED = "if answers depend on the distance as stated"
_AT_RATES = "if all good commits fail equally often, and all bad ones too"


def needed(problem: Problem) -> str:
    """Return the condition of the promise on the answers in a few words, or "" without noise.

    >>> from feint import Problem
    >>> needed(Problem("0.01", "0.1", 2, p="0.9"))
    'if all answers are right equally often'
    """
    if problem.noise is None:
        return ""
    if isinstance(problem.noise, Rates):
        return _AT_RATES
    return _AS_STATED if isinstance(problem.noise, Responses) else EQUALLY


def equally_right(problem: Problem) -> str:
    """Return the condition on the answers of a noisy problem, or "" without noise.

    A bound that holds for every fixed p' >= p does not cover answers of unequal reliability:
    proofs/noisy.md has a counterexample.
    """
    noise = problem.noise
    if noise is None or problem.level == 1:
        return ""
    if isinstance(noise, Responses):
        some = "" if len(noise.scales) == 1 else ", whichever of its scales is the true one"
        return (
            f"This holds if each answer is yes with the probability that {noise.kind} answers have"
            f" at its distance from the number, independently of the others{some}."
        )
    if isinstance(noise, Between):
        return (
            f"This holds {EQUALLY}, for every such p; if some are more reliable than others,"
            " she may win more often."
        )
    if isinstance(noise, Rates):
        return (
            "This holds if all checks of good commits fail equally often, and all of bad ones, at"
            f" the stated rates ({noise.words}); if some differ, she may win more often."
        )
    return (
        f"This holds {EQUALLY}, with probability {plain(noise.least)} or better;"
        " if some are more reliable than others, she may win more often."
    )


def right_by_distance(problem: Problem) -> str:
    """Return the condition on the answers of method "majority", or "" at level 1.

    >>> from feint import Problem
    >>> right_by_distance(Problem("0.01", "0.1", 2, p="0.9"))[:61]
    'This holds if each answer is right with probability 0.9 or be'
    """
    noise = problem.noise
    if noise is None or problem.level == 1:
        return ""
    return (
        f"This holds if each answer is right with probability {plain(noise.least)} or better, and"
        " how often depends only on how far the question is from the number and on which side."
    )


def agreed(right: int, told: int) -> str:
    """Return the sentence that says how many answers agree with the result.

    >>> agreed(130, 155)
    'Answers were right about 84 % of the time (130 of 155 agree with what was found).'
    """
    share = round(100 * right / max(told, 1))
    return (
        f"Answers were right about {share} % of the time"
        f" ({right:,} of {told:,} agree with what was found)."
    )


def unreliable(right: int, told: int, noise: Noise) -> str:
    """Return the warning that answers hardly fit what was promised of them."""
    if isinstance(noise, Rates):
        return (
            f"The verdicts contradict the stated rates ({noise.words}): the result may well be"
            " wrong. See that the ends are good and bad, and that one check does not change the"
            " next."
        )
    if isinstance(noise, Responses):
        return (
            "The answers fit another scale far better than what is stated: the result may well be"
            " wrong. Give several scales, and see that the range holds the number, that yes and no"
            " are not swapped, and that answers are fresh."
        )
    share = round(100 * right / max(told, 1))
    return (
        f"No number agrees with more than {share} % of the answers ({right:,} of {told:,}), and"
        f" p = {noise.words} was promised: the result may well be wrong. See that the range holds"
        " the number, that yes and no are not swapped, and that answers are fresh."
    )


def averaged(problem: Problem) -> str:
    """Return the belief over which accuracy is averaged, or "" if there is none."""
    if isinstance(problem.noise, Responses) and len(problem.noise.scales) > 1:
        return (
            "Accuracy is promised on average over the scales: searches with the largest miss more"
            " often, the others less."
        )
    if not isinstance(problem.noise, Between):
        return ""
    return (
        "Accuracy is promised on average over the prior of p, from"
        f" {problem.noise.words}: searches whose answers are the least reliable miss more often,"
        " the others less."
    )


def halved(width: Fraction, domains: Iterable[Domain]) -> str:
    """Return half of a width in the units of each coordinate, without repeating equal ones."""
    return ", ".join(dict.fromkeys(plain(width * domain.width / 2) for domain in domains))


def _decimal(value: Fraction, unit: Fraction) -> str:
    return rounded(value, unit) if unit else plain(value)
