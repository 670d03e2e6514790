"""The short report at the end of a search: what was found, what it cost, what was overheard."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from feint import picture
from feint.cli import show
from feint.exact import near, plain, rounded
from feint.problem import Domain, Found, Problem, Result

if TYPE_CHECKING:
    from rich.console import Console

    from feint.search import Search

_WIDEST, _CLOSE = 100, 0.4


def report(search: Search, console: Console) -> None:
    """Print the report. It holds the result, and is for the owner's eyes."""
    result, problem = search.result, search.plan.problem
    console.print()
    for found, domain in zip(result.coordinates, search.domains, strict=True):
        _found(found, domain, problem, console)
    _promised(search, console)
    asked, rounds = show.count(result.queries, "question"), show.count(result.rounds, "round")
    show.say(console, f"It took {asked} in {rounds}, method {result.method}.")
    _overheard(search, result, console)
    for each in search.contradictions:
        said = f"Your answers do not fit together: {each}. The result may be wrong."
        show.say(console, said, "yellow")
    if result.seeded:
        said = "Seeded: an experiment. Whoever knows the seed knows the coins, and hides nothing."
        show.say(console, said, "yellow")
    _picture(search, result, console)


def _found(found: Found, domain: Domain, problem: Problem, console: Console) -> None:
    """Say what one number is, how near, and how surely."""
    width = problem.epsilon * domain.width / 50  # what is shown is rounded by at most this
    name = f"The {found.label or 'number'}"
    if domain.step is not None:
        about = "" if not problem.noisy else ", most likely"
        line = f"{name} is {near(found.estimate, domain.step)}{about}."
        show.say(console, line, "bold green")
        if problem.noisy:
            low, high = (near(end, domain.step) for end in (found.low, found.high))
            where = f"It is {low}" if low == high else f"From {low} to {high}"
            show.say(console, f"{where}{_sure(problem)} or more, given your answers.", "dim")
        return
    low, high = rounded(found.low, width), rounded(found.high, width)
    half = max(found.high - found.estimate, found.estimate - found.low)
    about = f"give or take {rounded(half, width)}{_sure(problem)}"
    show.say(console, f"{name} is {rounded(found.estimate, width)}, {about}.", "bold green")
    given = f"{_sure(problem)} or more, given your answers" if problem.noisy else ""
    show.say(console, f"Between {low} and {high}{given}.", "dim")


def _sure(problem: Problem) -> str:
    """How surely a number lies in its interval; each of several numbers does more surely."""
    if not problem.noisy:
        return ""
    from feint.strategies import CREDIBLE

    sure = Fraction(str(CREDIBLE)) if problem.confidence is None else problem.confidence
    return f" with probability {plain(sure)}"


def _promised(search: Search, console: Console) -> None:
    """What was promised of the error before anything was answered."""
    problem = search.plan.problem
    if not problem.noisy or search.plan.certificate is None:
        return
    half = _halved(problem.epsilon, search.domains)
    line = f"Such searches err by at most {half} on average."
    if problem.confidence is not None:
        how = "find the number" if problem.values is not None else f"err by at most {half}"
        line = f"Such searches {how} with probability {plain(problem.confidence)} or more."
    show.say(console, line, "dim")


def _halved(width: Fraction, domains: Iterable[Domain]) -> str:
    """Half of a width in the units of each coordinate; what is the same is said once."""
    return ", ".join(dict.fromkeys(plain(width * domain.width / 2) for domain in domains))


def _overheard(search: Search, result: Result, console: Console) -> None:
    """Say what whoever heard every question can do with it."""
    problem = search.plan.problem
    half = _halved(problem.delta, search.domains)
    near_it = f"come within {half} of it"
    if problem.values is not None:
        steps = int(problem.delta * problem.values)
        near_it = (
            "name it" if steps == 1 else f"name {steps} neighbouring values, one of which is it"
        )
    if search.plan.private and problem.setting == "bayesian":
        odds = f"at most {show.chance(result.adversary_success)}"
        line = f"Whoever heard every question can {near_it} with odds of {odds}."
    elif search.plan.private:
        line = f"Whoever heard every question still has {result.places} places to choose from."
    else:
        line = "Whoever heard every question may know the answer: nothing is promised here."
    show.say(console, line)


def _picture(search: Search, result: Result, console: Console) -> None:
    """What was overheard, and under it what only the owner knows."""
    heard = search.transcript
    console.print()
    for index, (found, domain) in enumerate(zip(result.coordinates, search.domains, strict=True)):
        shares = [
            int(point) / heard.cells[index]
            for point, about in zip(heard.points[0], heard.coordinates, strict=True)
            if about == index
        ]
        title = "What was overheard" + (f", the {found.label}" if found.label else "")
        console.print(title, style="dim", markup=False)
        where = float((found.estimate - domain.low) / domain.width)
        _strip(shares, where, domain, (0, 1), console)
        last = shares[-(len(shares) // 2) :]  # half of the questions are about the end of it
        low, high = min(*last, where), max(*last, where)
        if high - low < _CLOSE:
            margin = (high - low) / 8 or float(1 / heard.cells[index])
            _strip(shares, where, domain, (low - margin, high + margin), console)


def _strip(
    shares: list[float],
    where: float,
    domain: Domain,
    window: tuple[float, float],
    console: Console,
) -> None:
    """Bars over a part of the range, the owner's mark, and the part's ends."""
    low, high = max(0.0, window[0]), min(1.0, window[1])
    width = max(20, min(console.width, _WIDEST))
    signs = console.encoding.lower().startswith("utf")
    seen = [(share - low) / (high - low) for share in shares if low <= share <= high]
    place = (where - low) / (high - low)
    mark = picture.marks([place], width, "^")
    mark = picture.beside(mark, picture.column(place, width), "only you know", width)
    console.print(picture.heights(seen, width, signs=signs), style="cyan", no_wrap=True)
    console.print(mark, style="bold green", no_wrap=True)
    unit = domain.width * Fraction(high - low) / 100
    ends = (domain.low + domain.width * Fraction(share) for share in (low, high))
    left, right = (rounded(min(end, domain.high), unit) for end in ends)
    console.print(picture.ruler(left, right, width), style="dim", no_wrap=True)
