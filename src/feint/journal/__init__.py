"""Searches that outlive the process, in memory or in SQL; in SQL they are sealed."""

from feint.journal.copies import backup
from feint.journal.lasting import Lasting, begin
from feint.journal.memory import Memory
from feint.journal.sealing import fresh_key, key_text, read_key, write_key
from feint.journal.sql import SQL

__all__ = [
    "SQL",
    "Lasting",
    "Memory",
    "backup",
    "begin",
    "fresh_key",
    "key_text",
    "read_key",
    "write_key",
]
