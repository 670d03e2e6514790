"""Executors: any of the standard library's does, wherever one is taken, with the same digits."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from signal import SIGKILL, raise_signal
from typing import Any

import pytest
from tests.support.examples import later

from feint import InvalidValue, Problem, plan
from feint.audit import audit
from feint.errors import WorkerLost
from feint.research.reproduce import exhibits
from feint.research.sweep import grid, sweep, worst_rows
from feint.simulate import Processes, Serial, executor_of, simulate
from feint.simulate.adversaries import standard
from feint.simulate.run import chunk_size

PROBLEM = Problem("2^-10", "2^-5", 4)
NOISY = Problem("1/50", "1/8", 2, p="0.9", confidence="0.9")
QUICK = Problem("0.05", "0.2", 2, p="0.97", confidence="0.9")  # to calibrate


class Lazy(Executor):
    """The least that an executor must have: `submit`. It works in this very thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = Future[Any]()
        future.set_result(fn(*args, **kwargs))
        return future


def simulated(executor: Any) -> object:
    strategy = plan(PROBLEM).strategy
    adversaries = standard(PROBLEM, strategy.cells)
    runs = 2 * chunk_size(strategy) + 1
    return simulate(strategy, runs=runs, adversaries=adversaries, executor=executor).to_dict()


def sampled(executor: Any) -> object:
    return audit(plan(PROBLEM), runs=3000, executor=executor)


def noisy(executor: Any) -> object:
    return audit(plan(NOISY), runs=40, executor=executor)


def swept(executor: Any) -> object:
    points = grid({"epsilon": ["1/64"], "delta": ["1/8"], "level": [2, 3, 4, 5, 6]})
    return sweep(points, runs=100, adversaries=["last"], executor=executor).records()


def calibrated(executor: Any) -> object:
    return plan(QUICK, method="fixed", certificate="calibrated", executor=executor).to_dict()


def reproduced(executor: Any) -> object:
    return exhibits(only=["dimensions"], runs=5, executor=executor)


USES = (simulated, sampled, noisy, swept, calibrated, reproduced)
DEAR = (noisy, calibrated, reproduced)  # done twice, not three times


@pytest.mark.parametrize("use", later(USES, {calibrated, reproduced}), ids=lambda use: use.__name__)
def test_threads_do_what_this_process_does(
    use: Callable[[Any], object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = []
    with ThreadPoolExecutor(2) as pool:
        executors = {"one": None, "two": pool} | ({} if use in DEAR else {"three": Lazy()})
        for name, executor in executors.items():
            monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))  # or counts would be read
            found.append(use(executor))
    assert all(each == found[0] for each in found[1:])


def test_games_are_solved_by_threads_too() -> None:
    with ThreadPoolExecutor(2) as pool:
        assert worst_rows(4, executor=pool) == worst_rows(4)


def test_processes_of_the_standard_library_do_too() -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        assert simulated(pool) == simulated(None)
        assert sampled(pool) == sampled(None)
        with pytest.raises(WorkerLost, match="one of 2 workers died"):
            list(executor_of(pool).map(raise_signal, [SIGKILL] * 4))


def test_tasks_that_nobody_waits_for_are_cancelled() -> None:
    """Results are asked for until the first error; what had not begun then never does."""
    done = list[int]()

    def work(task: int) -> int:
        done.append(task)
        if task == 1:
            raise ZeroDivisionError
        return task

    with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
        list(executor_of(pool).map(work, range(1000)))
    assert len(done) < 10


def test_an_executor_says_how_many_tasks_it_does_at_once() -> None:
    with ThreadPoolExecutor(7) as pool:
        assert executor_of(pool).workers == executor_of(pool).slots == 7
    assert executor_of(Lazy()).slots >= 1
    serial, two = Serial(), Processes(2)
    assert executor_of(serial) is serial
    assert executor_of(two) is two
    assert isinstance(executor_of(None), Serial)


def test_what_is_no_executor_is_refused() -> None:
    nobody: Any = 7
    with pytest.raises(InvalidValue, match=r"executor = 7: must have workers, slots and map"):
        simulate(plan(PROBLEM).strategy, runs=1, executor=nobody)
