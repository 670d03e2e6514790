"""A bisection wherever git is used: with its variables, settings and sparse checkouts."""

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from tests.support.examples import later
from tests.support.repositories import ENVIRONMENT, git, linear

from feint.integrations.git import History, Trees

BISECT = f"{sys.executable} -m feint bisect --good start --level 2 --delta 2"
ASKS_GIT = "sh -c 'test $(git show HEAD:number) -lt 17'"
READS = "sh -c 'test $(cat number) -lt 17'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository of thirty commits."""
    return linear(tmp_path / "repository", 30)


def shell(folder: Path, line: str, **variables: str) -> str:
    """What a line of a shell prints, with some variables besides."""
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=ENVIRONMENT | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def variables_of(folder: Path, name: str) -> dict[str, str]:
    """Git's own variables, as hooks, aliases and flags of git set them."""
    own = folder / ".git"
    return {
        "whole paths": {"GIT_DIR": str(own), "GIT_INDEX_FILE": str(own / "index")},
        "of a hook": {"GIT_INDEX_FILE": ".git/index", "GIT_PREFIX": ""},
        "of flags": {"GIT_DIR": ".git", "GIT_WORK_TREE": "."},
    }[name]


# Every setting of variables and every check comes among those that are not long.
LATER = {("whole paths", READS), ("of a hook", ASKS_GIT), ("of flags", READS)}


@pytest.mark.parametrize(
    ("name", "check"),
    later(product(["whole paths", "of a hook", "of flags"], [ASKS_GIT, READS]), LATER),
)
def test_gits_variables_lead_neither_worktrees_nor_checks_astray(
    folder: Path, name: str, check: str
) -> None:
    (folder / "staged").write_text("mine")
    git(folder, "add", "staged")
    before = git(folder, "status", "--porcelain"), (folder / ".git" / "index").read_bytes()
    said = shell(folder, f"{BISECT} -j 2 -- {check}", **variables_of(folder, name))
    assert "commit 17" in said
    after = git(folder, "status", "--porcelain"), (folder / ".git" / "index").read_bytes()
    assert after == before


def test_a_hook_in_a_linked_worktree_leaves_the_commit_as_it_was_staged(folder: Path) -> None:
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{BISECT} -- {ASKS_GIT} > {folder}/../said\n")
    hook.chmod(0o755)
    linked = folder.parent / "linked"
    git(folder, "worktree", "add", "-q", "-b", "other", str(linked))
    (linked / "new").write_text("staged")
    git(linked, "add", "new")
    git(linked, "commit", "-q", "-m", "one file more")
    assert "commit 17" in (folder.parent / "said").read_text()
    assert git(linked, "show", "--format=", "--name-status", "HEAD") == "A\tnew\n"
    assert git(linked, "status", "--porcelain") == ""


def test_an_alias_in_a_linked_worktree_bisects_its_own_head(folder: Path) -> None:
    linked = folder.parent / "linked"
    git(folder, "worktree", "add", "-q", "--detach", str(linked), "main~5")
    (linked / "below").mkdir()
    line = f"git -c alias.find=\"!{BISECT}\" find -- sh -c 'test $(git show HEAD:number) -lt 25'"
    assert "commit 25" in shell(linked / "below", line)  # the youngest: HEAD is the bad one


