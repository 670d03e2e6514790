"""Replace the keys of a database. A crash at any moment leaves a key that opens it.

The new key is on disk before the database is changed, in one transaction. Then the key file is
replaced. After a crash in between, run it again, and it continues.
"""

from __future__ import annotations

import os
from pathlib import Path

from feint.errors import InvalidValue, WrongKey
from feint.journal.engines import Database
from feint.journal.sealing import VARIABLE, fresh_key, read_key, read_key_file, write_key
from feint.journal.sql import SQL
from feint.search import sync_folder


def rotate_key(url: str, path: Path, *, to: Path | None = None) -> Path:
    """Replace the master key of a database, so that the old one no longer opens it.

    Data keys are wrapped with the new key; the data they seal does not change. If it is
    interrupted, run it again until it returns; an existing new key is used. Backups are *not*
    changed and open with their old key. Other processes that have the database open must be
    restarted.

    Args:
        url: As in `SQL`.
        path: The file of the master key, unless FEINT_KEY holds it, as in `read_key`.
        to: The file of the new key, created if missing. None: the new key replaces the old one in
            `path`.

    Returns:
        The file that holds the new key.

    Raises:
        InvalidValue: FEINT_KEY or a file behind a link holds the old key, and `to` is not given.
        BadState: The database or the key does not exist, or others can read a key file.
        WrongKey: Neither the old nor the new key opens the database.
        Unavailable: The database cannot be reached.
    """
    if to is None and VARIABLE in os.environ:
        rule = f"{VARIABLE} holds the key, and a new one must be kept somewhere"
        raise InvalidValue("to", "nothing", rule, "name a file for it")
    if to is None and path.is_symlink():  # the owner of the link's target would not see the new key
        rule = "is a link, and the new key would take the link's place"
        raise InvalidValue("key", path, rule, "name a file for the new key with --to")
    old = read_key(path, create=False)
    Database(url, create=False).close()  # otherwise the key of a missing database would be replaced
    beside = to or path.with_name(f"{path.name}.new")
    try:
        new = write_key(beside, fresh_key())
    except FileExistsError:  # from an interrupted rotation, or chosen by the owner
        new = read_key_file(beside)
    try:
        store = SQL(url, key=old)
    except WrongKey:
        SQL(url, key=new).close()  # only the file remained to be replaced
    else:
        store.rotate(new)
        store.close()
    if to is None:
        os.replace(beside, path)
        sync_folder(path.parent)
        return path
    return to


def rotate_data_keys(url: str, path: Path) -> int:
    """Give every search a new data key, and seal all its data again.

    Each search is one transaction. If it is interrupted, all searches still open, and it can be run
    again. A server may run meanwhile. Afterwards, earlier copies of single searches and stolen data
    keys are useless in this database.

    Args:
        url: As in `SQL`.
        path: The file of the master key, unless FEINT_KEY holds it, as in `read_key`.

    Returns:
        The number of searches.

    Raises:
        Tampered: A search was changed outside feint. The searches before it have new keys.
        BadState: The database or the key does not exist.
        WrongKey: The database was made with another key.
        Unavailable: The database cannot be reached.
    """
    store = SQL(url, key=read_key(path, create=False), create=False)
    try:
        return store.rotate_data()
    finally:
        store.close()
