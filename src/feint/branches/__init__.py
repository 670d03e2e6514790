"""Every branch there is, exactly, and what they leave an eavesdropper to believe."""

from feint.branches.checked import Checked
from feint.branches.fits import fitting, following
from feint.branches.posterior import (
    Posteriors,
    Window,
    blind_success,
    joined,
    mass,
    refine,
    success,
)
from feint.branches.shown import Ruler, shown_success
from feint.branches.walk import Branches, Heard, branches

__all__ = [
    "Branches",
    "Checked",
    "Heard",
    "Posteriors",
    "Ruler",
    "Window",
    "blind_success",
    "branches",
    "fitting",
    "following",
    "joined",
    "mass",
    "refine",
    "shown_success",
    "success",
]
