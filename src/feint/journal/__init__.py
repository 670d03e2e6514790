"""Store searches: in memory, or durably in a folder of files or sealed in SQL.

Names load on first use, so that code that needs only `polls`, such as the client, does not load the
stores.
"""

from typing import TYPE_CHECKING

from feint.exact.loading import on_first_use

if TYPE_CHECKING:
    from feint.journal import polls
    from feint.journal.copies import backup, restore
    from feint.journal.folder import Folder
    from feint.journal.lasting import Lasting, begin, going_on
    from feint.journal.memory import Memory
    from feint.journal.rotation import rotate_data_keys, rotate_key
    from feint.journal.sealing import fresh_key, key_text, read_key, write_key
    from feint.journal.sql import SQL
else:
    __getattr__ = on_first_use(
        __name__,
        "polls",
        names={
            "SQL": "sql",
            "Folder": "folder",
            "Lasting": "lasting",
            "Memory": "memory",
            "backup": "copies",
            "begin": "lasting",
            "fresh_key": "sealing",
            "going_on": "lasting",
            "key_text": "sealing",
            "read_key": "sealing",
            "restore": "copies",
            "rotate_data_keys": "rotation",
            "rotate_key": "rotation",
            "write_key": "sealing",
        },
    )

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
    "polls",
    "read_key",
    "restore",
    "rotate_data_keys",
    "rotate_key",
    "write_key",
]
