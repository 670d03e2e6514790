"""Define `feint simulate`, which runs a plan many times and counts wins of eavesdroppers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feint.cli import show
from feint.cli.flags.plan import PlanFlags, WorkFlags
from feint.cli.flags.problem import ProblemFlags
from feint.cli.flags.wording import listed
from feint.cli.progress import bar, stopped
from feint.exact import chance
from feint.problem import mean_words

if TYPE_CHECKING:
    from feint.planning import Plan
    from feint.problem import Domain
    from feint.simulate import Simulation


def simulate(
    *,
    problem: ProblemFlags,
    method: str = "tight",
    planning: PlanFlags,
    runs: str = "100000",
    adversary: list[str] | None = None,
    failure: str = "0.01",
    seed: int = 0,
    work: WorkFlags,
    memory: int | None = None,
    plot: str | None = None,
    json: bool = False,
) -> None:
    """Run a plan many times and see how often eavesdroppers win."""
    from feint.simulate import simulate as run
    from feint.simulate.adversaries import check_listeners

    picture = show.drawing(plot)
    wanted, names = problem.request(margin=planning.margin), listed(adversary)
    check_listeners(names)
    found = planning.planned(wanted, method, work)
    unit = float(wanted.domain.width)
    with work.executor() as executor, bar("runs") as progress:
        outcome = run(
            found,
            runs=runs,
            adversaries=names,
            failure=failure,
            seed=seed,
            executor=executor,
            memory=None if memory is None else memory << 20,
            progress=progress,
        )
    if json:
        head = wanted.to_dict() | {"method": found.method, "seed": seed}
        show.as_json(head | outcome.to_dict(unit=unit))
    else:
        _print(found, wanted.domain, outcome)
    picture(outcome)
    if outcome.runs < outcome.wanted:
        stopped(outcome.runs, outcome.wanted, "runs")


def _print(found: Plan, domain: Domain, outcome: Simulation) -> None:
    console = show.console()
    show.say(console, show.problem_line(found.problem, domain))
    for line in show.between_decimals(found):
        show.say(console, line)
    stopped = "" if outcome.runs == outcome.wanted else f" of {outcome.wanted:,}, then stopped"
    runs = "1 run" if outcome.runs == 1 else f"{outcome.runs:,} runs"
    # A plan's exact means are surer than those of runs, but its simulated ones are not.
    is_exact = found.cost is not None and found.cost.source == "exact"
    length = found.length if is_exact else outcome.length
    show.say(console, f"Method {found.method}: {length}; {runs}{stopped}")
    if not is_exact and outcome.rounds_mean < outcome.rounds:
        show.say(console, f"These runs took {mean_words(outcome.rounds_mean)} rounds on average.")
    for line in outcome.words(unit=float(domain.width)):
        show.say(console, line)
    if outcome.adversaries:
        show.say(console, _limit(found, outcome))


def _limit(found: Plan, outcome: Simulation) -> str:
    """Return the limit on eavesdroppers, and whether the plan keeps it."""
    best = chance(found.adversary_success)
    if outcome.limit is None:
        return "There is no limit on averages: in this setting the promise is about the worst case."
    asked = f"The limit is what was asked for, {chance(outcome.limit)}"
    if not found.private:
        return f"{asked}; method {found.method} does not keep it."
    return f"{asked}. The best possible eavesdropper wins {best} ({found.certificate})."
