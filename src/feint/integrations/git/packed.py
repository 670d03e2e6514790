"""Seal a check for the jobs of a CI, so that others who see the CI cannot read it."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

from feint.errors import BadState, InvalidValue
from feint.integrations.git.box import lock, unlock
from feint.search import write_private

KEY_VARIABLE = "FEINT_CHECK_KEY"  # the name of the CI secret with the key of the jobs

# The files by which a step of GitHub Actions shows a summary or changes later steps. Some test
# runners write their results there if they find these variables, and everybody could read them.
_SHOWN = frozenset(f"GITHUB_{name}" for name in ("ENV", "OUTPUT", "PATH", "STATE", "STEP_SUMMARY"))

# Boxes have few sizes, so that a size reveals little about a check. Boxes of two steps still fit as
# text into an input of a GitHub workflow, which takes 65,535 characters.
_STEP = 1 << 14
_LENGTH = 4  # bytes of the length of the archive


def pack(path: Path, to: str) -> bytes:
    """Seal a check.

    Args:
        path: A file or a folder.
        to: The public key of the jobs that run it.

    Returns:
        The box. It does not reveal when it was made, or by whom.

    Raises:
        InvalidValue: There is no such file, or `to` is not a public key.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    if not path.exists():
        raise InvalidValue("check", path, "there is no such file or folder", "name one")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:xz") as tar:
        tar.add(path, arcname=path.name, filter=_anonymous)
    data = len(archive.getvalue()).to_bytes(_LENGTH, "big") + archive.getvalue()
    return lock(data.ljust(-(-len(data) // _STEP) * _STEP, b"\0"), to, purpose="check")


def unpack(box: bytes, key: str, folder: Path) -> Path:
    """Open a sealed check.

    Args:
        box: A box from `pack`.
        key: The text of the private key, as stored in a secret of the CI.
        folder: A private folder outside of the checkout for the unpacked check.

    Returns:
        The file or folder.

    Raises:
        BadState: The key does not open it.
        MissingExtra: cryptography is not installed, or is older than 47.
    """
    held = folder / "key"
    write_private(held, key.encode())
    try:
        data = unlock(box, held, purpose="check")
    finally:
        held.unlink()
    length = int.from_bytes(data[:_LENGTH], "big")
    with tarfile.open(fileobj=io.BytesIO(data[_LENGTH : _LENGTH + length])) as tar:
        names = [each.name.split("/")[0] for each in tar.getmembers()]
        if not names:
            raise BadState("sealed check", f"{len(box)} bytes", "is empty", "seal it again")
        tar.extractall(folder, filter="data")  # write nothing outside of the folder
    return folder / names[0]


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.mtime = info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def check_environment() -> dict[str, str]:
    """Return the environment for a check, without the key that opened it and files that show."""
    hidden = {KEY_VARIABLE, *_SHOWN}
    return {name: value for name, value in os.environ.items() if name not in hidden}
