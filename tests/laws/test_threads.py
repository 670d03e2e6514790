"""Planning, audits and simulations share nothing that changes: eight threads find what one does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

from feint import Problem, plan
from feint.audit import audit
from feint.planning.noisy.certificates import exact
from feint.simulate import simulate

NOISY = [
    Problem("0.02", "0.1", 4, p="0.95", confidence="0.9"),
    Problem("0.02", "0.1", 4, p="0.9", confidence="0.9"),
    Problem("1/60", "1/12", 3, p="0.9"),
    Problem("1/97", "5/97", 3, values=97, p="0.9", confidence="0.9"),
]
PLAIN = [Problem("1/64", "1/12", 3), Problem("1/82", "7/82", 5), Problem("1/64", "1/8", 6, dim=2)]


def found(problem: Problem) -> list[object]:
    """Everything that is computed of a problem."""
    planned = plan(problem)
    report = audit(planned, runs=4, seed=1) if problem.noisy else audit(planned)
    runs = simulate(planned.strategy, runs=200, seed=3)
    return [planned, report.to_dict(), runs.to_dict()]


def together(jobs: list[Callable[[], object]]) -> list[object]:
    """The results of jobs that begin at the same moment, a thread each."""
    gate = Barrier(len(jobs))

    def begun(job: Callable[[], object]) -> object:
        gate.wait()
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(begun, jobs))


def test_eight_threads_find_what_one_finds() -> None:
    problems = [NOISY[0], *NOISY, *PLAIN]  # one of them twice
    exact._walked.cache_clear()
    got = together([partial(found, each) for each in problems])
    exact._walked.cache_clear()
    assert got == [found(each) for each in problems]
