"""What the best eavesdropper can do: exactly where it can be enumerated, else by samples."""

from feint.audit.auditor import audit
from feint.audit.best import BestReply
from feint.audit.exact import Exhibit, Measured, Miss, coordinates, measure
from feint.audit.lemma import Lemma, lemmas
from feint.audit.listening import Belief, NoisyBelief, noisy_belief, overheard
from feint.audit.noisy import NoisyAudit, noisy_audit
from feint.audit.report import Report
from feint.audit.sampled import Sampled, sample
from feint.audit.sequence import Hearing, Motion, jump, steps, walk
from feint.problem import Prior
from feint.simulate import Success, clopper_pearson

__all__ = [
    "Belief",
    "BestReply",
    "Exhibit",
    "Hearing",
    "Lemma",
    "Measured",
    "Miss",
    "Motion",
    "NoisyAudit",
    "NoisyBelief",
    "Prior",
    "Report",
    "Sampled",
    "Success",
    "audit",
    "clopper_pearson",
    "coordinates",
    "jump",
    "lemmas",
    "measure",
    "noisy_audit",
    "noisy_belief",
    "overheard",
    "sample",
    "steps",
    "walk",
]
