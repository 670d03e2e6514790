"""Make the child pipeline of GitLab that checks the commits of a round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

# GitLab cannot combine a generated pipeline with a file of the repository, so the job is in it.
# The commits may be old, and GitLab fetches the youngest 20 only, unless GIT_DEPTH is 0.
_CHECK: dict[str, Any] = {
    "stage": "check",
    "variables": {"FEINT_LIMIT": "1200", "GIT_DEPTH": "0"},
    "script": [
        'git checkout --quiet "$FEINT_COMMIT"',
        "pip install 'feint[cli,seal]'",
        "mkdir -p sealed",
        'printf %s "$FEINT_SEALED_CHECK" > sealed/check',
        'feint seal --to "$FEINT_KEY" --limit "$FEINT_LIMIT" --sealed-check sealed/check'
        ' --output "sealed/$FEINT_COMMIT-$CI_JOB_ID.sealed"',
    ],
    "artifacts": {"paths": ["sealed/*.sealed"]},
}
# It gets the artifacts of all checks, so that one download collects them.
_COLLECT: dict[str, Any] = {
    "stage": "collect",
    "variables": {"GIT_STRATEGY": "none"},
    "script": ["ls sealed"],
    "artifacts": {"paths": ["sealed/*.sealed"]},
}


def pipeline(checks: Sequence[dict[str, Any]], sealed: str) -> dict[str, Any]:
    """Return the child pipeline of a round.

    Args:
        checks: The commit of each check, and the number of the check among those of the commit.
        sealed: The sealed check as text; empty: the owner replaces the job `.feint-check`.
    """
    jobs: dict[str, Any] = {
        f"check-{each['commit'][:12]}-{each['check']}": {
            "variables": {"FEINT_COMMIT": each["commit"]},
            "extends": ".feint-check",
        }
        for each in checks
    }
    if sealed:
        jobs["variables"] = {"FEINT_SEALED_CHECK": sealed}
    parts = {".feint-check": _CHECK, "feint-collect": _COLLECT}
    return {"stages": ["check", "collect"], **parts, **jobs}
