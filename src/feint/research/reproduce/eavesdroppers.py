"""Privacy against L: how often each eavesdropper wins, sampled, beside the best there can be."""

from __future__ import annotations

from feint.interfaces import Executor
from feint.planning import plan
from feint.problem import Problem
from feint.research.reproduce.exhibit import Chart, Curve
from feint.simulate import Success, simulate, spawned
from feint.simulate.adversaries import standard

_LEVELS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def both(runs: int, seed: int, executor: Executor) -> list[Chart]:
    """`privacy` of feint's default method, and of the paper's."""
    return [privacy(method, runs, seed, executor) for method in ("tight", "paper")]


def privacy(method: str, runs: int, seed: int, executor: Executor) -> Chart:
    """How often every named eavesdropper wins against one method, L from 2 to 64.

    Args:
        method: The method.
        runs: The number of runs behind each point.
        seed: Where all randomness comes from; each point has its own.
        executor: Who runs the simulations.

    Returns:
        The chart, with the exact best success and the promise.
    """
    found: dict[str, list[Success]] = {}
    best = []
    name = f"privacy-{method}"
    for level in _LEVELS:
        problem = Problem("2^-16", "2^-8", level)
        planned = plan(problem, method=method)
        outcome = simulate(
            planned.strategy,
            runs=runs,
            adversaries=standard(problem, planned.cells),
            seed=spawned(seed, name, level),
            executor=executor,
        ).finished()
        success = planned.adversary_success
        best.append(None if success is None else float(success))
        for each in outcome.adversaries:
            found.setdefault(each.name, []).append(each)
    curves = [
        Curve.sampled(f"eavesdropper {who}", [(each.success, each.interval) for each in rates], who)
        for who, rates in found.items()
    ]
    promise = Curve("1/L, the promise", tuple(1 / level for level in _LEVELS), "promise")
    limit = Curve("best eavesdropper, exact", tuple(best), "best eavesdropper")
    return Chart(
        name=name,
        title=f"Privacy against L, method {method}",
        parameters=f"ε = 2⁻¹⁶, δ = 2⁻⁸, {runs:,} runs for each marker, bars: 99 % intervals",
        caption="How often each eavesdropper comes within δ/2, and the best that any eavesdropper "
        "can do, exactly.",
        x_label="L",
        y_label="probability that the eavesdropper wins",
        x=tuple(map(float, _LEVELS)),
        curves=(limit, promise, *curves),
        log_x=2,
        log_y=10,
    )
