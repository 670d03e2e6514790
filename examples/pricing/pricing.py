"""Find the best release price while a competitor sees every test price.

A population of consumers, each with a highest price they would pay. X* is the highest price that at
least half would pay. Every test asks a fresh sample, and the answer is the sample's majority, which
is wrong now and then. The competitor takes part in the tests: she sees prices, never sales.

Both sides know what the shop believes before: the price is hardly below 15, probably 55, hardly
above 110. The plan is made for that, and so is her best guess.

Run it: python examples/pricing/pricing.py  (writes pricing.png, or the file you name)
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ndtr

from feint import Domain, Plan, plan
from feint.audit import NoisyBelief, noisy_belief
from feint.errors import FeintError
from feint.exact import whole
from feint.problem import Transcript
from feint.research.plot import check, look
from feint.simulate import fall
from feint.simulate.oracles import Majority, voters_for

DOMAIN = Domain(10, 110, label="price")
EPSILON, DELTA, LEVEL, P, CONFIDENCE = "2", "8", 5, "0.9", "0.95"
PRIOR = "points(15, 55, 110)"


@dataclass(frozen=True)
class Population:
    """Consumers whose highest price is log-normal.

    Attributes:
        median: The price that exactly half would pay: X*.
        spread: Standard deviation of the logarithm.
    """

    median: float
    spread: float

    def share(self, price: float) -> float:
        """The share that would pay this price."""
        return float(ndtr(-np.log(price / self.median) / self.spread))


def main(picture: Path, seed: int = 7) -> None:
    """Search once, print what was found, and draw it."""
    random = np.random.default_rng(seed)
    problem = DOMAIN.problem(
        epsilon=EPSILON, delta=DELTA, level=LEVEL, p=P, confidence=CONFIDENCE, prior=PRIOR
    )
    (cell,), (rest,) = problem.law().draw(1000, 1, random)
    market = Population(median=10 + (float(cell) + float(rest)) / 10, spread=0.2)
    chosen = plan(problem, domain=DOMAIN)
    # A quarter of epsilon from the dearest X* the sample must be right with probability p. Nearer
    # to X* its answers are worse than promised, and a test price may lie so near: then the promise
    # is weaker, but hardly, since those prices are nearly right themselves.
    dearest = Population(float(DOMAIN.high), market.spread)
    margin = 0.5 - dearest.share(dearest.median + float(EPSILON) / 4)
    voters = voters_for(P, margin)
    ask = Majority(lambda price, k: int(random.binomial(k, market.share(price))), voters)
    transcript, estimate = search(chosen, ask, random)
    at = prices(chosen)
    price = float(np.interp(estimate, np.arange(len(at)), at))
    belief = noisy_belief(chosen, transcript)
    guess = float(belief.window.low + belief.window.high) / 2
    sure = float(belief.window.probability)
    # The plan's promise. A credible interval would be shorter, and wrong too often: by it answers
    # are right with probability p however near a price is to X*.
    promise = f"within {float(EPSILON) / 2:g} of the true one with probability {CONFIDENCE}"
    tests = f"{chosen.queries} prices in {chosen.rounds} weeks, {voters} consumers each"
    limit = f"on average at most {1 / LEVEL:.3f}"
    print(f"price found   {price:.2f}, {promise}")
    print(f"true price    {market.median:.2f}")
    print(f"tests         {tests}")
    print(f"competitor    best guess {guess:.2f}, right with probability {sure:.3f}; {limit}")
    draw(picture, chosen, transcript, (market.median, price, guess), belief)
    print(f"picture       {picture}")


def prices(chosen: Plan) -> Any:
    """Where every boundary of the plan's lattice lies: at quantiles of what is believed."""
    scale = cast(Any, chosen.scales)[0]
    return np.array([float(scale.at(k)) for k in range(chosen.cells[0] + 1)])


def search(chosen: Plan, ask: Majority, random: np.random.Generator) -> tuple[Transcript, float]:
    """One live search: what was overheard, and the estimate in cells."""
    strategy = chosen.strategy
    state, points, rounds = strategy.start(1), list[int](), list[int]()
    for number, each in enumerate(strategy.rounds):
        while (weights := strategy.coin(state)) is not None:
            state = strategy.toss(state, fall(weights, random))
        asked = strategy.ask(state)
        # X* is at or above a price when at least half would pay it.
        tried = prices(chosen)[asked[0]]
        state = strategy.tell(state, np.array([[ask(float(price)) for price in tried]]))
        points += asked[0].tolist()
        rounds += [number] * len(each.coordinates)
    heard = Transcript(np.array([points]), (0,) * len(points), tuple(rounds), chosen.cells)
    return heard, float(strategy.estimate(state).point[0, 0])


def draw(
    picture: Path,
    chosen: Plan,
    heard: Transcript,
    places: tuple[float, float, float],
    belief: NoisyBelief,
) -> None:
    """What the competitor sees above, what she can make of it below."""
    true, price, guess = places
    weeks = [number + 1 for number in heard.rounds]
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(9, 7), sharex=True, height_ratios=(3, 2), layout="constrained"
    )
    above.scatter(prices(chosen)[heard.points[0]], weeks, s=9, color="0.35")
    above.invert_yaxis()
    above.set_ylabel("week")
    asked = f"epsilon = {EPSILON}, delta = {DELTA}, level = {LEVEL}, p = {P}"
    above.set_title(
        f"All she sees: {chosen.queries} test prices in {chosen.rounds} weeks ({asked})", loc="left"
    )
    law = chosen.problem.law()
    edges = float(DOMAIN.low) + 100 * np.arange(law.bins + 1) / law.bins
    before = np.array(law.weights) / law.total * law.bins / 100
    below.stairs(before, edges, fill=True, color="0.85", label="believed before")
    below.stairs(belief.density, belief.ends, fill=True, color=look("possible").colour, alpha=0.5)
    half, colour = float(DELTA) / 2, look("best eavesdropper").colour
    below.axvspan(guess - half, guess + half, color=colour, alpha=0.15)
    below.set_ylabel("her belief, per unit")
    below.set_xlabel("price")
    below.set_xlim(float(DOMAIN.low), float(DOMAIN.high))
    below.set_xticks(np.linspace(float(DOMAIN.low), float(DOMAIN.high), 5))
    below.set_title("The best she can make of it; her best guess is the shaded window", loc="left")
    for axes in (above, below):
        axes.axvline(true, label=f"true price {true:.2f}", **look("the number").style())
        axes.axvline(price, color="tab:green", linewidth=1.2, label=f"found {price:.2f}")
    figure.legend(*above.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.savefig(picture, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("picture", nargs="?", type=Path, default=Path("pricing.png"))
    words.add_argument("--seed", default="7", help="another market, other samples")
    given = words.parse_args()
    try:
        check(given.picture)
        number = whole(given.seed, "seed", least=0)
    except FeintError as error:
        words.error(str(error))
    main(given.picture, number)
