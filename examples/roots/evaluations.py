"""Draw what the evaluator of a function sees: Brent's method, and feint's.

python examples/roots/evaluations.py roots.png
"""

import math
import sys
from collections.abc import Callable

import matplotlib.pyplot as plt
from scipy import optimize

from feint.integrations.scipy import private_root_scalar
from feint.research.plot import INK, look

LOW, HIGH, ROOT = 0, 3, math.log(4.1)


def demand(price: float) -> float:
    """Return the value of the example function, whose root is the secret."""
    return math.exp(price) - 4.1


def seen(solve: Callable[[Callable[[float], float]], object]) -> list[float]:
    """Return the points at which a method evaluates the function, in order."""
    points: list[float] = []

    def overheard(price: float) -> float:
        points.append(price)
        return demand(price)

    solve(overheard)
    return points


def main(path: str) -> None:
    """Draw both methods' points, one below the other."""
    brent = seen(lambda f: optimize.brentq(f, LOW, HIGH, xtol=1e-3))
    ours = seen(
        lambda f: private_root_scalar(f, (LOW, HIGH), xtol=1e-2, delta=0.15, level=4, seed=1)
    )
    figure, axes = plt.subplots(
        2, 1, figsize=(7.2, 3.6), sharex=True, height_ratios=[1, 3], layout="constrained"
    )
    titles = (
        f"Brent's method, xtol = 0.001: {len(brent)} points",
        f"private_root_scalar, xtol = 0.01, delta = 0.15, level = 4: {len(ours)} points",
    )
    for axis, points, title in zip(axes, (brent, ours), titles, strict=True):
        axis.plot(points, range(1, len(points) + 1), "o", markersize=4, color=INK)
        axis.axvline(ROOT, **look("the number").style())
        axis.set_yticks([1, *range(4, len(points) + 1, 4)])
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_ylabel("point")
        axis.invert_yaxis()
        axis.spines[["top", "right"]].set_visible(False)
    axes[1].set_xlim(LOW, HIGH)
    axes[1].set_xlabel("where the function is evaluated; dashed: the root, which she cannot tell")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "roots.png")
