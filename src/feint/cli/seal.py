"""`feint seal`: run a check where everybody watches, so that nothing shows."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer
from click import UsageError

from feint.cli import show
from feint.cli.flags.flag import flag, switch
from feint.errors import BadState, InvalidValue
from feint.exact import rational

if TYPE_CHECKING:
    from feint.integrations.git import CheckResult

Command = Annotated[
    list[str] | None,
    typer.Argument(
        help="After --, the check and its arguments.",
        metavar="COMMAND",
        rich_help_panel="The check",
        show_default=False,
    ),
]
To = Annotated[str | None, flag("The owner's public key.", "NAME", "The search", "--to")]
NewKey = Annotated[
    Path | None,
    flag(
        "Make a key pair: the private key goes to this file, the public one is printed.",
        "FILE",
        "The search",
        "--new-key",
    ),
]
Open = Annotated[
    Path | None,
    flag("Print what is in a sealed file: for the owner's eyes.", "FILE", "The search", "--open"),
]
Key = Annotated[Path | None, flag("The private key that opens it.", "FILE", "The search", "--key")]
Commit = Annotated[
    str | None,
    flag("The commit that is checked. Default: $FEINT_COMMIT, or HEAD.", "NAME", "The search"),
]
Output = Annotated[
    Path | None, flag("The sealed file. Default: COMMIT.sealed.", "FILE", "Output", "--output")
]
Limit = Annotated[
    str,
    flag(
        "Seconds after which the check is ended, and until which the job lasts. Default: 600.",
        "NUMBER",
        "Work",
        "--limit",
    ),
]
NoWait = Annotated[
    bool,
    switch("--no-wait", "End with the check: how long it takes is then seen by everybody.", "Work"),
]


def seal(
    *,
    command: Command = None,
    to: To = None,
    new_key: NewKey = None,
    open: Open = None,
    key: Key = None,
    commit: Commit = None,
    output: Output = None,
    limit: Limit = "600",
    no_wait: NoWait = False,
) -> None:
    """Run a check in public and show nothing of it: verdict and log are sealed to the owner.

    What the check prints is captured, the exit code is 0 however it ends, the file has one size,
    and the job lasts until five seconds after its limit. feint bisect --tell takes the
    verdict at home; --open shows the log.

    Exit codes:
    0 the check was run, whatever came out;
    2 bad input, before it is run;
    4 the sealed file cannot be written, before it is run.
    """
    from feint.integrations import git

    if new_key is not None:
        show.lines(git.new_key(new_key))
        return
    if open is not None:
        _print(unsealed(open, key, "--open"))
        return
    if to is None or not command:
        raise UsageError("missing --to or the command after --: --help says what they mean")
    seconds = float(rational(limit, "limit"))
    if seconds <= 0:
        raise InvalidValue("limit", limit, "must be positive", "give seconds, such as 600")
    name = commit or os.environ.get("FEINT_COMMIT") or "HEAD"
    full = git.commit_named(Path.cwd(), name)
    path = (output or Path(f"{full}.sealed")).absolute()
    file = path.open("ab")  # what cannot be written is known before there is a verdict
    try:
        box = git.seal_check(command, commit=full, to=to, limit=seconds, wait=not no_wait)
    except BaseException:  # an interrupt too
        file.close()
        if not path.stat().st_size:
            path.unlink()
        raise
    _put(box, file, path)
    show.lines(f"Sealed: {path.name}")


def _put(box: bytes, file: BinaryIO, path: Path) -> None:
    """Write a box to a file that was opened before the check was run.

    The check may have taken away the file, its folder, or the right to write there. Where nothing
    helps, nothing shows either: that would tell how the check went.
    """
    with suppress(OSError):
        with file:
            opened = os.fstat(file.fileno())
            file.truncate(0)
            file.write(box)
        if not path.exists() or not os.path.samestat(path.stat(), opened):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(box)


def unsealed(file: Path, key: Path | None, flag: str) -> CheckResult:
    """What is in a sealed file; where it cannot be opened, an error that names flag and file.

    Args:
        file: The sealed file.
        key: The file of the private key, as --key names it.
        flag: The flag that names the sealed file.
    """
    from feint.integrations import git

    if key is None:
        raise UsageError(f"{flag} needs --key: the file of the private key it is sealed to")
    try:
        return git.open_result(file.read_bytes(), key)
    except OSError as error:
        rule = f"cannot be read ({error.strerror})"
        raise BadState(flag, file, rule, "name a file that feint seal wrote") from None
    except BadState as error:
        if error.argument == "key":
            raise error.about("--key") from None
        raise BadState(flag, file, error.rule, error.remedy) from None


def _print(result: CheckResult) -> None:
    """Print the commit, the exit code and the log; no control character reaches the terminal."""
    shown = (
        "".join(c if c.isprintable() else " " for c in line) for line in result.log.split("\n")
    )
    show.lines(f"{result.commit}  exit code {result.code}", *shown)
