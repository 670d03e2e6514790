"""Define `feint seal`, which runs a check in public without showing its outcome."""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from click import UsageError

from feint.cli import show
from feint.errors import BadState, InvalidValue
from feint.exact import rational

if TYPE_CHECKING:
    from feint.integrations.git import CheckResult


def seal(
    *,
    command: list[str] | None = None,
    to: str | None = None,
    new_key: Path | None = None,
    open: Path | None = None,
    key: Path | None = None,
    sealed_check: Path | None = None,
    commit: str | None = None,
    output: Path | None = None,
    limit: str = "600",
    no_wait: bool = False,
) -> None:
    """Run a check in public without showing its outcome: verdict and log are sealed to the owner.

    The output of the check is captured, the exit status is always 0, the file
    always has the same size, and the job lasts until five seconds after its
    limit. At home, feint bisect --tell reads the verdict and --open shows the
    log.

    With --sealed-check the check itself is sealed, by feint bisect
    --seal-check. It is opened outside of the checkout with the key in the
    variable FEINT_CHECK_KEY.

    Exit status:
    0 the check was run, with any outcome;
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
    if to is None or not (command or sealed_check):
        raise UsageError("missing --to or the command after --: --help says what they mean")
    seconds = float(rational(limit, "limit"))
    if seconds <= 0:
        raise InvalidValue("limit", limit, "must be positive", "give seconds, such as 600")
    name = commit or os.environ.get("FEINT_COMMIT") or "HEAD"
    full = git.commit_named(Path.cwd(), name)
    path = (output or Path(f"{full}.sealed")).absolute()
    with _opened_check(sealed_check) as check:
        words = command or ([str(check)] if check is not None else [])
        environment = git.check_environment()
        if check is not None:
            environment["FEINT_CHECK"] = str(check)
        file = path.open("ab")  # refuse an unwritable file before there is a verdict
        try:
            box = git.seal_check(
                words,
                commit=full,
                to=to,
                limit=seconds,
                wait=not no_wait,
                environment=environment,
            )
        except BaseException:  # an interrupt too
            file.close()
            if not path.stat().st_size:
                path.unlink()
            raise
    _put(box, file, path)
    show.lines(f"Sealed: {path.name}")


@contextmanager
def _opened_check(sealed: Path | None) -> Iterator[Path | None]:
    """Unpack a sealed check outside of the checkout during the block."""
    from feint.integrations import git

    if sealed is None:
        yield None
        return
    key = os.environ.get(git.KEY_VARIABLE)
    if not key:
        raise UsageError(f"--sealed-check needs {git.KEY_VARIABLE}: the text of the jobs' key")
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            text = sealed.read_bytes()
            box = text if not text.isascii() else b64decode(text)
            check = git.unpack(box, key, Path(folder))
        except (OSError, ValueError) as error:
            if isinstance(error, BadState):
                raise BadState("--sealed-check", sealed, error.rule, error.remedy) from None
            rule = "cannot be read"
            raise BadState("--sealed-check", sealed, rule, "name what --list printed") from None
        yield check


def _put(box: bytes, file: BinaryIO, path: Path) -> None:
    """Write a sealed box to the file that was opened before the check.

    The check may have removed the file, its folder, or the permission to write. If writing fails
    anyway, no error is shown, because it would reveal what the check did.
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
    """Return the content of a sealed file.

    Args:
        file: The sealed file.
        key: The file of the private key, from --key.
        flag: The flag that names the sealed file, for errors.
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
    """Print the commit, the exit code and the log, without control characters."""
    shown = (
        "".join(c if c.isprintable() else " " for c in line) for line in result.log.split("\n")
    )
    show.lines(f"{result.commit}  exit code {result.code}", *shown)
