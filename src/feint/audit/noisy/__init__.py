"""Audits when answers may be wrong: exact posteriors of simulated transcripts."""

from feint.audit.noisy.believed import PLACES, Believed
from feint.audit.noisy.posterior import Truths, joint
from feint.audit.noisy.report import (
    HELPED,
    PRECISION,
    RUNS,
    accuracy,
    beliefs_of,
    errors,
    noisy_report,
    sampled_verdict,
)
from feint.audit.noisy.transcripts import MOST, NoisyAudit, noisy_audit, states_followed, truths_of

__all__ = [
    "HELPED",
    "MOST",
    "PLACES",
    "PRECISION",
    "RUNS",
    "Believed",
    "NoisyAudit",
    "Truths",
    "accuracy",
    "beliefs_of",
    "errors",
    "joint",
    "noisy_audit",
    "noisy_report",
    "sampled_verdict",
    "states_followed",
    "truths_of",
]
