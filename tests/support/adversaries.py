"""Define adversaries for tests; they cross a process boundary, so they need a module."""

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript


@dataclass(frozen=True)
class Blind:
    """A uniform guess: it wins with probability about δ."""

    name: str = "blind"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        shape = (len(transcript.points), len(transcript.cells))
        return np.multiply(random.random(shape), transcript.cells)


@dataclass(frozen=True)
class Middle:
    """An adversary that names the middle of everything, for any transcript."""

    name: str = "middle"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        return np.tile(np.array(transcript.cells) / 2, (len(transcript.points), 1))


@dataclass(frozen=True)
class Last:
    """The last query of each coordinate."""

    name: str = "last"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        axes = np.array(transcript.coordinates)
        last = [np.flatnonzero(axes == axis)[-1] for axis in range(len(transcript.cells))]
        return transcript.points[:, last].astype(float)


@dataclass(frozen=True)
class Slow:
    """A uniform guess after a while, which leaves time to die."""

    seconds: float
    name: str = "slow"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        time.sleep(self.seconds)
        return Blind().guess(transcript, random)
