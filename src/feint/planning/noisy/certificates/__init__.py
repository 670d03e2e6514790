"""Compute how many answers a noisy search needs: by theorem, by a walk, or by simulation."""

from feint.planning.noisy.certificates.calibrated import Calibrated
from feint.planning.noisy.certificates.theorem import Theorem, log_rho

__all__ = ["Calibrated", "Theorem", "log_rho"]
