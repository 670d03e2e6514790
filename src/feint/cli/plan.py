"""Define `feint plan`, which shows the cost and the privacy of each method."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from click import UsageError

from feint.bounds import table
from feint.cli import show
from feint.cli.flags.plan import PlanFlags, WorkFlags
from feint.cli.flags.problem import ProblemFlags, Request
from feint.cli.flags.wording import flagged
from feint.cli.progress import SOON, bar
from feint.errors import InvalidValue
from feint.exact import decimal, plain
from feint.problem import mean_words

if TYPE_CHECKING:
    from rich.table import Table

    from feint.planning import Plan


def plan(
    *,
    problem: ProblemFlags,
    method: str | None = None,
    planning: PlanFlags,
    budget: int | None = None,
    frontier: bool = False,
    work: WorkFlags,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Plan a search: questions, rounds, and the best eavesdropper, method by method."""
    other = method or planning.max_rounds or budget or planning.calibrated or planning.repeatable
    if frontier and other:
        rule = "shows every trade of questions for rounds of the recommended method, by theorem"
        remedy = "leave --method, --max-rounds, --budget, --certificate and --repeatable out"
        raise InvalidValue("--frontier", "with other flags", rule, remedy)
    if budget is not None and planning.calibrated:
        rule = "works only with certificates by theorem"
        raise InvalidValue("--budget", budget, rule, "leave --certificate out")
    if budget is not None and planning.repeatable:
        rule = "works only for plans that may have spare parts"
        raise InvalidValue("--budget", budget, rule, "leave --repeatable out")
    typed = problem.given()
    if budget is not None:
        problem = _afforded(budget, problem, planning)
    wanted = problem.request(margin=planning.margin)
    picture = show.drawing(plot)
    plans, left_out = (
        _frontier(wanted, planning) if frontier else _plans(wanted, method, budget, planning, work)
    )
    if json:
        show.as_json(_document(plans, wanted, typed, budget))
    else:
        lines = [] if frontier else show.shorter_questions(plans[0], planning.arguments())
        _print(plans, wanted, left_out, lines, bought=budget is not None, trades=frontier)
    picture(plans[0])


def _frontier(wanted: Request, planning: PlanFlags) -> tuple[list[Plan], dict[str, str]]:
    """Return every plan that no other beats, with an empty list of skipped methods."""
    from feint.planning import frontier

    margin = planning.margin or "1"
    with bar("planning", after=SOON) as progress:
        found = frontier(wanted.problem, domain=wanted.units, margin=margin, progress=progress)
    return found, {}


def _plans(
    wanted: Request,
    method: str | None,
    budget: int | None,
    planning: PlanFlags,
    work: WorkFlags,
) -> tuple[list[Plan], dict[str, str]]:
    """Return the plan of one method, or those of all, and why some methods have none."""
    from feint.planning import compare, plan

    left_out: dict[str, str] = {}

    def refused(name: str, error: InvalidValue) -> None:
        left_out[name] = error.rule

    with planning.options(work) as options:
        options |= {"max_queries": budget}
        if method is not None:
            method = planning.method(method, wanted)
            return [plan(wanted.problem, domain=wanted.units, method=method, **options)], left_out
        plans = compare(wanted.problem, domain=wanted.units, refused=refused, **options)
        return plans, left_out


def _afforded(budget: int, problem: ProblemFlags, planning: PlanFlags) -> ProblemFlags:
    """Return the flags with the delta and level, in the user's units, that the budget buys."""
    from feint.planning import afford

    if (problem.low is None) != (problem.high is None):
        rule = "needs both ends of the range"
        raise InvalidValue("--budget", budget, rule, "give --low and --high")
    if problem.epsilon is None and problem.within is None and problem.step is None:
        raise UsageError(f"--budget {budget} needs --within or --epsilon too, or --step")
    if (problem.delta is None) == (problem.level is None):
        rule = "finds the level for a given --delta, or the delta for a given --level"
        raise UsageError(f"--budget {budget} {rule}; give one of the two")
    domain, parameters = problem.domain(), problem.parameters()
    if (half := parameters.pop("within", None)) is not None:
        given = parameters.get("epsilon")
        parameters["epsilon"], _ = domain.widths(epsilon=given, within=half, delta=domain.width)
    with flagged(queries="--budget"), bar("planning", after=SOON) as progress:
        found = afford(
            queries=budget,
            max_rounds=planning.max_rounds,
            margin=planning.margin or 1,
            domain=domain,
            progress=progress,
            **parameters,
        )
    return replace(problem, delta=str(found.delta), level=str(found.level))


