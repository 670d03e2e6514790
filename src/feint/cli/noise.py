"""Define `feint noise`, which chooses how many voters answer each question."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING

from click import UsageError

from feint.cli import show
from feint.cli.customers import customers
from feint.cli.flags.problem import ProblemFlags, Request
from feint.cli.progress import bar
from feint.exact import plain
from feint.problem import mean_words

if TYPE_CHECKING:
    from rich.table import Table

    from feint.planning import Sample, Samples

_WIDTH = 80  # the width of wrapped sentences
_MANY = 10_001  # more voters than this for one question are hard to find: warn
_ANY = "0.9"  # a placeholder for the unknown p, to check the rest of the problem
_POOR = 0.51  # a plan for a smaller p asks hundreds of thousands of questions: warn


def noise(
    *,
    edge: str | None = None,
    margin: str | None = None,
    responses: str | None = None,
    voters: int | None = None,
    problem: ProblemFlags,
    max_rounds: int | None = None,
    batches: int = 4,
    json: bool = False,
) -> None:
    """Choose how many voters or customers answer each question: the fewest on average."""
    if responses is not None:
        if (edge, margin, voters, problem.p) != (None,) * 4:
            raise UsageError("--responses says all of the answers: leave out --edge, --voters, --p")
        customers(responses, problem, max_rounds, json=json)
        return
    edge = _edge(edge, margin)
    if problem.p is not None and voters is not None:
        raise UsageError("give --p or --voters, not both: each says the sample size")
    if {*problem.given()} - {"p"} or problem.label:
        _compare(edge, voters, problem, (max_rounds, batches), json=json)
        return
    if problem.p is None and voters is None:
        raise UsageError(
            "give a problem (--epsilon, --delta, --level) for the sample size with the fewest"
            " voters, or one of --p and --voters for a single vote"
        )
    if max_rounds is not None:
        raise UsageError("--max-rounds needs a problem: --epsilon, --delta and --level")
    _single(edge, _size(edge, voters, problem.p), json=json)


def _edge(edge: str | None, margin: str | None) -> str:
    """Return the edge of a voter over a coin, from --edge or from --margin, its old name."""
    if margin is not None:
        if edge is not None:
            raise UsageError("--margin is the old name of --edge: give one of them")
        show.complain("warning: --margin of feint noise is called --edge since feint 0.2")
    given = margin if edge is None else edge
    if given is None:
        raise UsageError("give --edge, such as 0.2 if 70 of 100 voters are right, or --responses")
    return given


def _size(margin: str, voters: int | None, p: str | None) -> int:
    """Return the single sample size that the flags request."""
    from feint.simulate.oracles import voters_for

    return voters_for(p, margin) if p is not None else voters or 1


def _single(margin: str, count: int, *, json: bool) -> None:
    """Print the probability that the majority of a sample is right."""
    from feint.simulate.oracles import reliability

    right = reliability(count, margin)
    said = _warning(count, right, margin)
    if json:
        sizes = {"edge": margin, "margin": margin, "voters": count}
        show.as_json({**sizes, "p": right, "warning": said})
        return
    show.lines(
        f"{count} voters a question: the majority is right with probability {right:.6g}.",
        *_CAUTIONS,
        *([] if said is None else [f"Warning: {said}"]),
    )


def _compare(
    margin: str,
    voters: int | None,
    problem: ProblemFlags,
    limits: tuple[int | None, int],
    *,
    json: bool,
) -> None:
    """Print the cost of sample sizes and the cheapest; limits: rounds, batches."""
    from feint.planning import sample_sizes

    wanted = _request(problem)
    rounds, batches = limits
    single = voters is not None or problem.p is not None
    with bar("sample sizes") as progress:
        found = sample_sizes(
            wanted.problem,
            margin,
            confidence=problem.confidence,
            domain=wanted.units,
            max_rounds=rounds,
            batches=batches,
            voters=(_size(margin, voters, problem.p),) if single else (),
            progress=progress,
        )
    if json:
        sure = found.best.plan.problem.to_dict()["confidence"]
        show.as_json(wanted.to_dict() | {"confidence": sure} | found.to_dict())
        return
    console = show.console()
    sure = problem.confidence
    accurate = "accurate on average" if sure is None else f"confidence = {sure}"
    show.say(console, f"{show.problem_line(wanted.problem, wanted.domain)}, {accurate}")
    share = plain(50 + 100 * found.margin)
    show.say(console, f"Each voter is right {share} times in 100.")
    show.say(console, "On average:")
    console.print(_table(found))
    advice = _alone(found) if single else _advice(found, limited=rounds is not None)
    for line in (*advice, *_CAUTIONS):
        show.say(console, line)


def _request(problem: ProblemFlags) -> Request:
    """Return the problem without p, checked as a noisy one so that errors use the user's units."""
    if problem.setting not in (None, "bayesian"):
        return replace(problem, p=None, confidence=None).request()
    noisy = replace(problem, p=_ANY).request()
    return replace(noisy, problem=replace(noisy.problem, p=None, confidence=None))


