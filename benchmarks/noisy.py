"""Measure how fast noisy searches are simulated.

BZ search two ways, run for run: beliefs as pieces, and dense NumPy beliefs. Then searches that stop
when they are sure beside those of fixed length, question for question.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from benchmarks.measure import Figure
from benchmarks.sure import ROWS

from feint import Plan, Problem, plan
from feint.simulate import play, simulate
from feint.strategies import NoisyShape, StagedNoisy

CELLS, ANSWERS, P = 1000, 60, 0.9
RUNS, BATCHES = 4000, 25  # 100 000 in all; dense beliefs are timed on one batch, a minute for all
CHUNK, PAIRS = 1 << 14, 3  # a chunk of runs that may end early, and how often it is timed


def ours() -> None:
    problem = Problem("0.001", "0.08", 2, p="0.9", confidence="0.9")
    strategy = StagedNoisy(problem, CELLS, NoisyShape(hide=ANSWERS))
    random = np.random.default_rng(0)
    for _ in range(BATCHES):
        play(strategy, random.integers(CELLS, size=(RUNS, 1)), random)


def theirs() -> object:
    random = np.random.default_rng(0)
    target, rows, cells = random.integers(CELLS, size=RUNS), np.arange(RUNS), np.arange(CELLS)
    alpha = np.sqrt(P) / (np.sqrt(P) + np.sqrt(1 - P))
    belief = np.full((RUNS, CELLS), 1 / CELLS)
    for _ in range(ANSWERS):
        heap = np.cumsum(belief, axis=1)
        cell = (heap <= 0.5).sum(axis=1).clip(max=CELLS - 1)
        inside, below = belief[rows, cell], heap[rows, cell]
        left = ((2 * below - 1) / (2 * inside)).clip(0, 1)
        point = cell + (random.random(RUNS) >= left)
        answer = (target >= point) ^ (random.random(RUNS) >= P)
        belief *= np.where((cells >= point[:, None]) == answer[:, None], alpha, 1 - alpha)
        belief /= belief.sum(axis=1, keepdims=True)
    return belief.argmax(axis=1)


def query_milliseconds() -> float:
    """Return the median time of the last 60 queries of one live search."""
    problem = Problem("1e-6", "0.08", 2, p="0.9", confidence="0.9")
    strategy = StagedNoisy(problem, 10**6, NoisyShape(hide=120))
    random, state, spent = np.random.default_rng(0), strategy.start(1), []
    for _ in strategy.rounds:
        begun = time.perf_counter()
        weights = strategy.coin(state)
        if weights is not None:
            side = (random.random(1) >= weights[:, 0]).astype(np.int64)
            state = strategy.toss(state, side)
        asked = strategy.ask(state)
        state = strategy.tell(state, (asked <= 314159) ^ (random.random(asked.shape) >= P))
        spent.append(time.perf_counter() - begun)
    return 1000 * float(np.median(spent[60:]))


def sequential_speed() -> list[Figure]:
    """Compare the time per question of searches that stop when sure and of fixed length, in turns.

    First nobody listens, then every adversary that has a name does: she hears lengths too.
    """
    figures = []
    for listening in (False, True):
        for row in ROWS:
            sure, fixed = plan(row.problem), plan(row.problem, method="fixed")
            for each in (sure, fixed):  # to compile the loops
                _nanoseconds(each, listening=listening)
            pairs = [
                (_nanoseconds(sure, listening=listening), _nanoseconds(fixed, listening=listening))
                for _ in range(PAIRS)
            ]
            found = statistics.median(one / other for one, other in pairs)
            ours, theirs = (statistics.median(each) for each in zip(*pairs, strict=True))
            who = "all adversaries listen" if listening else "nobody listens"
            note = f"{ours:.0f} and {theirs:.0f} ns, {CHUNK} runs"
            name = f"time per question {row.name}, {who}, stop when sure / fixed length"
            figures.append(Figure(name, found, 2.0, note))
    return figures


def _nanoseconds(made: Plan, *, listening: bool) -> float:
    """Return the processor time per question, which other work on the machine affects least."""
    begun = time.process_time()
    found = simulate(made, runs=CHUNK, seed=1, adversaries=None if listening else ())
    return 1e9 * (time.process_time() - begun) / float(found.queries_mean * CHUNK)
