"""Draw what an observer of public CI sees: plain bisection, and feint's.

python examples/bisect/commits.py bisect.png
"""

import sys

import matplotlib.pyplot as plt

from feint import Search
from feint.integrations.git import Bisection, planned
from feint.research.plot import INK, look

COMMITS, FIRST_BAD = 200, 87


def seen(level: int, delta: int) -> list[tuple[int, int]]:
    """Return the round and the number of every commit that is checked."""
    effort = planned(COMMITS, level=level, delta=delta, spare=0)
    if effort.plan is None:
        raise SystemExit("there is one candidate alone")
    bisection, checked = Bisection(Search(effort.plan, seed=3)), list[tuple[int, int]]()
    while tests := bisection.open():
        checked += [(bisection.search.round + 1, each.commit) for each in tests]
        for each in tests:
            bisection.tell(each, "good" if each.commit < FIRST_BAD else "bad")
    return checked


def main(path: str) -> None:
    """Draw both, one below the other."""
    plain, ours = seen(1, 1), seen(8, 10)
    figure, axes = plt.subplots(2, 1, figsize=(7.2, 4.2), sharex=True, layout="constrained")
    titles = (
        f"git bisect: {len(plain)} commits are checked",
        f"feint bisect --level 8 --delta 10: {len(ours)} commits are checked",
    )
    for axis, checked, title in zip(axes, (plain, ours), titles, strict=True):
        last = max(number for number, _ in checked)
        axis.plot([each for _, each in checked], [n for n, _ in checked], "o", ms=4, color=INK)
        axis.axvline(FIRST_BAD, **look("the number").style())
        axis.set_yticks(range(1, last + 1))
        axis.set_ylim(last + 0.6, 0.4)
        axis.set_title(title, loc="left", fontsize=10)
        axis.set_ylabel("round")
        axis.spines[["top", "right"]].set_visible(False)
    axes[1].set_xlim(0, COMMITS)
    axes[1].set_xlabel("commit; dashed: the first bad one, which the observer cannot tell")
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "bisect.png")
