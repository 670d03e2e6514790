"""Define an eavesdropper who learns from other searches where X* lies, by gradient boosting.

She hears questions and lengths. Two things she knows: how the family works, and many searches with
their numbers. She learns in which of the kept parts X* is, and names the place in it that hiding
asked about last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.simulate import play
from feint.strategies import SequentialNoisy

Int = NDArray[np.int64]
_CHUNK = 5_000  # transcripts at hand: those of a large plan have thousands of columns
_LAST, _FIRST = 12, 4  # how many of the last, and of the first, rounds of a stage she looks at


class Lesson(NamedTuple):
    """The data that she has about some searches.

    Attributes:
        features: [runs, features] what she learns from.
        part: [runs] the place, in the window, of the part that X* lies in; −1 outside of it.
        guesses: [runs, kept] her guess if X* lies in that part, in cells.
        targets: [runs] X*, in cells.
    """

    features: NDArray[np.float64]
    part: Int
    guesses: NDArray[np.float64]
    targets: NDArray[np.float64]


def lessons(strategy: SequentialNoisy, runs: int, random: np.random.Generator) -> Lesson:
    """Return what she has of so many searches for uniform numbers."""
    chunks = [_heard(strategy, len(each), random) for each in _chunks(runs)]
    return Lesson(*(np.concatenate(each) for each in zip(*chunks, strict=True)))


def success(strategy: SequentialNoisy, runs: int, seed: int) -> tuple[int, int]:
    """Return how often she wins, and of how many: she learns on half of the runs.

    She names the likeliest part of those that are kept.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    random = np.random.default_rng(seed)
    taught, measured = (lessons(strategy, runs // 2, random) for _ in range(2))
    model = HistGradientBoostingClassifier(max_iter=60, random_state=seed)
    model.fit(taught.features, taught.part)
    likely = model.predict_proba(measured.features)[:, model.classes_ >= 0]
    place = model.classes_[model.classes_ >= 0][likely.argmax(axis=1)]
    guess = measured.guesses[np.arange(len(place)), place]
    reach = float(strategy.problem.delta * strategy.size) / 2
    return int((np.abs(guess - measured.targets) <= reach).sum()), len(place)


def _chunks(runs: int) -> Iterator[range]:
    for begin in range(0, runs, _CHUNK):
        yield range(begin, min(begin + _CHUNK, runs))


def _heard(strategy: SequentialNoisy, runs: int, random: np.random.Generator) -> Lesson:
    """Play some searches and read off what she hears of each."""
    shape, size = strategy.shape, strategy.size
    cells = random.integers(size, size=(runs, 1))
    heard = play(strategy, cells, random).transcript
    targets = cells[:, 0] + random.random(runs)
    rounds = np.array(heard.rounds)
    found = []
    for points, target in zip(heard.points, targets, strict=True):
        asked = np.flatnonzero(points != UNASKED)
        ends = np.flatnonzero(np.diff(rounds[asked])) + 1
        found.append(_read(shape.parts, shape.kept, np.split(points[asked], ends), target, size))
    features, parts, guesses = zip(*found, strict=True)
    return Lesson(np.array(features), np.array(parts), np.array(guesses), targets)


def _read(
    parts: int, kept: int, asked: list[Int], target: float, size: int
) -> tuple[list[float], int, NDArray[np.float64]]:
    """Return the features of one search, X*'s place in the window, and a guess for each place."""
    at = next(i for i, points in enumerate(asked) if len(points) > 1)  # one question narrows
    narrowed, inner, hidden = asked[:at], np.unique(asked[at]), asked[at + 1 :]
    width = (inner[-1] - inner[0]) / (len(inner) - 1) if len(inner) > 1 else 0.0
    begin, end = (inner[0] - width, inner[-1] + width) if width else (0.0, float(size))
    edges = np.array([begin, *inner, end])
    if hidden:
        window = np.searchsorted(edges, hidden[0][:kept], side="right") - 1
        window = window.clip(0, parts - 1)
    else:
        window = np.arange(kept)
    starts = edges[window]
    places = np.array([points[0] - starts[0] for points in hidden], float)
    length = float(np.diff(edges).max())
    inside = np.flatnonzero((edges[window] <= target) & (target < edges[window + 1]))
    last = places[-1] if len(places) else length / 2
    features = [
        float(len(asked)),
        float(len(narrowed)),
        float(len(hidden)),
        float(begin) / size,
        float(window[0]),
        float(window[-1]),
        *_ends([float(points[0] - begin) / size for points in narrowed]),
        *_ends((places / length).tolist()),
        float(places.mean()) if len(places) else 0.0,
        float(places.std()) if len(places) else 0.0,
    ]
    return features, int(inside[0]) if len(inside) else -1, starts + last


def _ends(values: list[float]) -> list[float]:
    """Return the first and the last of some values; nan where there are fewer."""
    none = [float("nan")]
    return [*(values + none * _FIRST)[:_FIRST], *(none * _LAST + values)[-_LAST:]]