def _table(found: Samples) -> Table:
    """Return the sizes that no other beats as rows; the one with the fewest voters is bold."""
    from rich.table import Table

    grid = Table(box=None, pad_edge=False)
    headings = ("sample", "in hiding", "answers right", "questions", "rounds", "voters", "if fixed")
    for heading in headings:
        grid.add_column(heading, justify="right")
    for each in found.frontier:
        known = each.plan.cost
        grid.add_row(
            f"{each.voters:,}",
            mean_words(each.hiding_mean),
            f"{100 * float(each.p):.6g} %",
            "unknown" if known is None else mean_words(known.queries),
            "unknown" if known is None else mean_words(known.rounds),
            *(
                "unknown" if mean is None else f"{mean:,.0f}"
                for mean in (each.voters_mean, each.fixed_mean)
            ),
            style="bold" if each == found.best else "",
        )
    return grid


def _alone(found: Samples) -> list[str]:
    """Return notes on the single requested size."""
    (only,) = found.sizes
    return [*_limits(only), *_growth(only), *_condition(only), *_many(only)]


def _advice(found: Samples, *, limited: bool) -> list[str]:
    """Return the recommended size, and when to choose another."""
    best, quick = found.best, found.quickest
    lines = [f"Fewest voters: {_words(best)}", *_limits(best), *_growth(best)]
    if found.least is not None and found.least < best.price:
        lines += [f"  No other size needs fewer than {found.least:,.0f} voters on average."]
    if quick != best:
        lines += [f"Fewest rounds for at most twice the voters: {_words(quick)}"]
        lines += [*_limits(quick), *_growth(quick)]
        lines += [] if limited else ["  With --max-rounds you say how many rounds there may be."]
    return [*lines, *_condition(best), *_many(best)]


def _words(each: Sample) -> str:
    """Return the number of voters in words."""
    return "ask 1 voter a question." if each.voters == 1 else f"ask {each.voters:,} a question."


def _limits(each: Sample) -> list[str]:
    """Return the p to plan with, and the largest cost of a search."""
    most, rounds = f"{each.voters_in_all:,}", show.count(each.plan.rounds, "round")
    return [
        f"  Plan with --method {each.plan.method} --p {plain(each.p)}.",
        f"  At most {most} voters in {rounds}, at most {each.largest_round:,} in one.",
    ]


def _growth(each: Sample) -> list[str]:
    """Return how samples of hiding grow, if they do."""
    grows = each.growing
    if grows.batches == 1:
        return []
    return [
        f"  In hiding ask {grows.first:,} first, then {grows.more:,} at a time, until one side"
        f" leads by {grows.lead:,}",
        f"  or {grows.largest:,} have voted. All copies of a question grow together.",
        f"  In a poll: quorum {each.voters}, growing first {grows.first}, more {grows.more},"
        f" batches {grows.batches}, lead {grows.lead}.",
    ]


def _condition(each: Sample) -> list[str]:
    """Return the condition that the privacy promise puts on the answers."""
    return wrap(f"Privacy: {each.plan.condition}", _WIDTH) if each.plan.condition else []


def _many(each: Sample) -> list[str]:
    if each.voters <= _MANY:
        return []
    return [f"Warning: {each.voters:,} new voters for every question are a great many."]


def _warning(count: int, right: float, margin: str) -> str | None:
    """Return a warning about a sample of `count` voters; None if it needs no warning."""
    from feint.simulate.oracles import reliability

    if count > _MANY:
        few = reliability(_MANY, margin)
        return (
            f"{count} new voters for every question are a great many; {_MANY} reach p = {few:.4g} "
            "with this edge. Take a larger edge (a larger epsilon) or plan for a smaller p."
        )
    if right < _POOR:
        return "this is hardly better than a coin; ask more voters, or take a larger edge."
    return None


_CAUTIONS = (
    "They must be new each time: the same people asked again are not independent.",
    "Nearer to the threshold than the edge says, answers are worse than that.",
)
