"""Private git bisect: the set of commits that is built does not tell where the bug is."""

from feint.integrations.git.bisection import Bisection, Exposed, Outcome, Test, moved_success
from feint.integrations.git.checks import Checker, Stopped, Verdict, verdict_of
from feint.integrations.git.history import History, commit_named
from feint.integrations.git.planned import Effort, planned
from feint.integrations.git.seal import Sealed, new_key, opened, public_key, seal_check, sealed
from feint.integrations.git.session import Session, clean
from feint.integrations.git.trees import Trees

__all__ = [
    "Bisection",
    "Checker",
    "Effort",
    "Exposed",
    "History",
    "Outcome",
    "Sealed",
    "Session",
    "Stopped",
    "Test",
    "Trees",
    "Verdict",
    "clean",
    "commit_named",
    "moved_success",
    "new_key",
    "opened",
    "planned",
    "public_key",
    "seal_check",
    "sealed",
    "verdict_of",
]
