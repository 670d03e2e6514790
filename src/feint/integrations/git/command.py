"""Git itself, called quietly, whatever the user's settings and the variables that git sets.

Git tells the programs that it starts, such as hooks and aliases, which repository, checkout and
index it is about. Those variables say which repository is meant here too; but passed on, they would
have a worktree's files written to the user's own index, and a check look at the user's checkout.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from feint.errors import InvalidValue, MissingExtra

_SETTINGS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "advice.detachedHead=false"),
    *("-c", "i18n.logOutputEncoding=UTF-8"),
)
# Settings that are given by hand (git -c, or safe.directory in a container) are about no repository
# in particular; git passes them on to submodules, too.
_KEPT = ("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT")


def git(folder: Path, *words: str, told: str = "") -> str:
    """Run git quietly and without hooks, in the repository of a folder.

    Args:
        folder: Where to run it. Where git's own variables name a repository, it is that one, as
            with git; git is run without them all the same.
        words: Its arguments.
        told: Its standard input.

    Returns:
        What it printed, read as UTF-8; bytes that are none are replaced.

    Raises:
        MissingExtra: There is no git.
        subprocess.CalledProcessError: It failed; `stderr` says why.
    """
    named: tuple[str, ...] = ()
    if any(name in os.environ for name in _local()):
        named = _named(folder)
    return _run(folder, *named, *words, told=told, environment=own_environment())


def git_folder(folder: Path) -> Path:
    """Where the repository of a folder keeps its own files.

    Raises:
        InvalidValue: The folder is in no repository.
    """
    try:
        found = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    except subprocess.CalledProcessError:
        rule = "is in no git repository"
        raise InvalidValue("folder", folder, rule, "go to one") from None
    return Path(found.removesuffix("\n"))


def own_environment() -> dict[str, str]:
    """The environment for what works in a checkout of its own: no variable names another.

    Raises:
        MissingExtra: There is no git.
    """
    return {name: value for name, value in os.environ.items() if name not in _local()}


@cache
def _local() -> frozenset[str]:
    """The variables that say which repository git is about, as this git has them."""
    listed = _run(Path(os.sep), "rev-parse", "--local-env-vars", environment=os.environ)
    return frozenset(listed.split()) - {*_KEPT}


def _named(folder: Path) -> tuple[str, ...]:
    """The flags that name the repository and the checkout that the variables are about."""
    asked = ("rev-parse", "--path-format=absolute")
    place = _run(folder, *asked, "--git-dir", environment=os.environ)
    flags = f"--git-dir={place.removesuffix(chr(10))}"
    try:
        top = _run(folder, *asked, "--show-toplevel", environment=os.environ)
    except subprocess.CalledProcessError:  # it has no checkout
        return (flags,)
    return flags, f"--work-tree={top.removesuffix(chr(10))}"


def _run(folder: Path, *words: str, environment: Mapping[str, str], told: str = "") -> str:
    command = ["git", *_SETTINGS, *words]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            input=told.encode(),
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise MissingExtra("git", "git itself") from None
    # Not read as text by subprocess, which takes the "\r" in a message for the end of a line.
    said, wrong = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, said, wrong)
    return said