def _document(
    plans: list[Plan], wanted: Request, typed: dict[str, Any], budget: int | None
) -> dict[str, Any]:
    """Return the plans for JSON, with rationals as exact strings and as floats under KEY_float."""
    stated = wanted.to_dict()
    document = {
        "typed": typed,
        "problem": _beside(stated["problem"], "epsilon", "delta", "confidence")
        | {"p_float": None if wanted.problem.known_p is None else float(wanted.problem.known_p)},
        "domain": _beside(stated["domain"], "low", "high", "step", "tick"),
        "plans": [_beside(each.to_dict(), "adversary_success", "margin") for each in plans],
        "bounds": [row.to_dict() for row in table(wanted.problem)],
    }
    return document if budget is None else {"budget": budget} | document


def _beside(document: dict[str, Any], *names: str) -> dict[str, Any]:
    """Add the nearest floats to the strings with these names."""
    return document | {
        f"{name}_float": None if document[name] is None else float(Fraction(document[name]))
        for name in names
    }


def _print(
    plans: list[Plan],
    wanted: Request,
    left_out: dict[str, str],
    hints: list[str],
    *,
    bought: bool,
    trades: bool,
) -> None:
    problem, console = wanted.problem, show.console()
    console.print(show.problem_line(problem, wanted.domain))
    if bought:
        delta = plain(problem.delta * wanted.domain.width)
        console.print(f"The budget buys level {problem.level} at delta {delta}.")
    show.say(console, plans[0].deal, "bold")
    console.print(_table(plans, trades=trades))
    for line in [*_promise(plans[0], wanted), *hints]:
        show.say(console, line)
    limits = [row for row in table(problem) if row.applies]
    if limits:
        words = ", ".join(f"{row.name} {show.number(row.value)}" for row in limits)
        console.print(f"Bounds on the fewest questions: {words}", style="dim")
    for name, why in left_out.items():
        show.say(console, f"Skipped {name}: {why}.", "dim")
    if problem.setting == "deterministic":
        console.print(_WORST_CASE, style="yellow")
    if plans[0].losses is not None:
        console.print(_lost(plans[0]), style="dim")


def _promise(plan: Plan, wanted: Request) -> list[str]:
    """Return how an eavesdropper wins, where questions are asked, and the cost of rounding them."""
    from feint.planning import rounding

    lines = [f"An eavesdropper wins when she {wanted.domain.wins(plan.problem)}."]
    if plan.cost is not None and plan.cost.errors is not None:
        lines = [f"Method {plan.method}: {plan.cost.words()}", *lines]
    if plan.problem.level == 1:
        plain_search = "the noisy form of bisection" if plan.problem.noisy else "bisection"
        lines = [f"At level 1 nothing is hidden: {plan.method} is {plain_search}."]
    units = {each.unit for each in plan.scales or ()} - {None}
    if units:
        marks = " and ".join(sorted(decimal(each) or plain(each) for each in units if each))
        lines += [f"Questions are put at multiples of {marks}."]
    success, uneven = plan.adversary_success, any(each.marks for each in plan.scales or ())
    # On uneven cells a success is exact if it is at most 1/L, or if nothing is promised.
    if rounding(plan.scales) and success is not None and (plan.excused or not uneven):
        shown = f"{100 * float(success):.9g} %"
        if plan.excused:
            shown += f", one part in a million above 1/{plan.problem.level} at most"
        lines += [f"No decimals divide this range: with the questions as shown she wins {shown}."]
    lines += [plan.condition] if plan.condition else []
    lines += [plan.optimality] if plan.optimality else []
    return [*lines, *show.between_decimals(plan), *_believed(plan)]


