"""`feint plan`: what each method costs, and what an eavesdropper can do against it at best."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from feint.bounds import table
from feint.cli import options as flag
from feint.cli import show, work
from feint.cli.calibration import CertificateName, Seed, calibration
from feint.errors import InvalidValue, NoPlan
from feint.exact import plain, whole

if TYPE_CHECKING:
    from rich.table import Table

    from feint.planning import Plan

MethodName = Annotated[str | None, typer.Option("--method", help="Only this method.")]
MaxRounds = Annotated[
    str | None, typer.Option(help="Most rounds there may be; a round may be a week of a test.")
]
Budget = Annotated[
    str | None,
    typer.Option(help="Most questions there may be: says which level (or delta) that buys."),
]
Frontier = Annotated[
    bool, typer.Option("--frontier", help="Every plan worth having, in questions against rounds.")
]


def plan(
    epsilon: flag.Epsilon = None,
    delta: flag.Delta = None,
    level: flag.Level = None,
    setting: flag.SettingName = "bayesian",
    p: flag.P = None,
    confidence: flag.Confidence = None,
    dim: flag.Dim = "1",
    low: flag.Low = None,
    high: flag.High = None,
    step: flag.Step = None,
    method: MethodName = None,
    max_rounds: MaxRounds = None,
    budget: Budget = None,
    frontier: Frontier = False,
    certificate: CertificateName = None,
    calibration_seed: Seed = None,
    workers: work.Workers = None,
    dask: work.DaskAddress = None,
    json: flag.Json = False,
) -> None:
    """Plan a search: questions, rounds, and the best eavesdropper, method by method."""
    from feint import planning

    if frontier and (method or max_rounds or budget or certificate == "calibrated"):
        rule = "shows every trade of questions for rounds of the recommended method, by theorem"
        remedy = "leave --method, --max-rounds, --budget and --certificate out"
        raise InvalidValue("--frontier", "with other flags", rule, remedy)
    if budget is not None and certificate == "calibrated":
        rule = "what questions buy is found by theorem"
        raise InvalidValue("--budget", budget, rule, "leave --certificate out")
    rounds = None if max_rounds is None else whole(max_rounds, "--max-rounds", least=1)
    bought = None
    if budget is not None:
        units = (low, high, step)
        noise = (p, confidence)
        bought = _bought(budget, (epsilon, delta, level), setting, dim, units, rounds, noise)
        delta, level = bought
    wanted = flag.request(
        epsilon=epsilon,
        delta=delta,
        level=level,
        setting=setting,
        p=p,
        confidence=confidence,
        dim=dim,
        low=low,
        high=high,
        step=step,
    )
    if frontier:
        plans, left_out = planning.frontier(wanted.problem, domain=wanted.domain), dict[str, str]()
    else:
        with calibration(certificate, calibration_seed, workers, dask) as options:
            plans, left_out = _plans(wanted, method, {"max_rounds": rounds} | options)
    if json:
        show.as_json(_document(plans, budget))
    else:
        _print(plans, wanted, bought, left_out)


def _plans(
    wanted: flag.Request,
    method: str | None,
    options: dict[str, Any],
) -> tuple[list[Plan], dict[str, str]]:
    """The plan of one method, or of every method that has one, and why the others have none."""
    from feint.planning import compare, plan

    left_out: dict[str, str] = {}

    def refused(name: str, error: InvalidValue) -> None:
        left_out[name] = error.rule

    if method is not None:
        return [plan(wanted.problem, domain=wanted.domain, method=method, **options)], left_out
    plans = compare(wanted.problem, domain=wanted.domain, refused=refused, **options)
    return plans, left_out


def _bought(
    budget: str,
    widths: tuple[str | None, str | None, str | None],
    setting: str,
    dim: str,
    units: tuple[str | None, str | None, str | None],
    rounds: int | None,
    noise: tuple[str | None, str | None],
) -> tuple[str, str]:
    """The delta and level, in the user's units, that the budget buys."""
    from feint.planning import afford
    from feint.problem import Domain

    epsilon, delta, level = widths
    low, high, step = units
    if (low is None) != (high is None):
        raise InvalidValue(
            "--budget", budget, "needs both ends of the range", "give --low and --high"
        )
    try:
        found = afford(
            queries=whole(budget, "--budget", least=1),
            epsilon=epsilon,
            delta=delta,
            level=level,
            setting="deterministic" if setting == "deterministic" else "bayesian",
            dim=dim,
            max_rounds=rounds,
            p=noise[0],
            confidence=noise[1],
            domain=Domain(low or "0", high or "1", step=step),
        )
    except NoPlan as error:
        if error.argument != "queries":
            raise
        raise NoPlan("--budget", error.value, error.rule, error.remedy) from None
    return str(found.delta), str(found.level)


