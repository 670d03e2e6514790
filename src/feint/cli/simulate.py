"""`feint simulate`: run a plan many times and let eavesdroppers guess."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from feint.cli import show
from feint.cli.flags.flag import Json, flag
from feint.cli.flags.problem import ProblemFlags
from feint.cli.flags.runs import Seed, adversaries, adversary
from feint.cli.flags.work import Memory, WorkFlags, megabytes
from feint.cli.progress import bar, stopped
from feint.exact import whole

if TYPE_CHECKING:
    from rich.table import Table

    from feint.planning import Plan
    from feint.problem import Domain
    from feint.simulate import Simulation

MethodName = Annotated[
    str, flag("The method to run. Default: tight.", "NAME", "The plan", "--method")
]
Runs = Annotated[str, flag("How many searches to run. Default: 100000.", "COUNT", "Runs")]
Adversaries = Annotated[list[str] | None, adversary("all")]


def simulate(
    *,
    problem: ProblemFlags,
    method: MethodName = "tight",
    runs: Runs = "100000",
    adversary: Adversaries = None,
    seed: Seed = "0",
    work: WorkFlags,
    memory: Memory = None,
    json: Json = False,
) -> None:
    """Run a plan many times and see how often eavesdroppers win."""
    from feint.adversaries import NAMES, check_names, named
    from feint.planning import plan
    from feint.simulate import simulate as run

    wanted, given = problem.request(), adversaries(adversary)
    names = NAMES if given is None else given
    check_names(*names)
    found = plan(wanted.problem, domain=wanted.units, method=method)
    start, unit = whole(seed, "--seed", least=0), float(wanted.domain.width)
    with work.executor() as executor, bar("runs") as progress:
        outcome = run(
            found.strategy,
            runs=runs,
            problem=found.problem,
            scales=found.scales,
            adversaries=[named(name, found.problem, found.cells) for name in names],
            seed=start,
            executor=executor,
            memory=megabytes(memory),
            progress=progress,
        )
    if json:
        head = wanted.to_dict() | {"method": found.method, "seed": start}
        show.as_json(head | outcome.to_dict(unit=unit))
    else:
        _print(found, wanted.domain, outcome)
    if outcome.runs < outcome.wanted:
        stopped(outcome.runs, outcome.wanted, "runs")


def _print(found: Plan, domain: Domain, outcome: Simulation) -> None:
    console = show.console()
    console.print(show.problem_line(found.problem, domain))
    stopped = "" if outcome.runs == outcome.wanted else f" of {outcome.wanted:,}, then stopped"
    console.print(
        f"Method {found.method}: {show.count(found.queries, 'question')} in "
        f"{show.count(found.rounds, 'round')}; {_runs(outcome)}{stopped}"
    )
    if outcome.adversaries:
        console.print(_table(outcome))
    for line in _lines(outcome, float(domain.width)):
        show.say(console, line)


def _runs(outcome: Simulation) -> str:
    return "1 run" if outcome.runs == 1 else f"{outcome.runs:,} runs"


def _table(outcome: Simulation) -> Table:
    """What each adversary won with, a row for each of them."""
    from rich.table import Table

    grid = Table(box=None, pad_edge=False)
    grid.add_column("eavesdropper", no_wrap=True)
    grid.add_column("wins", justify="right")
    grid.add_column(f"{100 * (1 - outcome.failure):g} % interval")
    for each in outcome.adversaries:
        low, high = each.interval
        grid.add_row(each.name, f"{each.success:.5f}", f"{low:.5f} to {high:.5f}")
    return grid


def _lines(outcome: Simulation, unit: float) -> list[str]:
    """How the learner fared, a sentence for each figure; `unit` is what the unit interval is."""
    sure = f"{100 * (1 - outcome.failure):g} % interval"
    unseen = "; rare large errors may be unseen" if outcome.strategy.problem.noisy else ""

    def between(limits: tuple[float, float], digits: str, scale: float = 1) -> str:
        low, high = (format(each * scale, digits) for each in limits)
        return f"{sure} {low} to {high}"

    missed = f"Missed by more than epsilon/2: {outcome.tally.misses:,} of {_runs(outcome)}"
    error = f"Mean error: {outcome.mean_error * unit:.4g}"
    near = f"Questions within delta/2 of the number: {outcome.near:.4f} of {outcome.queries}"
    return [
        f"{missed} ({between(outcome.miss_interval, '.2g')})",
        f"{error} (approximate {between(outcome.mean_error_interval, '.4g', unit)}{unseen})",
        f"{near} ({between(outcome.near_interval, '.4f')})",
    ]
