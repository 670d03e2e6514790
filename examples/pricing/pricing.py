"""Find the best release price while a competitor sees every test price.

Customers buy at a price or do not: each has a highest price, and those differ by a logistic curve.
X* is the price at which half of them buy. Every test price is offered to a few new customers, one
purchase or refusal each, and nobody knows beforehand how steep the curve is: its scale is one of
two. The competitor sees the prices that are offered, never who buys.

A test price is offered in several parts of the range at once, so that she cannot tell where the
shop looks. The search follows the purchases in one part, and stops when it knows the price.

Run it: python examples/pricing/pricing.py  (writes pricing.png, or the file you name)
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from feint import Domain, Plan, plan
from feint.audit import NoisyBelief, noisy_belief
from feint.errors import FeintError
from feint.exact import whole
from feint.problem import Transcript
from feint.research.plot import check, look
from feint.simulate import fall
from feint.simulate.oracles import Customers
from feint.strategies import ResponseNoisy

DOMAIN = Domain(10, 110, label="price")
EPSILON, DELTA, LEVEL, CONFIDENCE = "4", "16", 3, "0.9"
CURVE = "logistic(4|8)"


@dataclass(frozen=True)
class Found:
    """The result of one search.

    Attributes:
        heard: What the competitor sees.
        price: The estimate.
        asked: How many customers were asked, in how many rounds.
        tried: Every price, how many customers saw it, and how many bought.
        density: What the shop believes of the price, one number for each cell.
    """

    heard: Transcript
    price: float
    asked: tuple[int, int]
    tried: dict[float, tuple[int, int]]
    density: Any


def main(picture: Path, seed: int = 7) -> None:
    """Search once, print what was found, and draw it."""
    random = np.random.default_rng(seed)
    true = round(float(random.uniform(float(DOMAIN.low), float(DOMAIN.high))), 2)
    problem = DOMAIN.problem(
        epsilon=EPSILON, delta=DELTA, level=LEVEL, p=CURVE, confidence=CONFIDENCE
    )
    chosen = plan(problem, domain=DOMAIN)
    market = Customers(str(true), CURVE, seed=seed)
    found = search(chosen, market, random)
    belief = noisy_belief(chosen, found.heard)
    guess = float(belief.window.low + belief.window.high) / 2
    sure = float(belief.window.probability)
    promise = f"within {float(EPSILON) / 2:g} of the true one with probability {CONFIDENCE}"
    customers, rounds = found.asked
    mean = float(chosen.queries_mean or chosen.queries)
    print(f"price found   {found.price:.2f}, {promise}")
    print(f"true price    {true:.2f}")
    print(f"asked         {customers} customers in {rounds} rounds; {mean:.0f} on average")
    limit = f"on average at most {float(chosen.adversary_success or 1):.3f}"
    print(f"competitor    best guess {guess:.2f}, right with probability {sure:.3f}; {limit}")
    draw(picture, chosen, found, (true, guess), belief)
    print(f"picture       {picture}")


def prices(chosen: Plan) -> Any:
    """Return the prices that may be offered: the boundaries of the plan's lattice."""
    line = chosen.scales[0] if chosen.scales else DOMAIN.line(chosen.cells[0])
    return [line.at(k) for k in range(chosen.cells[0] + 1)]


def search(chosen: Plan, market: Customers, random: np.random.Generator) -> Found:
    """Run one live search, with every customer's answer."""
    strategy, at = chosen.strategy, prices(chosen)
    if not isinstance(strategy, ResponseNoisy):
        raise TypeError("customers are asked by a search of their own kind")
    state, points, rounds = strategy.start(1), list[int](), list[int]()
    tried, asked = dict[float, tuple[int, int]](), [0, 0]
    for number, each in enumerate(strategy.rounds):
        while (weights := strategy.coin(state)) is not None:
            state = strategy.toss(state, fall(weights, random))
        offered = strategy.ask(state)[0].tolist()
        bought = []
        for point in offered:
            buys = point >= 0 and random.random() < market.share(at[point])
            bought.append(buys)
            if point >= 0:
                many, yes = tried.get(float(at[point]), (0, 0))
                tried[float(at[point])] = many + 1, yes + buys
        asked = [asked[0] + sum(point >= 0 for point in offered), asked[1] + (offered[0] >= 0)]
        state = strategy.tell(state, np.array([bought]))
        points += offered
        rounds += [number] * len(each.coordinates)
    heard = Transcript(np.array([points]), (0,) * len(points), tuple(rounds), chosen.cells)
    share = float(strategy.estimate(state).point[0, 0]) / chosen.cells[0]
    density = strategy.belief(state)[1][0]
    price = float(DOMAIN.low) + share * float(DOMAIN.width)
    return Found(heard, price, (asked[0], asked[1]), tried, density)


def draw(
    picture: Path, chosen: Plan, found: Found, places: tuple[float, float], belief: NoisyBelief
) -> None:
    """Draw the competitor's view, the shop's result, and the competitor's best guess."""
    (true, guess), at = places, np.array([float(each) for each in prices(chosen)])
    figure, (above, middle, below) = plt.subplots(
        3, 1, figsize=(9, 9), sharex=True, height_ratios=(3, 2, 2), layout="constrained"
    )
    points = found.heard.points[0]
    put = points >= 0
    above.scatter(at[points[put]], np.array(found.heard.rounds)[put] + 1, s=9, color="0.35")
    above.invert_yaxis()
    above.set_ylabel("round")
    wanted = f"epsilon = {EPSILON}, delta = {DELTA}, level = {LEVEL}, {CURVE}"
    above.set_title(
        f"All she sees: prices offered to {found.asked[0]} customers ({wanted})", loc="left"
    )
    shown = sorted(found.tried)
    many = np.array([found.tried[each][0] for each in shown])
    bought = np.array([found.tried[each][1] for each in shown]) / many
    middle.scatter(shown, bought, s=4 + many, color="0.35", label="share that bought")
    density = found.density / (found.density.max() or 1)
    middle.stairs(density, at, color=look("possible").colour, fill=True, alpha=0.4)
    middle.set_ylabel("share, and what\nthe shop learned")
    below.stairs(belief.density, belief.ends, fill=True, color=look("possible").colour, alpha=0.5)
    half, colour = float(DELTA) / 2, look("best eavesdropper").colour
    below.axvspan(guess - half, guess + half, color=colour, alpha=0.15)
    below.set_ylabel("her belief, per unit")
    below.set_xlabel("price")
    below.set_xlim(float(DOMAIN.low), float(DOMAIN.high))
    below.set_title("The best she can make of it; her best guess is the shaded window", loc="left")
    middle.set_title("What the shop learned: who bought, and the price it believes in", loc="left")
    for axes in (above, middle, below):
        axes.axvline(true, label=f"true price {true:.2f}", **look("the number").style())
        found_at = f"found {found.price:.2f}"
        axes.axvline(found.price, color="tab:green", linewidth=1.2, label=found_at)
    figure.legend(*above.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    figure.savefig(picture, dpi=120)
    plt.close(figure)


if __name__ == "__main__":
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("picture", nargs="?", type=Path, default=Path("pricing.png"))
    words.add_argument("--seed", default="7", help="another market, other customers")
    given = words.parse_args()
    try:
        check(given.picture)
        number = whole(given.seed, "seed", least=0)
    except FeintError as error:
        words.error(str(error))
    main(given.picture, number)
