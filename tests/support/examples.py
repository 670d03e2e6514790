"""What `make test` tries of a law: a sixth of the examples, and the cases that are quick."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

QUICK, THOROUGH = "quick", "thorough"
_ALL = 99  # of a law that names no number
_LEAST = 8

# A test states a law, and a busy machine does not break it.
_BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(THOROUGH, _BUSY, max_examples=_ALL)
settings.register_profile(QUICK, _BUSY, max_examples=_ALL // 6)


def examples(number: int) -> settings:
    """Return settings with this many examples in the thorough profile, a sixth in the quick one.

    The first examples are the simplest, which may say little: so at least on eight.
    """
    tried = number * settings().max_examples // _ALL
    return settings(max_examples=max(min(number, _LEAST), tried))


def later(cases: Iterable[Any], dear: Collection[Any]) -> list[Any]:
    """Mark the expensive cases of a test as long, for `make test-long`."""
    found = list(cases)
    assert all(case in found for case in dear), dear
    return [_long(case) if case in dear else case for case in found]


def _long(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.long)
