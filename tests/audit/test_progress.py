"""What is told of progress: never less than before, nor more than there is, and all in the end."""

from typing import Any

import pytest
from tests.support.strategies import staged, staged_noisy

from feint import Problem, plan
from feint.audit import audit, noisy_audit
from feint.strategies import Product

NOISY = plan(Problem("1/30", "1/6", 2, p="0.9", confidence="0.9"))
NOISY_TWO = plan(Problem("1/30", "1/6", 2, p="0.9", confidence="0.9", dim=2))
PLAIN, TWO = plan(Problem("1/9", "2/9", 3)), plan(Problem("1/9", "2/9", 3, dim=2))


@pytest.mark.parametrize(
    ("subject", "given"),
    [
        (PLAIN, {}),
        (TWO, {}),
        (PLAIN, {"runs": 5000}),
        (NOISY, {"runs": 40}),
        (NOISY_TWO, {"runs": 20}),
        (PLAIN, {"repeat": 3, "fresh_keys": True}),
        (TWO, {"repeat": 2, "fresh_keys": True}),
        (PLAIN, {"repeat": 2, "fresh_keys": True, "runs": 150}),
        (TWO, {"repeat": 2, "fresh_keys": True, "runs": 70}),
        (NOISY, {"repeat": 2, "fresh_keys": True, "runs": 20}),
    ],
)
def test_progress_goes_on_to_the_end(subject: Any, given: dict[str, Any]) -> None:
    told: list[tuple[str, int, int]] = []
    audit(subject, **given, progress=lambda *step: told.append(step))
    assert told
    if subject.problem.dim == 2:
        assert {each[0].rpartition(" of ")[2] for each in told} == {"coordinate 0", "coordinate 1"}
    for what in {each[0] for each in told}:
        steps = [(done, whole) for name, done, whole in told if name == what]
        assert len({whole for _, whole in steps}) == 1, what
        done = [each for each, _ in steps]
        assert done == sorted(done), what
        assert done[0] >= 0
        assert done[-1] == steps[-1][1], what


def test_transcripts_are_told_by_the_task() -> None:
    """Sixteen of them are a task."""
    told: list[tuple[str, int, int]] = []
    strategy = staged_noisy(Problem("1/24", "1/6", 2, p="0.8"), 8, 1, 0, 2, 1, 2, 2)
    noisy_audit(strategy, runs=20, seed=0, progress=lambda *step: told.append(step))
    assert told == [("transcripts", 16, 20), ("transcripts", 20, 20)]


def test_runs_are_told_by_the_task_and_the_coordinate() -> None:
    """Sixty-four of them are a task; walked branches are told in thousandths."""
    line = staged(Problem("1/2", "1/2", 2), 2, (), 1, 1, (2,))
    both = Product(Problem("1/2", "1/2", 2, dim=2), (line, line))
    told: list[tuple[str, int, int]] = []
    given: dict[str, Any] = {"repeat": 2, "fresh_keys": True, "runs": 70}
    audit(both, **given, progress=lambda *step: told.append(step))
    assert told == [
        (f"transcripts of coordinate {axis}", done, 70) for axis in (0, 1) for done in (64, 70)
    ]
    told.clear()
    audit(line, **given, progress=lambda *step: told.append(step))
    assert told == [("transcripts", 64, 70), ("transcripts", 70, 70)]
    told.clear()
    audit(both, progress=lambda *step: told.append(step))
    assert {*told} <= {(f"branches of coordinate {axis}", 1000, 1000) for axis in (0, 1)}
    assert told[0] == ("branches of coordinate 0", 1000, 1000)


def test_searches_are_told_one_by_one() -> None:
    told: list[tuple[str, int, int]] = []
    audit(PLAIN, repeat=3, fresh_keys=True, progress=lambda *step: told.append(step))
    assert [each for each in told if each[0] == "searches"] == [
        ("searches", done, 3) for done in (1, 2, 3)
    ]
