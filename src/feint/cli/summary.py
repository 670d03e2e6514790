"""Summarise a search in a few lines: the number, the cost, what others learn, the progress.

The prompt and `feint status` begin with these lines. They contain no answer.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from feint.cli import show
from feint.exact import plain
from feint.interfaces import Varying
from feint.problem import Responses, length_words, with_unit

if TYPE_CHECKING:
    from rich.console import Console

    from feint.search import Search

_ALIKE = (
    "Some questions have an answer that you know already: they are asked so that no eavesdropper"
    " can tell which ones matter."
)
_NARROW = 56  # columns that the table of phases needs
_PHASES = {
    "narrow": "closes in; an eavesdropper sees where",
    "cut": "asks which part holds it",
    "hide": "asks in several parts at once; no eavesdropper can tell which one matters",
    "finish": "the last step",
    "guess": "asks around single places, any of which may be it",
    "grid": "asks around places all over the range, any of which may be it",
    "bisect": "closes in, or pretends to",
    "table": "asks as the table of the best strategy says",
}


def summary(search: Search, console: Console) -> None:
    """Print the purpose, cost and progress of a search, and warn if it hides nothing."""
    for line in _goal(search):
        show.say(console, line)
    show.say(console, search.deal)
    show.say(console, _progress(search))
    if search.plan.private:
        if search.keys > 1:
            show.say(console, several_keys(search, "hears"))
        if search.plan.rounds > 1 and not search.plan.problem.noisy:
            show.say(console, _ALIKE)
    warn(search, console)
    _phases(search, console)


def warn(search: Search, console: Console) -> None:
    """Warn if nothing is promised, or if the coins are known."""
    plan = search.plan
    if not plan.private:
        why = "an eavesdropper may find the number too"
        show.say(console, f"Warning: method {plan.method} promises nothing: {why}.", "yellow")
    if search.seeded:
        said = "Warning: an experiment. It hides nothing from a person who knows the seed"
        show.say(console, f"{said}.", "yellow")


def _goal(search: Search) -> list[str]:
    """Return a line for each number, and one with the assumed probability of right answers."""
    problem = search.plan.problem
    lines = []
    for index, domain in enumerate(search.domains):
        name = f"the {domain.label}" if domain.label else "a number"
        if domain.label is None and len(search.domains) > 1:
            name = f"number {index + 1}"
        low, high = (with_unit(plain(end), domain.unit) for end in (domain.low, domain.high))
        if domain.step is not None:
            where = f"one of {domain.values} values from {low} to {high}"
        else:
            half = with_unit(plain(problem.epsilon * domain.width / 2), domain.unit)
            where = f"between {low} and {high}, to within {half}"
        lines.append(f"Searching for {name}, {where}.")
    if any(each.question for each in search.domains):
        lines.append(f"Yes means: {yes_says(search)}.")
    if problem.noise is not None:
        sure = problem.confidence
        how = "on average" if sure is None else f"with probability {plain(sure)} or more"
        right = f"An answer is taken to be right with probability {problem.noise.words}"
        if isinstance(problem.noise, Responses):
            says = search.domains[0].says(problem)
            right = f"An answer is taken to be yes by its distance from the number, {says}"
        lines.append(f"{right}; the result is that near {how}.")
        lines.append("If a value is asked about again, ask a fresh sample.")
    return lines


def yes_says(search: Search) -> str:
    """Return the meaning of yes, which a custom question does not state."""
    labels = {each.label for each in search.domains}
    name = f"the {labels.pop()}" if len(labels) == 1 and None not in labels else "the number"
    return f"{name} is {search.yes_means} the value in the question"


def several_keys(search: Search, hears: str) -> str:
    """Return the warning about an eavesdropper who hears searches with several keys.

    Args:
        search: The search.
        hears: "hears" or "heard".
    """
    return (
        f"This number was searched with {search.keys} keys. An eavesdropper who {hears} all of them"
        " does better than with one, and the promise for one does not cover this; feint audit"
        f" --repeat {search.keys} --fresh-keys says how much."
    )


def document(search: Search) -> dict[str, Any]:
    """Return the summary for JSON; nothing in it is secret."""
    plan = search.plan
    return {
        "problem": plan.problem.to_dict(),
        "domains": [each.to_dict() for each in search.domains],
        "yes_means": search.yes_means,
        "deal": search.deal,
        "method": plan.method,
        "certificate": plan.certificate,
        "private": plan.private,
        "seeded": search.seeded,
        "queries": plan.queries,
        "rounds": plan.rounds,
        **plan.means(),
        "answered": search.answered,
        "round": search.round + 1,
        "open": search.open,
        "done": search.done,
        "phases": plan.to_dict()["phases"],
    }


def _progress(search: Search) -> str:
    """Return the number of answered questions, and of those left in the open round."""
    if search.done:
        took = search.answered, search.round + 1
        return f"{length_words(*took, took)}; all of them are answered."
    if not search.answered:
        return "No question is answered yet."
    left = f"round {search.round + 1} has {show.count(search.open, 'question')} left"
    if not search.open:
        left = f"round {search.round + 1} is complete"
    verb = "is" if search.answered == 1 else "are"
    return f"{search.answered} {verb} answered, and {left}."


def _phases(search: Search, console: Console) -> None:
    """Print a table of the phases and their purpose."""
    rows, first = list[tuple[str, str, str, str]](), 1
    # The widest rounds of different runs add up to more questions than any run asks.
    most = "" if search.plan.asks_all else "at most "
    strategy = search.plan.strategy
    if isinstance(strategy, Varying) and strategy.phase_limits:  # phases have no fixed rounds
        for each in search.plan.phases:
            rounds = f"{most if each.rounds > 1 else ''}{show.count(each.rounds, 'round')}"
            questions = f"{most}{show.count(each.queries, 'question')}"
            rows.append((rounds, each.name, questions, meaning(each.name)))
        _print_phases(rows, console)
        return
    for name, group in groupby(strategy.rounds, key=lambda each: each.phase):
        widths = [len(each.coordinates) for each in group]
        last = first + len(widths) - 1
        rounds = f"round {first}" if first == last else f"rounds {first}-{last}"
        rows.append((rounds, name, most + show.count(sum(widths), "question"), meaning(name)))
        first = last + 1
    _print_phases(rows, console)


def _print_phases(rows: list[tuple[str, str, str, str]], console: Console) -> None:
    """Print rounds, phase, questions and purpose as a table, or as sentences if it does not fit."""
    from rich.table import Table

    console.print()
    if console.width < _NARROW:
        for rounds, name, questions, why in rows:
            show.say(console, f"{rounds} ({name}), {questions}: {why}", "dim")
        return
    table = Table.grid(padding=(0, 2, 0, 0))
    for fixed in (True, True, True, False):
        table.add_column(no_wrap=fixed)
    for row in rows:
        table.add_row(*row)
    console.print(table, style="dim")


def meaning(phase: str) -> str:
    """Return the purpose of a phase, or of each phase if several numbers are in different ones."""
    return "; ".join(_PHASES[each] for each in phase.split("/") if each in _PHASES)