def _believed(plan: Plan) -> list[str]:
    """Return sentences about the prior: how it was read, the cost of bins, its allowed error."""
    from feint.planning import rounding

    lines = []
    laws = (each for each in plan.problem.prior or () if not each.uniform or each.distance)
    for law in dict.fromkeys(laws):
        cut = (
            f", {100 * law.outside:.{2 if law.outside < 0.5 else 4}g} % of it outside the range and"
            " cut off"
            if law.outside
            else ""
        )
        lines += [f"Planned for {law}, read into {show.count(law.bins, 'bin')}{cut}."]
    if plan.problem.prior is not None and plan.adversary_success is not None:
        stated = plan.stated_success
        if stated is None:
            lines += ["How far the bins are from the law behind the samples nobody knows."]
        elif stated > float(plan.adversary_success):
            shown = f"{100 * stated:.4g} %"
            lines += [f"Under the law as stated, before it was binned, she wins {shown} at most."]
    # Round down, except for the millionth that rounding questions to decimals may add.
    times = math.floor(1000 * (plan.margin or 1) * (1 + rounding(plan.scales))) / 1000
    if times > 1 and plan.problem.prior is not None:
        every = "law" if plan.problem.dim == 1 else "law of all coordinates together"
        dense = f"at most {times:g} times as dense anywhere"
        lines += [f"The promise holds for every {every} that is {dense}."]
    return lines


def _table(plans: list[Plan], *, trades: bool) -> Table:
    """Return the plans as rows; the first, which is recommended, is bold.

    Args:
        plans: The plans.
        trades: Whether they trade questions for rounds, so that mean rounds matter too.
    """
    from rich.table import Table
    from rich.text import Text

    worst_case = plans[0].problem.setting == "deterministic"
    grid = Table(box=None, pad_edge=False)
    grid.add_column("method", no_wrap=True)
    varied = any(each.queries_mean != each.queries for each in plans)
    grid.add_column("questions", justify="right", overflow="fold")
    if varied:
        grid.add_column("on average", justify="right", overflow="fold")
    grid.add_column("rounds", justify="right", overflow="fold")
    if varied and trades:
        grid.add_column("on average", justify="right", overflow="fold")
    if worst_case:
        grid.add_column("places left", justify="right", overflow="fold")
    grid.add_column("eavesdropper wins", justify="right", overflow="fold")
    grid.add_column("certificate", overflow="fold")
    for index, each in enumerate(plans):
        mean = [_mean(each.queries_mean)] if varied else []
        row = [each.method, str(each.queries), *mean, str(each.rounds)]
        row += [_mean(each.rounds_mean)] if varied and trades else []
        row += ["-" if each.places is None else str(each.places)] if worst_case else []
        row += [show.chance(each.adversary_success), each.certificate or "none"]
        style = "bold" if index == 0 else "" if each.private else "dim"
        grid.add_row(*(Text(cell) for cell in row), style=style)
    return grid


def _mean(mean: Fraction | float | None) -> str:
    """Return a mean of a table; a dash if it is not known."""
    return "-" if mean is None else mean_words(mean)


def _lost(plan: Plan) -> str:
    """Return the possible losses of a noisy plan per stage, with errors in the user's units."""
    what, unit = "Chance of a miss", 1.0
    if plan.problem.confidence is None:
        what, unit = "Expected error", float(plan.domain.width)
    stages = ", ".join(f"{name} {lost * unit:.3g}" for name, lost in (plan.losses or {}).items())
    return f"{what} by stage, at most: {stages}"


_WORST_CASE = (
    "Worst case only: the places left are possible, not equally likely. An eavesdropper who takes "
    "the number to be uniform wins as often as the table says; where it says -, expect always."
)