def test_a_repository_that_is_named_by_variables_alone(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    named = {"GIT_DIR": str(folder / ".git"), "GIT_WORK_TREE": str(folder)}
    assert "commit 17" in shell(elsewhere, f"{BISECT} -- {ASKS_GIT}", **named)
    assert git(folder, "status", "--porcelain") == ""
    assert not [*elsewhere.iterdir()]


def test_paths_are_those_of_the_folder_with_variables_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = folder / "below"
    below.mkdir()
    (below / "parser").write_text("new")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a parser")
    expected = [1] * 30 + [10]
    assert History.of(below, good="start", bad="main").weights("paths:parser") == expected
    monkeypatch.setenv("GIT_DIR", str(folder / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(folder))
    assert History.of(below, good="start", bad="main").weights("paths:parser") == expected


def test_settings_that_are_given_by_hand_reach_the_check(folder: Path) -> None:
    """Such as safe.directory, without which git does nothing in some containers."""
    given = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "mine.limit",
        "GIT_CONFIG_VALUE_0": "17",
        "GIT_DIR": str(folder / ".git"),
    }
    check = "sh -c 'test $(cat number) -lt $(git config mine.limit)'"
    assert "commit 17" in shell(folder, f"{BISECT} -- {check}", **given)


SETTINGS = {
    "log.follow": "true",
    "log.mailmap": "true",
    "log.date": "raw",
    "log.decorate": "full",
    "log.diffMerges": "off",
    "log.abbrevCommit": "true",
    "log.showRoot": "false",
    "format.pretty": "fuller",
    "format.notes": "true",
    "notes.displayRef": "*",
    "color.ui": "always",
    "core.quotePath": "false",
    "core.pager": "false",
    "diff.orderFile": "/nowhere",
    "diff.noprefix": "true",
    "diff.renames": "false",
    "diff.external": "false",
    "diff.mnemonicPrefix": "true",
    "i18n.logOutputEncoding": "UTF-16",
    "grep.patternType": "fixed",
}


def test_the_users_settings_change_nothing_of_what_is_read(folder: Path) -> None:
    """Commits that are signed, and settings that change what `git log` and `git show` print."""
    signer = folder / "signer"
    made = "cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo '-----BEGIN PGP SIGNATURE-----'"
    signer.write_text(f"#!/bin/sh\n{made}\n")
    signer.chmod(0o755)
    (folder / "wörter\nneue").write_text("x\n" * 100)
    git(folder, "add", "-A")
    git(folder, "-c", f"gpg.program={signer}", "commit", "-q", "-S", "-m", "the Parser, signed")
    git(folder, "mv", "wörter\nneue", "other words")
    git(folder, "-c", f"gpg.program={signer}", "commit", "-q", "-S", "-m", "moved and signed")
    history = History.of(folder, good="start", bad="main")

    def read() -> list[object]:
        ways = ("lines", "words:parser|nothing", "paths:other*")
        return [history.described([32, 1, 31, 0]), *(history.weights(way) for way in ways)]

    before = read()
    assert [text.split(maxsplit=2)[2] for text in history.described([32, 31])] == [
        "moved and signed",
        "the Parser, signed",
    ]
    assert history.weights("lines") == [3] * 30 + [8, 1]  # 102 lines have seven bits
    signer.write_text("#!/bin/sh\ncat > /dev/null\necho 'gpg: it is good' >&2\n")
    git(folder, "config", "gpg.program", str(signer))
    git(folder, "config", "log.showSignature", "true")
    assert "gpg: " in git(folder, "log", "-1")
    assert read() == before
    for name, value in SETTINGS.items():
        git(folder, "config", name, value)
    assert read() == before


@pytest.mark.parametrize("how", ["--cone", "--no-cone", "by hand"])
def test_worktrees_are_whole_where_the_users_checkout_is_sparse(folder: Path, how: str) -> None:
    (folder / "kept").mkdir()
    (folder / "kept" / "file").write_text("kept")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "commit 31")
    (folder / "below").mkdir()
    git(folder, "mv", "number", "below/number")
    git(folder, "commit", "-q", "-m", "commit 32")
    if how == "by hand":  # as it was done before git had a command for it
        git(folder, "config", "core.sparseCheckout", "true")
        (folder / ".git" / "info").mkdir(exist_ok=True)
        (folder / ".git" / "info" / "sparse-checkout").write_text("kept/\n")
        git(folder, "read-tree", "-mu", "HEAD")
    else:
        git(folder, "sparse-checkout", "set", how, "kept")
    configs = [*(folder / ".git").glob("config*")]
    before = [path.read_text() for path in configs]
    assert not (folder / "below").exists()
    trees = Trees(folder, folder / ".git" / "feint-bisect" / "trees")
    with trees.tree("main") as path:
        assert (path / "below" / "number").read_text() == "30"
        assert (path / "kept" / "file").exists()
        for words in (("reset", "--hard", "main~10"), ("checkout", "--detach", "main")):
            git(path, *words)
            assert git(path, "status", "--porcelain") == ""
        assert (path / "below" / "number").read_text() == "30"  # a check's own git keeps it whole
    assert [path.read_text() for path in configs] == before
    assert not (folder / "below").exists()
    assert git(folder, "status", "--porcelain") == ""
