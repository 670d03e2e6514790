"""New keys for a database, so that a crash at any moment leaves a key that opens it.

The new key is on the disk before the database is changed, in one transaction; the key file is
replaced after that. Whoever is cut off in between runs it again, and it goes on from there.
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
    """Have a database open with a new master key, and with the old one no more.

    Data keys are wrapped anew; what they seal is not touched. It may be repeated until it returns:
    a new key that is there already is the one that is taken.

    What is *not* done: backups open with the key of their time, and other processes that have the
    database open must be started again.

    Args:
        url: As in `SQL`.
        path: The file of the master key, unless FEINT_KEY holds it, as in `read_key`.
        to: The file of the new key, which is made if there is none. None: it takes the old one's
            place in `path`, and the old one is gone.

    Returns:
        The file that holds the new key.

    Raises:
        InvalidValue: FEINT_KEY or a file behind a link holds the old key, and no file is named for
            the new one.
        BadState: There is no such database, or no key, or a file of one is not its owner's alone.
        WrongKey: The database opens neither with the old key nor with the new one.
        Unavailable: The database cannot be reached.
    """
    if to is None and VARIABLE in os.environ:
        rule = f"{VARIABLE} holds the key, and a new one must be kept somewhere"
        raise InvalidValue("to", "nothing", rule, "name a file for it")
    if to is None and path.is_symlink():  # whoever mounted it would not see the new one
        rule = "is a link, and the new key would take the link's place"
        raise InvalidValue("key", path, rule, "name a file for the new key with --to")
    old = read_key(path, create=False)
    Database(url, create=False).close()  # of one that is not there the key would be replaced
    beside = to or path.with_name(f"{path.name}.new")
    try:
        new = write_key(beside, fresh_key())
    except FileExistsError:  # of one that was cut off, or the owner's choice
        new = read_key_file(beside)
    try:
        store = SQL(url, key=old)
    except WrongKey:
        SQL(url, key=new).close()  # only the file was left to replace
    else:
        store.rotate(new)
        store.close()
    if to is None:
        os.replace(beside, path)
        sync_folder(path.parent)
        return path
    return to


def rotate_data_keys(url: str, path: Path) -> int:
    """Give every search a new data key, and seal all of it anew.

    Each search is one transaction: if it is cut off, all of them open, and it may be run again. The
    server may go on meanwhile. Afterwards a copy of a single search that was made before, or a data
    key that somebody had, is of no use in this database.

    Args:
        url: As in `SQL`.
        path: The file of the master key, unless FEINT_KEY holds it, as in `read_key`.

    Returns:
        How many searches there are.

    Raises:
        Tampered: A search was changed outside feint. Those before it have new keys.
        BadState: There is no such database, or no key.
        WrongKey: The database was made with another key.
        Unavailable: The database cannot be reached.
    """
    store = SQL(url, key=read_key(path, create=False), create=False)
    try:
        return store.rotate_data()
    finally:
        store.close()
