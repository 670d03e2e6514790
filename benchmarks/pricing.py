"""Measure the customers that finding a price needs, and what an eavesdropper learns."""

from __future__ import annotations

import numpy as np
from benchmarks.measure import Figure

from feint import Domain, Plan, plan
from feint.audit import noisy_audit
from feint.interfaces import UNASKED
from feint.simulate import clopper_pearson
from feint.strategies import ResponseNoisy

RUNS, SEED = 500, 2026  # fixed before anything was run
FAILURE = 2e-3  # of an interval: its upper end is a limit of 99.9 %
DOMAIN = Domain(0, 100, label="price")
MODELS = (("logistic(6)", 2600), ("logistic(3|6|12)", 3500))


def pricing() -> list[Figure]:
    """Compare searches for prices from 0 to 100: epsilon 2, delta 10, level 4, confidence 0.9."""
    found = []
    for model, most in MODELS:
        problem = DOMAIN.problem(epsilon=2, delta=10, level=4, confidence="0.9", p=model)
        made = plan(problem, domain=DOMAIN)
        strategy = made.strategy
        if not isinstance(strategy, ResponseNoisy):
            raise TypeError("customers are asked by a search of their own kind")
        asked, right = _asked(strategy)
        wrong = int((~right).sum())
        sure = float(clopper_pearson(RUNS - wrong, RUNS, FAILURE)[1])
        found += [
            Figure(f"customers, {model} / {most}", asked / most, 1, f"{asked:.0f} on average"),
            Figure(f"promised / 99.9 % limit of success, {model}", 0.9 / sure, 1, f"{wrong} off"),
            _heard(made, model),
        ]
    return found


def _asked(strategy: ResponseNoisy) -> tuple[float, np.ndarray]:
    """Return the mean number of customers asked, and which prices were within ±1."""
    random, state = np.random.default_rng(SEED), strategy.start(RUNS)
    price = 100 * random.random(RUNS)  # anywhere: the lattice does not know it
    scales = [100 * float(each) for each in strategy.responses.scales]
    scale = random.choice(scales, RUNS, p=[float(each) for each in strategy.responses.weights])
    asked = 0
    for _ in strategy.rounds:
        weights = strategy.coin(state)
        if weights is not None:
            state = strategy.toss(state, random.integers(weights.shape[1], size=RUNS))
        points = strategy.ask(state)
        put = points != UNASKED
        if not put.any():
            break
        far = (price[:, None] - points * 100 / strategy.size) / scale[:, None]
        state = strategy.tell(state, put & (random.random(put.shape) < 1 / (1 + np.exp(-far))))
        asked += int(put.sum())
    off = np.abs(strategy.estimate(state).point[:, 0] * 100 / strategy.size - price)
    return asked / RUNS, off <= 1


def _heard(made: Plan, model: str) -> Figure:
    """Return how often the best eavesdropper wins, by her posterior after 500 transcripts."""
    heard = noisy_audit(made.strategy, runs=RUNS, seed=SEED)
    claim = float(made.adversary_success or 1)
    said = f"{heard.success:.4f} of {claim:.4f}; helped in {heard.helped}"
    return Figure(f"best eavesdropper / claim, {model}", heard.success / claim, 1, said)
