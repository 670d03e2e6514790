"""Measure the price of privacy of federated medians in messages and rounds; one large run."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from benchmarks.measure import Figure

from feint.audit import audit
from feint.bounds import noisy_private_lower, noisy_search_lower
from feint.integrations.flower import (
    Clients,
    InProcess,
    Learned,
    clipping_plan,
    private_quantile,
    vote_p,
)
from feint.journal import Memory, begin
from feint.search import prepared

CLIENTS, SAMPLE, MARGIN, RUNS = 1001, 9, "0.2", 20
WANTED: dict[str, Any] = {"low": 0, "high": 256, "epsilon": 1, "delta": 16, "level": 8}
CONFIDENCE = "0.95"
SIMULATION = """
import json, statistics, sys
from random import Random
from flwr.serverapp import ServerApp
from flwr.simulation import run_simulation
from feint.integrations.flower import client_app, private_quantile
count, random = int(sys.argv[1]), Random(5)
values = [random.lognormvariate(4.5, 0.3) for _ in range(count)]
server, found = ServerApp(), []

@server.main()
def main(grid, context):
    wanted = dict(low=0, high=256, epsilon=1, delta=16, level=8)
    found.append(private_quantile(grid, count=count, timeout=600, **wanted))

run_simulation(
    server,
    client_app(lambda context: values[int(context.node_config["partition-id"])]),
    num_supernodes=count,
    backend_config={"client_resources": {"num_cpus": 0.5, "num_gpus": 0.0}},
)
off = abs(float(found[0].result.estimate) - statistics.median(values))
print("FOUND", json.dumps([off, found[0].messages, found[0].result.rounds]))
"""


def _median(seed: int, method: str, certificate: str = "theorem") -> tuple[Learned, bool]:
    """Run one search on sampled clients, of which three in five hold the median."""
    random = Random(seed)
    true = random.uniform(20, 230)
    values = [true] * CLIENTS
    for node in range(200):
        values[node], values[-1 - node] = true - 20 * random.random(), true + 20 * random.random()
    grid = InProcess.holding(values)
    found = private_quantile(
        grid,
        sample=SAMPLE,
        margin=MARGIN,
        confidence=CONFIDENCE,
        method=method,
        certificate=certificate,
        random=random,
        **WANTED,
    )
    return found, abs(float(found.result.estimate) - true) > 0.5


def theory() -> tuple[float, float]:
    """Return the price of privacy by Theorem 5: its upper bound and its lower bound.

    Above: its upper bound to that bound's first term, which is search without privacy,
    (log 1/ε + L log 12Mδ/ε) / log 1/ε. Below: the two lower bounds of its proof.
    """
    wanted = WANTED | {"p": vote_p(SAMPLE, margin=MARGIN), "confidence": CONFIDENCE}
    problem = prepared(**wanted)[0].problem
    coarse, sure = math.log2(1 / problem.epsilon), 1 - Fraction(CONFIDENCE)
    fine = math.log2(12 * problem.delta / problem.epsilon / sure)
    least = float(noisy_private_lower(problem) / noisy_search_lower(problem))
    return (coarse + problem.level * fine) / coarse, least


def federated() -> list[Figure]:
    """Compare messages and rounds of the private median with noisy bisection on the same data."""
    most, least = theory()
    theirs = _runs("bisection")
    figures = []
    for certificate in ("theorem", "calibrated"):
        ours = _runs("tight", certificate)
        name = f"private median ({certificate}) / noisy bisection, same clients"
        note = (
            f"{ours.messages:.0f} and {theirs.messages:.0f} messages, {SAMPLE} clients a question,"
            f" confidence {CONFIDENCE}, {ours.missed} and {theirs.missed} of {RUNS} missed;"
            f" theory: {least:.2f} to {most:.2f}"
        )
        told = f"{ours.rounds} and {theirs.rounds} rounds"
        figures += [
            Figure(f"messages: {name}", ours.messages / theirs.messages, most, note),
            Figure(f"rounds: {name}", ours.rounds / theirs.rounds, 1, told),
        ]
    return figures


class _Counted(NamedTuple):
    messages: float
    rounds: int
    missed: int


def _runs(method: str, certificate: str = "theorem") -> _Counted:
    runs = [_median(seed, method, certificate) for seed in range(RUNS)]
    messages = statistics.mean(found.messages for found, _ in runs)
    return _Counted(messages, runs[0][0].result.rounds, sum(missed for _, missed in runs))


def clipping() -> Figure:
    """Follow a norm that moves over 40 rounds of training: mean distance from the true median.

    Feint finds it in every fifth round; the geometric update (Andrew et al., 2021) begins at 0.1
    and moves by a factor in every round, its bits in the replies that are sent anyway.
    """
    count, rounds, every = 101, 40, 5
    searches = rounds // every
    wanted: dict[str, Any] = {"high": 10, "epsilon": "0.1", "delta": 1, "level": 4}
    plan = clipping_plan(searches=searches, motion="steps(0.2)", **wanted)
    random, theirs, ours, messages = Random(3), 0.1, 0.0, 0
    own = [random.lognormvariate(1.1, 0.4) for _ in range(count)]
    off, far = list[float](), list[float]()
    for k in range(rounds):
        norms = [each + 0.3 * math.sin(k / 10) for each in own]
        true = statistics.median(norms)
        if k % every == 0:
            clients = Clients(InProcess.holding(norms))
            ours = float(begin(Memory(), "norm", plan).finish(clients).estimate)
            messages += clients.messages
        off.append(abs(ours - true))
        far.append(abs(theirs - true))
        below = sum(each <= theirs for each in norms) / count
        theirs *= math.exp(-0.2 * (below - 0.5))
    success = audit(plan, repeat=searches, motion="steps(0.2)").successes[-1]
    late = [statistics.mean(each[-10:]) for each in (off, far)]
    note = (
        f"off by {statistics.mean(off):.3f} and {statistics.mean(far):.3f} on average, by"
        f" {late[0]:.3f} and {late[1]:.3f} in the last ten; {messages} messages in"
        f" {searches * plan.rounds} rounds, and none of its own; a client who hears all wins with"
        f" {float(success):.3f}, and with 1"
    )
    name = f"error of the clipping norm over {rounds} rounds: feint / geometric update"
    return Figure(name, statistics.mean(off) / statistics.mean(far), 1, note)


def federation() -> Figure:
    """Run a thousand and one clients on Ray, and measure the error relative to epsilon/2."""
    words = [sys.executable, "-c", SIMULATION, str(CLIENTS)]
    run = subprocess.run(words, check=True, capture_output=True, text=True)
    (line,) = (each for each in run.stdout.splitlines() if each.startswith("FOUND"))
    off, messages, rounds = json.loads(line.removeprefix("FOUND"))
    note = f"{messages} messages in {rounds} rounds"
    return Figure(
        f"error of the median of {CLIENTS} clients on Ray / (epsilon/2)", off * 2, 1, note
    )
