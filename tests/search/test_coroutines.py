"""Find a number where whoever answers is a coroutine."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from feint import Domain, OracleFailed, find, find_async, load

WANTED: dict[str, Any] = {"low": 10, "high": 110, "epsilon": 1, "delta": 5, "level": 4, "seed": 1}


def test_a_coroutine_finds_what_a_function_finds() -> None:
    async def asked(price: float) -> bool:
        await asyncio.sleep(0)
        return price <= 73.4

    assert asyncio.run(find_async(asked, **WANTED)) == find(lambda price: price <= 73.4, **WANTED)


def test_the_questions_of_a_round_are_put_at_the_same_time() -> None:
    """Nobody answers before all of the first round are asked, and the last one answers first."""
    waiting: list[asyncio.Event] = []

    async def asked(price: float) -> bool:
        waiting.append(asyncio.Event())
        mine = waiting[-1]
        if len(waiting) >= 3:
            for each in waiting:
                each.set()
        await mine.wait()
        return price <= 73.4

    words = WANTED | {"method": "grid", "epsilon": 20, "delta": 40, "level": 2}
    asyncio.run(find_async(asked, **words))
    assert len(waiting) >= 3


def test_several_numbers_are_told_apart_by_coordinate() -> None:
    async def asked(value: float, coordinate: int) -> bool:
        return value <= (0.3, 0.8)[coordinate]

    words: dict[str, Any] = {"epsilon": "1/16", "delta": "1/4", "level": 4, "seed": 1}
    found = asyncio.run(find_async(asked, dim=2, **words))
    for each, goal in zip(found.coordinates, (0.3, 0.8), strict=True):
        assert each.low <= goal < each.high


@pytest.mark.parametrize(
    ("given", "goals"),
    [
        ({"low": [0, 0], "high": [1, 1]}, (0.3, 0.8)),
        ({"low": np.array([0, 0])}, (0.3, 0.8)),
        ({"high": (1, 1), "labels": ["a", "b"]}, (0.3, 0.8)),
        ({"tick": ["1/64", "1/64"]}, (0.3, 0.8)),
        ({"domains": [Domain(0, 1), Domain(1, 2)]}, (0.3, 1.6)),
        ({"domains": [Domain(0, 1)]}, (0.3,)),
        ({"low": [0], "high": [1]}, (0.3,)),
        ({"labels": ["ab"]}, (0.3,)),
    ],
)
def test_several_numbers_are_known_by_what_is_given(
    given: dict[str, Any], goals: tuple[float, ...]
) -> None:
    async def asked(value: float, *coordinate: int) -> bool:
        assert len(coordinate) == (len(goals) > 1)
        return value <= goals[coordinate[0] if coordinate else 0]

    words: dict[str, Any] = {"epsilon": "1/16", "delta": "1/4", "level": 4, "seed": 1}
    found = asyncio.run(find_async(asked, **words, **given))
    for each, goal in zip(found.coordinates, goals, strict=True):
        assert each.low <= goal < each.high


def test_an_error_says_that_the_oracle_failed() -> None:
    async def asked(price: float) -> bool:
        raise ValueError("recognisable")

    with pytest.raises(OracleFailed, match="the oracle raised ValueError") as raised:
        asyncio.run(find_async(asked, **WANTED))
    assert "recognisable" not in str(raised.value)


def test_what_is_cancelled_keeps_what_was_answered(tmp_path: Path) -> None:
    """And goes on from there."""
    count = 0

    async def main() -> None:
        async def asked(price: float) -> bool:
            nonlocal count
            count += 1
            if count > 3:
                task.cancel()
                await asyncio.Event().wait()
            return price <= 73.4

        task = asyncio.create_task(find_async(asked, state=tmp_path / "kept", **WANTED))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    gc.collect()  # the error that was dropped had the search, and its file
    assert load(tmp_path / "kept").answered >= 1
    found = find(lambda price: price <= 73.4, state=tmp_path / "kept", **WANTED)
    assert found == find(lambda price: price <= 73.4, **WANTED)
