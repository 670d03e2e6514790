"""Define the flags for the place of searches: a database, or a server."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feint.cli.flags.table import DATABASE, TOKEN
from feint.errors import InvalidValue, MissingExtra

if TYPE_CHECKING:
    from typing import TypeAlias

    from feint.journal.polls import Polls
    from feint.problem import Query, Result
    from feint.search import Search
    from feint.server.client import Client

    Place: TypeAlias = "Polls | _Remote"


@dataclass(frozen=True, kw_only=True)
class DatabaseFlags:
    """The database and its key; None if left out."""

    database: str | None = None
    key_file: Path | None = None

    @property
    def url(self) -> str:
        """The URL of the database."""
        return self.database or os.environ.get(DATABASE) or f"sqlite:///{_data() / 'journal.db'}"

    @property
    def is_own(self) -> bool:
        """Return True if neither the flag nor the environment variable names a database."""
        return not (self.database or os.environ.get(DATABASE))

    @property
    def key(self) -> Path:
        """The file of the key.

        Earlier versions put it next to the database. A key that is still there is used, unless
        there is one in the new place.
        """
        if self.key_file is not None:
            return self.key_file
        new, old = _config() / "key", _data() / "key"
        return old if old.exists() and not new.exists() else new

    def advice(self) -> str | None:
        """Return advice to move a key that lies next to its data; None if it does not."""
        if self.key_file is not None or "FEINT_KEY" in os.environ or self.key.parent != _data():
            return None
        new = _config() / "key"
        commands = f"mkdir -p -m 700 {shlex.quote(str(new.parent))}"
        commands += f" && mv {shlex.quote(str(self.key))} {shlex.quote(str(new))}"
        return f"The key lies beside the database, and a thief of one has both. Move it: {commands}"

    def polls(self, *, create: bool = True) -> Polls:
        """Open the database.

        Args:
            create: Whether to create a missing database and its key.
        """
        from feint.journal import SQL, read_key
        from feint.journal.polls import Polls

        create = create or self.is_own
        return Polls(SQL(self.url, key=read_key(self.key, create=create), create=create))


class _Remote:
    """The searches on a server, with the methods of `Polls` that the commands use."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.take_in = client.take_in

    def overview(self) -> list[dict[str, Any]]:
        return list(self._client.overview()["searches"])

    def restored(self) -> float | None:
        at: float | None = self._client.overview().get("restored")
        return at

    def status(self, name: str) -> dict[str, Any]:
        return self._client.search(name).status()

    def open(self, name: str) -> tuple[Query, ...]:
        return self._client.search(name).ask()

    def answer(self, name: str, id: str, yes: bool) -> None:
        self._client.search(name).tell(id, yes)

    def result(self, name: str) -> Result:
        return self._client.search(name).result

    def search(self, name: str) -> Search:
        return self._client.search(name).export()


def place(server: str | None, database: DatabaseFlags, *, create: bool = False) -> Place:
    """Open the database or the server that the flags name.

    Args:
        server: The address of a server; None: the database.
        database: The database.
        create: As in `DatabaseFlags.polls`.
    """
    if server is None:
        return database.polls(create=create)
    if database.database is not None:
        rule = "is used instead of a database"
        raise InvalidValue("--server", server, rule, "leave one of them out")
    from feint.server.client import Client

    return _Remote(Client(server, token()))


def token(environment: Mapping[str, str] = os.environ) -> str:
    """Return the token in the environment."""
    found = environment.get(TOKEN, "").strip()
    if not found:
        rule = f"a server needs one, in the environment as {TOKEN}: others can read a command line"
        raise InvalidValue("token", "none", rule, f"read -s {TOKEN}; export {TOKEN}")
    return found


def _data() -> Path:
    """Return the folder of the user's data."""
    data: Path = _folders().user_data_path("feint")
    return data


def _config() -> Path:
    """Return the folder of the user's key, never that of the data, which is copied and backed up.

    macOS and Windows have one folder for data and settings, so the folder has another name there.
    """
    config: Path = _folders().user_config_path("feint")
    return config if config != _data() else config.with_name("feint-key")


def _folders() -> Any:
    try:
        import platformdirs
    except ImportError:
        raise MissingExtra("cli", "platformdirs") from None
    return platformdirs
