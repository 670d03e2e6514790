"""The reduced programme of the optimum against the plain one, same solver, same run."""

from __future__ import annotations

from run import Figure, seconds

from feint.optimal.game import Game
from feint.optimal.programme import Programme


def solving(queries: int, most: float) -> Figure:
    """Eight cells, a window of two: building and solving, reduced over plain, once each."""

    def work(plain: bool) -> object:
        return Programme(Game(8, 1, 2, queries, (1,) * 8, plain=plain)).solve()

    work(False)
    ratio = seconds(lambda: work(False)) / seconds(lambda: work(True))
    return Figure(f"optimum of 8 cells, {queries} queries: reduced / plain", ratio, most)


def main() -> int:
    """Print every figure; 1 when one of them misses its target."""
    figures = [solving(5, 1.0), solving(6, 1.0), solving(7, 0.1)]
    for figure in figures:
        verdict = "" if figure.ratio <= figure.most else ": MISSED"
        print(f"{figure.name}: {figure.ratio:.4f} (at most {figure.most}){verdict}")
    return int(any(figure.ratio > figure.most for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())
