"""Compute the success of the best eavesdropper, by enumeration or from samples.

`auditor` reads the arguments into a `case`: a strategy, its promise, the number of searches, the
questions overheard, and the motion of the number (`hearing`, `motion`, `keys`). One search is a
sequence of one. Each coordinate is counted in whole `places` and audited by itself:

- `exact` walks every branch. `outcomes` and `beliefs` follow what she believes from search to
  search, and `tally` adds posteriors up.
- `enumerated` walks every answer and coin of a small search under noise.
- `sampled` simulates runs and follows her posterior after each; under noise by `posterior` and
  `histories`.
- `adversaries` measures other adversaries on runs.

`accuracy` measures the error of the estimate. `verdict` combines everything in one `report`, with
`words` for the claims and `explain` for counterexamples. `listening` follows one transcript, and
`lemma` measures the theory's lemmas.
"""

from feint.audit.adversaries import BestReply, Sampled, sample
from feint.audit.auditor import audit
from feint.audit.case import coordinates
from feint.audit.enumerated import NoisyExact, noisy_exact
from feint.audit.exact import Measured, Miss, measure
from feint.audit.hearing import Hearing
from feint.audit.lemma import Lemma, lemmas
from feint.audit.listening import Belief, NoisyBelief, noisy_belief, overheard
from feint.audit.motion import Motion, jump, steps, walk
from feint.audit.report import Report
from feint.audit.sampled import NoisyAudit, noisy_audit
from feint.audit.tally import Exhibit
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
    "NoisyExact",
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
    "noisy_exact",
    "overheard",
    "sample",
    "steps",
    "walk",
]
