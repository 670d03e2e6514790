"""Every branch there is, exactly, and what they leave an eavesdropper to believe."""

from feint.branches.checked import Checked
from feint.branches.posterior import Posteriors, Window, best_windows, success
from feint.branches.prior import UNIFORM, Prior
from feint.branches.walk import Branches, Heard, branches

__all__ = [
    "UNIFORM",
    "Branches",
    "Checked",
    "Heard",
    "Posteriors",
    "Prior",
    "Window",
    "best_windows",
    "branches",
    "success",
]
