"""Print the report at the end of a search: the result, the cost and the overheard questions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from feint import picture
from feint.cli import show
from feint.cli.summary import several_keys
from feint.exact import plain, rounded
from feint.problem import Domain, Found, Result, agreed, halved

if TYPE_CHECKING:
    from rich.console import Console

    from feint.search import Search

HEADLINE = "Every question is answered. The rest is for your eyes alone."
_WIDEST = 100  # columns; a wider picture is hard to read
# share of the range: if a search ends in a narrower part, that part is also drawn enlarged
_CLOSE = 0.4


def report(search: Search, console: Console) -> None:
    """Print the report. It contains the result, so it is for the owner only."""
    result = search.result
    console.print(f"\n{HEADLINE}", style="dim")
    for found in result.coordinates:
        _found(found, console)
    _promised(search, console)
    asked, rounds = show.count(result.queries, "question"), show.count(result.rounds, "round")
    show.say(console, f"It took {asked} in {rounds}, method {result.method}.")
    show.say(console, result.promise)
    if search.keys > 1 and search.plan.private:
        show.say(console, several_keys(search, "heard"))
    if result.agreement is not None:
        show.say(console, agreed(*result.agreement), "dim")
    if result.warning is not None:
        show.say(console, result.warning, "yellow")
    for each in search.contradictions:
        said = f"Your answers do not fit together: {each}. The result may be wrong."
        show.say(console, said, "yellow")
    if result.seeded:
        said = "An experiment: it hides nothing from a person who knows the seed."
        show.say(console, said, "yellow")
    _picture(search, result, console)


def _found(found: Found, console: Console) -> None:
    """Print one number, its accuracy and its probability, after a warning if it is doubtful."""
    if found.warning is not None:
        show.say(console, found.warning, "yellow")
    first, *more = found.sentences
    show.say(console, first, "bold green")
    for line in more:
        show.say(console, line, "dim")


def _promised(search: Search, console: Console) -> None:
    """Print the promise about the error, which does not depend on answers."""
    problem = search.plan.problem
    if not problem.noisy or search.plan.certificate is None:
        return
    half = halved(problem.epsilon, search.domains)
    line = f"Such searches err by at most {half} on average."
    if problem.confidence is not None:
        how = "find the number" if problem.values is not None else f"err by at most {half}"
        line = f"Such searches {how} with probability {plain(problem.confidence)} or more."
    show.say(console, line, "dim")


def _picture(search: Search, result: Result, console: Console) -> None:
    """Print the places of the questions, and below them the place of the number."""
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
        last = shares[-(len(shares) // 2) :]  # the second half of the questions is near the number
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
    """Print bars over a part of the range, the mark of the number, and the ends of the part."""
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
