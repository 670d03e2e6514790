"""How many examples a law is tried on: a third in `make test`, all of them in `make test-all`."""

from hypothesis import HealthCheck, settings

QUICK, THOROUGH = "quick", "thorough"
_ALL = 99  # of a law that names no number

# A test states a law, and a busy machine does not break it.
_BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(THOROUGH, _BUSY, max_examples=_ALL)
settings.register_profile(QUICK, _BUSY, max_examples=_ALL // 3)


def examples(number: int) -> settings:
    """A law is tried on this many examples by the thorough profile, and on a third by the quick."""
    tried = number * settings().max_examples // _ALL
    return settings(max_examples=max(1, tried))
