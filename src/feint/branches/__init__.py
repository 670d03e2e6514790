"""Enumerate all branches of a strategy, and compute an eavesdropper's exact posterior."""

from feint.branches.checked import SAFE, Checked
from feint.branches.fits import fitting, following
from feint.branches.lengths import Lengths, Mass, mean_lengths
from feint.branches.noisy import NoisyBranches, Right, Summarized, noisy_branches
from feint.branches.posterior import (
    Posteriors,
    Window,
    joined,
    laid,
    mass,
    success,
)
from feint.branches.walk import Branches, Heard, branches, exact_product
from feint.problem import refine

__all__ = [
    "SAFE",
    "Branches",
    "Checked",
    "Heard",
    "Lengths",
    "Mass",
    "NoisyBranches",
    "Posteriors",
    "Right",
    "Summarized",
    "Window",
    "branches",
    "exact_product",
    "fitting",
    "following",
    "joined",
    "laid",
    "mass",
    "mean_lengths",
    "noisy_branches",
    "refine",
    "success",
]
