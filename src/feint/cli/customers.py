"""Define `feint noise --responses`, which counts the customers of a search, one answer each."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from click import UsageError

from feint.cli import show
from feint.cli.flags.problem import ProblemFlags, Request
from feint.cli.progress import bar
from feint.exact import chance
from feint.problem import Responses, read_noise

if TYPE_CHECKING:
    from feint.planning import Plan

_WIDTH = 80  # columns of a sentence that is longer than a line


def customers(responses: str, problem: ProblemFlags, max_rounds: int | None, *, json: bool) -> None:
    """Print how many customers a search needs, with and without hiding the number.

    Args:
        responses: The response model as typed.
        problem: The problem as typed.
        max_rounds: The most rounds; None: any number.
        json: Whether to print JSON.
    """
    from feint.planning import plan

    if not isinstance(read_noise(responses), Responses):
        raise UsageError('--responses takes a curve and its scale, such as "logistic(6)"')
    wanted = replace(problem, p=responses).request()
    with bar("searches") as progress:
        hiding, plain = (
            plan(each, domain=wanted.domain, max_rounds=max_rounds, progress=progress)
            for each in (wanted.problem, replace(wanted.problem, level=1))
        )
    if json:
        show.as_json(_document(wanted, hiding, plain))
        return
    console = show.console()
    sentences = (
        wanted.domain.states(wanted.problem),
        *_words(hiding),
        f"Without hiding: {_mean(plain)} customers on average.",
        f"Privacy: {hiding.condition}",
        "Every answer must come from a new customer.",
    )
    for sentence in sentences:
        for line in wrap(sentence, _WIDTH):
            show.say(console, line)


def _words(found: Plan) -> list[str]:
    cost, widest = found.cost, max(len(each.coordinates) for each in found.strategy.rounds)
    lines = [f"Customers: {_mean(found)} on average, at most {found.queries:,}."]
    if cost is not None and cost.queries_95 is not None:
        lines = [
            f"Customers: {_mean(found)} on average, {cost.queries_95:,} or fewer in 95 of 100"
            f" searches, at most {found.queries:,}.",
            f"Rounds: {float(cost.rounds):.0f} on average, at most {found.rounds:,}; at most"
            f" {widest:,} customers in one.",
        ]
    return [*lines, f"An eavesdropper wins with probability {chance(found.promised)} at most."]


def _mean(found: Plan) -> str:
    mean = found.queries_mean
    return "unknown" if mean is None else f"{float(mean):,.0f}"


def _document(wanted: Request, hiding: Plan, plain: Plan) -> dict[str, Any]:
    both = {"plan": hiding.to_dict(), "without_hiding": plain.to_dict()}
    return {**wanted.to_dict(), **both}
