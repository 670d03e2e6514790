"""Searches that outlive the process: in a folder of files, or sealed in SQL; and in memory."""

from feint.journal.copies import backup, restore
from feint.journal.folder import Folder
from feint.journal.lasting import Lasting, begin, going_on
from feint.journal.memory import Memory
from feint.journal.rotation import rotate_data_keys, rotate_key
from feint.journal.sealing import fresh_key, key_text, read_key, write_key
from feint.journal.sql import SQL

__all__ = [
    "SQL",
    "Folder",
    "Lasting",
    "Memory",
    "backup",
    "begin",
    "fresh_key",
    "going_on",
    "key_text",
    "read_key",
    "restore",
    "rotate_data_keys",
    "rotate_key",
    "write_key",
]
