"""The strategies at work: one run of each, drawn as the paper draws them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from feint.interfaces import Strategy
from feint.problem import Problem
from feint.research.reproduce.exhibit import Batch, Drawing
from feint.simulate import play
from feint.strategies import Planted, PlantedShape, Staged, StagedShape


def illustrations() -> list[Drawing]:
    """Bayesian with L=5, K₁=3, K₂=3; deterministic with L=3, and with L=7, K=2."""
    return [staged(), planted_small(), planted_large()]


def staged() -> Drawing:
    """Algorithm 1 with three halvings, five parts and three rounds in each."""
    shape = StagedShape(narrow=(2, 2, 2), parts=5, kept=5, hide=(2, 2, 2))
    delta = Fraction(1, 40)
    problem = Problem(delta / 8, delta, 5)
    search = Staged(problem, shape.size, shape)
    target = 149  # in the fourth part of the fourth eighth
    runs = _asked(search, target)
    size = search.size
    batches = [
        Batch(f"q{number + 1}", points, low, high)
        for number, (points, (low, high)) in enumerate(
            zip(runs[:3], _halves(runs[:3]), strict=True)
        )
    ]
    low, high = _halves(runs[:3])[-1]
    middle = runs[2][0]
    block = (low, middle) if target / size < middle else (middle, high)
    batches.append(Batch("q4 to q7", runs[3], *block))
    for turn, points in enumerate(runs[4:]):
        batches.append(Batch(f"q{8 + 5 * turn} to q{12 + 5 * turn}", points, *block))
    part, piece = (block[1] - block[0]) / 5, 1 / size
    offset = (target / size - block[0]) % part
    places = tuple(
        (block[0] + k * part + offset, block[0] + k * part + offset + piece) for k in range(5)
    )
    return Drawing(
        name="strategy-bayesian",
        title="The Bayesian strategy",
        parameters="L = 5, K₁ = 3 halvings, K₂ = 3 rounds in every part",
        caption="Three halvings, the four cuts of five parts, then three rounds that ask the same "
        "relative point in all five. Whoever sees the questions sees five places alike.",
        target=(target + 0.5) / size,
        batches=tuple(batches),
        possible=places,
        possible_label="places left to\nthe eavesdropper",
        zoom=3,
    )


def planted_small() -> Drawing:
    """Algorithm 2: three guesses along a bisection, the second of them right."""
    problem = Problem("1/64", "1/8", 3, setting="deterministic")
    search = Planted(problem, 64, PlantedShape(bisected=3, steps=(2, 2, 2)))
    return _planted(
        search,
        16,
        "strategy-deterministic-3",
        "The deterministic strategy, δ ≤ 2⁻ᴸ",
        "L = 3, ε = 1/64, δ = 1/8",
        "A guess asks two neighbouring boundaries; three guesses lie along a bisection. The second "
        "is right, so every later move is acted out on coins. Any of the three may hold it.",
    )


def planted_large() -> Drawing:
    """Algorithm 3: a guess at 0, two along a bisection, four on a grid."""
    problem = Problem("1/160", "1/20", 7, setting="deterministic")
    search = Planted(problem, 160, PlantedShape(left=True, bisected=2, parts=5, steps=(2, 2, 2)))
    return _planted(
        search,
        67,
        "strategy-deterministic-7",
        "The deterministic strategy, δ > 2⁻ᴸ",
        "L = 7, K = 2 guesses along a bisection, ε = 1/160, δ = 1/20",
        "A guess at 0, two along a bisection, and one at each of the four cuts of five parts; then "
        "one part is bisected. Any of the seven guesses may hold the number, or none.",
    )


def _planted(
    search: Planted, target: int, name: str, title: str, parameters: str, caption: str
) -> Drawing:
    runs, size = _asked(search, target), search.size
    batches = []
    count = 0
    for points in runs:
        last = count + len(points)
        label = f"q{last}" if len(points) == 1 else f"q{count + 1} to q{last}"
        batches.append(Batch(label, points, 0.0, 1.0))
        count = last
    places = [(0.0, 1 / size)] if search.shape.left else []
    for number, points in enumerate(runs):
        if search.rounds[number].phase in ("guess", "grid"):
            ends = points[1:] if number == 0 and search.shape.left else points
            places += list(zip(ends[::2], ends[1::2], strict=True))
    return Drawing(
        name=name,
        title=title,
        parameters=parameters,
        caption=caption,
        target=(target + 0.5) / size,
        batches=tuple(batches),
        possible=tuple(sorted(places)),
        possible_label="guesses: each may\nhold the number",
    )


def _asked(search: Strategy, target: int) -> list[tuple[float, ...]]:
    """The queries of one run, round by round, on the unit interval."""
    played = play(search, np.array([[target]]), np.random.default_rng(2))
    points = (played.transcript.points[0] / search.cells[0]).tolist()
    rounds = played.transcript.rounds
    return [
        tuple(point for point, index in zip(points, rounds, strict=True) if index == number)
        for number in range(len(search.rounds))
    ]


def _halves(runs: list[tuple[float, ...]]) -> list[tuple[float, float]]:
    """The interval each halving is about, read off the next one's place."""
    found, low, high = [], 0.0, 1.0
    for number, (point,) in enumerate(runs):
        found.append((low, high))
        if number + 1 < len(runs):
            low, high = (low, point) if runs[number + 1][0] < point else (point, high)
    return found