def _document(plans: list[Plan], budget: str | None) -> dict[str, Any]:
    problem = plans[0].problem
    document = {
        "problem": problem.to_dict(),
        "domain": plans[0].domain.to_dict(),
        "plans": [each.to_dict() for each in plans],
        "bounds": [row.to_dict() for row in table(problem)],
    }
    return document if budget is None else {"budget": whole(budget, "--budget", least=1)} | document


def _print(
    plans: list[Plan],
    wanted: flag.Request,
    bought: tuple[str, str] | None,
    left_out: dict[str, str],
) -> None:
    console = show.console()
    console.print(show.problem_line(wanted.problem, wanted.domain))
    if bought is not None:
        console.print(f"The budget buys level {bought[1]} at delta {plain(Fraction(bought[0]))}.")
    console.print(plans_table(plans))
    limits = [row for row in table(wanted.problem) if row.applies]
    if limits:
        words = ", ".join(f"{row.name} {show.number(row.value)}" for row in limits)
        console.print(f"Bounds on the fewest questions: {words}", style="dim")
    for name, why in left_out.items():
        show.say(console, f"Left out: {name}, since {why}.", "dim")
    if wanted.problem.setting == "deterministic":
        console.print(_WORST_CASE, style="yellow")
    if plans[0].losses is not None:
        console.print(_lost(plans[0]), style="dim")


def plans_table(plans: list[Plan]) -> Table:
    """One row a plan."""
    from rich.table import Table
    from rich.text import Text

    worst_case = plans[0].problem.setting == "deterministic"
    grid = Table(box=None, pad_edge=False)
    grid.add_column("method", no_wrap=True)
    grid.add_column("questions", justify="right", overflow="fold")
    grid.add_column("rounds", justify="right", overflow="fold")
    if worst_case:
        grid.add_column("places left", justify="right", overflow="fold")
    grid.add_column("eavesdropper wins", justify="right", overflow="fold")
    grid.add_column("certificate", overflow="fold")
    for index, each in enumerate(plans):
        row = [each.method, str(each.queries), str(each.rounds)]
        row += ["-" if each.places is None else str(each.places)] if worst_case else []
        row += [chance(each.adversary_success), each.certificate or "none"]
        style = "bold" if index == 0 else "" if each.private else "dim"
        grid.add_row(*(Text(cell) for cell in row), style=style)
    return grid


def _lost(plan: Plan) -> str:
    """What a noisy plan may lose, stage by stage; errors in the user's units."""
    what, unit = "Chance of a miss", 1.0
    if plan.problem.confidence is None:
        what, unit = "Expected error", float(plan.domain.width)
    stages = ", ".join(f"{name} {lost * unit:.3g}" for name, lost in (plan.losses or {}).items())
    return f"{what} by stage, at most: {stages}"


def chance(success: Fraction | None) -> str:
    """A probability as people say it."""
    if success is None:
        return "-"
    if success.numerator == 1 and success.denominator < 10_000:
        return "always" if success == 1 else f"1 in {success.denominator}"
    return f"{100 * float(success):.3g} %"


_WORST_CASE = (
    "Worst case only: the places left are possible, not equally likely. An eavesdropper who takes "
    "the number to be uniform wins as often as the table says; where it says -, expect always."
)
