"""Call git quietly and independently of the user's settings.

Git sets variables with the repository, checkout and index for programs that it starts, such as
hooks and aliases. These variables select the repository here too. But if they were passed on, files
of a worktree would be written to the user's index, and a check would see the user's checkout.
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
# Settings from the command line (git -c, or safe.directory in a container) apply to all
# repositories; git passes them on to submodules, too.
_KEPT = ("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT")


def git(folder: Path, *words: str, told: str = "") -> str:
    """Run git quietly and without hooks, in the repository of a folder.

    Args:
        folder: The folder to run it in. If git's variables name a repository, that one is used, as
            with git; but git runs without the variables.
        words: Its arguments.
        told: Its standard input.

    Returns:
        The output, read as UTF-8 with invalid bytes replaced.

    Raises:
        MissingExtra: Git is not installed.
        subprocess.CalledProcessError: Git failed; `stderr` has the reason.
    """
    named: tuple[str, ...] = ()
    if any(name in os.environ for name in _local()):
        named = _named(folder)
    return _run(folder, *named, *words, told=told, environment=own_environment())


def git_folder(folder: Path) -> Path:
    """Return the folder in which a repository keeps its own files.

    Raises:
        InvalidValue: The folder is not in a repository.
    """
    try:
        found = git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir")
    except subprocess.CalledProcessError:
        rule = "is in no git repository"
        raise InvalidValue("folder", folder, rule, "go to one") from None
    return Path(found.removesuffix("\n"))


def own_environment() -> dict[str, str]:
    """Return the environment for programs in their own checkout, without variables for another.

    Raises:
        MissingExtra: Git is not installed.
    """
    return {name: value for name, value in os.environ.items() if name not in _local()}


@cache
def _local() -> frozenset[str]:
    """Return the names of the variables that select a repository, from the installed git."""
    listed = _run(Path(os.sep), "rev-parse", "--local-env-vars", environment=os.environ)
    return frozenset(listed.split()) - {*_KEPT}


def _named(folder: Path) -> tuple[str, ...]:
    """Return the flags for the repository and the checkout that the variables select."""
    asked = ("rev-parse", "--path-format=absolute")
    place = _run(folder, *asked, "--git-dir", environment=os.environ)
    flags = f"--git-dir={place.removesuffix(chr(10))}"
    try:
        top = _run(folder, *asked, "--show-toplevel", environment=os.environ)
    except subprocess.CalledProcessError:  # a bare repository has no checkout
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
    # Decode here: subprocess in text mode would read "\r" in a message as the end of a line.
    said, wrong = (each.decode("utf-8", "replace") for each in (done.stdout, done.stderr))
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, said, wrong)
    return said
