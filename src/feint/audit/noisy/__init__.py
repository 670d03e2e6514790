"""Audits when answers may be wrong: exact posteriors of simulated transcripts."""

from feint.audit.noisy.believed import PLACES, Believed
from feint.audit.noisy.posterior import Event, joint
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
from feint.audit.noisy.transcripts import MOST, NoisyAudit, events, noisy_audit, states_followed

__all__ = [
    "HELPED",
    "MOST",
    "PLACES",
    "PRECISION",
    "RUNS",
    "Believed",
    "Event",
    "NoisyAudit",
    "accuracy",
    "beliefs_of",
    "errors",
    "events",
    "joint",
    "noisy_audit",
    "noisy_report",
    "sampled_verdict",
    "states_followed",
]
