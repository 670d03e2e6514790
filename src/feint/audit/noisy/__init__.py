"""Audits when answers may be wrong: exact posteriors of simulated transcripts."""

from feint.audit.noisy.report import RUNS, noisy_report
from feint.audit.noisy.transcripts import NoisyAudit, noisy_audit

__all__ = ["RUNS", "NoisyAudit", "noisy_audit", "noisy_report"]
