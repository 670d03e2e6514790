"""Hypothesis without deadlines: a test states a law, and a busy machine does not break it."""

from hypothesis import settings

settings.register_profile("feint", deadline=None)
settings.load_profile("feint")
