"""A release: the archives hold what they must, and the workflow that publishes them is sound."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from scripts import dist, matrix

import feint

ROOT = Path(__file__).parents[1]
WORKFLOW: dict[Any, Any] = yaml.safe_load(
    (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def steps(job: str) -> list[dict[str, Any]]:
    return list(WORKFLOW["jobs"][job]["steps"])


def test_only_a_tag_releases() -> None:
    assert WORKFLOW[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads `on` as true


def test_rights_are_given_job_by_job_and_only_where_they_are_used() -> None:
    assert WORKFLOW["permissions"] == {}
    jobs = WORKFLOW["jobs"]
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {
        "id-token": "write",
        "attestations": "write",
        "contents": "read",
    }
    assert jobs["publish"]["environment"] == "pypi"


def test_what_is_published_is_what_was_tried() -> None:
    """The job with the right to publish runs no code of the repository, only actions."""
    assert WORKFLOW["jobs"]["publish"]["needs"] == "build"
    assert not any("run" in step or "checkout" in step["uses"] for step in steps("publish"))
    assert any(step.get("run") == "make dist" for step in steps("build"))
    (sent,) = (step["with"] for step in steps("build") if "upload-artifact" in step.get("uses", ""))
    (taken,) = (step["with"] for step in steps("publish") if "download" in step["uses"])
    assert sent["name"] == taken["name"]
    (published,) = (step for step in steps("publish") if "pypi-publish" in step["uses"])
    assert published["with"] == {"attestations": True}


def test_no_secret_is_used_and_every_action_has_a_version() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "secrets." not in text
    assert "password" not in text
    used = [step["uses"] for job in WORKFLOW["jobs"] for step in steps(job) if "uses" in step]
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@(v\d+|release/v\d+|[0-9a-f]{40})", action), action


def test_every_job_ends_and_calls_targets_that_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for name, job in WORKFLOW["jobs"].items():
        assert 0 < job["timeout-minutes"] <= 60, name
        for step in steps(name):
            called = re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))
            assert set(called) <= set(targets)


@pytest.mark.parametrize(("tag", "code"), [(f"v{feint.__version__}", 0), ("v9.9.9", 1)])
def test_a_tag_that_is_not_the_version_is_refused(tag: str, code: int) -> None:
    (line,) = (step["run"] for step in steps("build") if "__version__" in step.get("run", ""))
    words = ["bash", "-c", line]
    assert subprocess.run(words, cwd=ROOT, env={"GITHUB_REF_NAME": tag}).returncode == code


def test_development_dependencies_are_groups_and_no_extras() -> None:
    extras, groups = PROJECT["project"]["optional-dependencies"], PROJECT["dependency-groups"]
    assert not {"test", "dev", "bench", "docs"} & {*extras}
    assert {*groups} == {"test", "docs", "dev", "bench"}
    named = {extra for group in groups.values() for each in group for extra in extras_of(each)}
    assert named <= {*extras}


def test_the_versions_that_are_promised_are_those_that_are_tried() -> None:
    """`make test-matrix` looks for each; the reference and the classifiers name no other."""
    classifiers = " ".join(PROJECT["project"]["classifiers"])
    named = re.findall(r"Python :: (3\.\d+)", classifiers)
    assert named
    assert set(named) <= set(matrix.PYTHONS)
    assert PROJECT["project"]["requires-python"] == f">={named[0]}" == f">={matrix.PYTHONS[0]}"
    page = (ROOT / "docs" / "reference" / "index.md").read_text("utf-8")
    assert f"Python {', '.join(named[:-1])} and {named[-1]}" in page


def extras_of(requirement: str | dict[str, str]) -> list[str]:
    """The extras of feint that a line of a group asks for."""
    found = re.match(r"feint\[(.+)\]", requirement) if isinstance(requirement, str) else None
    return found[1].split(",") if found else []


def test_the_readme_table_has_every_extra() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    table = readme[readme.index("| extra |") : readme.index("## Two commands")]
    cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    extras = {*PROJECT["project"]["optional-dependencies"]} - {"cli"}  # an alias of nothing
    assert {*re.findall(r"`([\w-]+)`", cells)} == extras


def test_an_archive_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    wheel, sdist = tmp_path / "feint.whl", tmp_path / "feint.tar.gz"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("feint/__init__.py", "")
    with tarfile.open(sdist, "w"):
        pass
    with pytest.raises(dist.Failed, match=r"feint\.whl lacks feint/py\.typed"):
        dist.check_archives(wheel, sdist)


@pytest.mark.slow
def test_uvx_runs_the_demo_from_a_clone(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "uv", "tool", "run", "--from", str(ROOT), "feint", "demo"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    kept["UV_CACHE_DIR"] = str(tmp_path)  # nothing of an earlier run, and nothing left behind
    run = subprocess.run(words, env=kept, capture_output=True, text=True, check=True)
    assert "Find a price while a competitor watches" in run.stdout


@pytest.mark.slow
def test_the_wheel_runs_what_readme_shows(tmp_path: Path) -> None:
    assert dist.main(tmp_path) == 0
