"""Bisect git histories privately: the set of built commits does not reveal where the bug is."""

from typing import TYPE_CHECKING

from feint.exact.stability import renamed_names
from feint.integrations.git.bisection import Bisection, Exposed, Outcome, Test
from feint.integrations.git.box import new_key, public_key
from feint.integrations.git.checks import Checker, Crash, Missing, Stopped, Verdict, verdict_of
from feint.integrations.git.effort import Effort, planned
from feint.integrations.git.ends import WrongEnd, doubled_back, good_from
from feint.integrations.git.exposure import moved_success
from feint.integrations.git.history import History, commit_named, is_commit
from feint.integrations.git.mistakes import Mistake, success_after
from feint.integrations.git.packed import KEY_VARIABLE, check_environment, pack, unpack
from feint.integrations.git.seal import (
    CheckResult,
    open_result,
    seal_check,
    seal_result,
)
from feint.integrations.git.session import Disagreement, End, Session, Undone
from feint.integrations.git.storage import (
    clean,
    keep_pending,
    kept_log,
    pending,
    place_of,
    terms_of,
)
from feint.integrations.git.trees import Trees, copy_into, path_inside

__all__ = [
    "KEY_VARIABLE",
    "Bisection",
    "CheckResult",
    "Checker",
    "Crash",
    "Disagreement",
    "Effort",
    "End",
    "Exposed",
    "History",
    "Missing",
    "Mistake",
    "Outcome",
    "Session",
    "Stopped",
    "Test",
    "Trees",
    "Undone",
    "Verdict",
    "WrongEnd",
    "check_environment",
    "clean",
    "commit_named",
    "copy_into",
    "doubled_back",
    "good_from",
    "is_commit",
    "keep_pending",
    "kept_log",
    "moved_success",
    "new_key",
    "open_result",
    "pack",
    "path_inside",
    "pending",
    "place_of",
    "planned",
    "public_key",
    "seal_check",
    "seal_result",
    "success_after",
    "terms_of",
    "unpack",
    "verdict_of",
]

if not TYPE_CHECKING:  # hidden from type checkers, which would accept any name
    _RENAMED = {"Sealed": "CheckResult", "opened": "open_result", "sealed": "seal_result"}
    __getattr__ = renamed_names(__name__, _RENAMED, since="0.2")
