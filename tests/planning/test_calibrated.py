"""Calibration: the same counts whoever simulates them, kept on disk and checked when read."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.fixed import plan

from feint import Problem
from feint.errors import TooLarge
from feint.interfaces import Done, Task
from feint.planning.noisy.certificates import calibrated
from feint.planning.noisy.certificates.calibrated import (
    Calibrated,
    cache_folder,
    simulate,
    upper_limits,
)
from feint.simulate import Processes, Serial
from feint.strategies import Pursuit

P = Fraction(9, 10)
SEARCH = Pursuit(P, "tilted")
PROBLEM = Problem("0.05", "0.2", 2, p="0.97", confidence="0.9")


class Backwards(Serial):
    """The last task arrives first."""

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        return reversed(list(super().map(function, tasks)))


def test_whoever_simulates_counts_the_same(two: Processes) -> None:
    serial = simulate(SEARCH, 12, 9, 9000, 3)
    assert serial[0] == pytest.approx(9000 * 11 / 12, rel=0.02)
    assert (simulate(SEARCH, 12, 9, 9000, 3, executor=Backwards()) == serial).all()
    assert (simulate(SEARCH, 12, 9, 9000, 3, executor=two) == serial).all()
    assert (simulate(SEARCH, 12, 9, 9000, 4) != serial).any()


def test_every_chunk_has_its_own_noise() -> None:
    """Chunks with the same seed would count multiples of one chunk's misses."""
    one, two = (simulate(SEARCH, 12, 9, runs, 3) for runs in (4096, 8192))
    assert (two != 2 * one).any()


def test_a_plan_is_the_same_whoever_simulates(cache: Path, two: Processes) -> None:
    serial = plan(PROBLEM, certificate="calibrated")
    for path in cache.iterdir():
        path.unlink()
    assert plan(PROBLEM, certificate="calibrated", executor=two) == serial


@pytest.mark.usefixtures("cache")
def test_progress_tells_how_much_is_done() -> None:
    told: list[tuple[str, int, int]] = []
    known = Calibrated(P, runs=9000, progress=lambda *words: told.append(words))
    known.answers(40, 0.05)
    names = list(dict.fromkeys(what for what, _, _ in told))
    assert names == ["tilted search of 40 cells", "posterior search of 40 cells"]
    for name in names:
        mine = [(done, wanted) for what, done, wanted in told if what == name]
        assert mine == [(4096, 9000), (8192, 9000), (9000, 9000)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda counts: [-1, *counts[1:]],
        lambda counts: [9001, *counts[1:]],
        lambda counts: [0.5, *counts[1:]],
        lambda counts: [True, *counts[1:]],
        lambda counts: ["1", *counts[1:]],
        lambda counts: [10**30, *counts[1:]],
        lambda counts: [counts],
        lambda counts: counts[1:],
        lambda counts: dict.fromkeys(map(str, counts)),
        lambda _: None,
    ],
)
def test_counts_that_cannot_be_are_simulated_again(
    damage: Callable[[list[int]], object], cache: Path
) -> None:
    found = Calibrated(P, runs=9000).answers(40, 0.05)
    for path in cache.iterdir():
        kept = json.loads(path.read_text())
        path.write_text(json.dumps(kept | {"missed": damage(kept["missed"])}))
    told: list[str] = []
    again = Calibrated(P, runs=9000, progress=lambda what, *_: told.append(what))
    assert again.answers(40, 0.05) == found
    assert told


def test_kept_counts_are_whole_files(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is stopped while writing leaves no file that looks like counts."""
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", _stopped)
        Calibrated(P, runs=9000).answers(40, 0.05)
    assert not list(cache.iterdir())
    Calibrated(P, runs=9000).answers(40, 0.05)
    assert {path.suffix for path in cache.iterdir()} == {".json"}


def _stopped(*_: object) -> None:
    raise OSError("stopped")


def homeless(patch: pytest.MonkeyPatch) -> None:
    """Python leaves the ~ where it is for a user without a home."""
    patch.delenv("XDG_CACHE_HOME")
    patch.setattr(os.path, "expanduser", os.fspath)


def without_platformdirs(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(sys.modules, "platformdirs", None)


@pytest.mark.parametrize("prepare", [homeless, without_platformdirs])
def test_where_there_is_no_cache_there_is_a_plan(
    prepare: Callable[[pytest.MonkeyPatch], None], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(monkeypatch)
    assert cache_folder() is None
    count, lost, _ = Calibrated(P, runs=9000).answers(40, 0.05)
    assert 0 < count < 100
    assert lost <= 0.05
    assert not cache.exists()


def test_counts_are_kept_where_the_system_keeps_caches(cache: Path) -> None:
    assert cache_folder() == cache


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For each call, the chance that any of the limits it gives is wrong."""
    shares: list[float] = []

    def recorded(missed: NDArray[np.int64], runs: int, failure: float) -> NDArray[np.float64]:
        shares.append(len(missed) * failure)  # one limit a number of answers
        return upper_limits(missed, runs, failure)

    monkeypatch.setattr(calibrated, "upper_limits", recorded)
    return shares


@pytest.mark.usefixtures("cache")
def test_all_limits_together_fail_no_more_often_than_stated(failures: list[float]) -> None:
    """Whatever is asked about, in whatever order, by both rules, after any number of answers."""
    known = Calibrated(P, runs=20)
    tried = [40, 7, 300, 12, 40, 8, 9, 7, 60, 25, 1000, 11, 13]
    for cells in tried:
        for miss in (0.3, 0.02):
            known.answers(cells, miss)
    assert len(failures) == 2 * len(set(tried))  # two rules; none is asked about twice
    assert 0.8 * known.failure < sum(failures) <= known.failure == 1e-6


@pytest.mark.long
@pytest.mark.usefixtures("cache")
def test_a_plan_fails_no_more_often_than_stated(failures: list[float]) -> None:
    """All that one plan looks at, over the ways to divide and the levels of two coordinates."""
    problem = Problem("0.05", "0.2", 3, p="0.9", confidence="0.7", dim=2)
    assert plan(problem, certificate="calibrated").certificate == "calibrated"
    assert len(failures) >= 4
    assert sum(failures) <= 1e-6


def test_too_many_answers_to_simulate_are_refused() -> None:
    """At p = 1/2 + 10⁻³ the bound falls to 1 % after some ten million answers."""
    with pytest.raises(TooLarge, match=r'p = 0.501: .*use certificate "theorem"'):
        Calibrated(Fraction(501, 1000)).answers(1000, 0.05)


def test_seeds_of_any_size_and_counts_in_range() -> None:
    missed = simulate(SEARCH, 3, 4, 10, 2**70)
    assert missed.dtype == np.int64
    assert ((missed >= 0) & (missed <= 10)).all()
