"""The flags that say where searches are kept: a database here, or a server."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from feint.cli.flags.flag import argument, flag
from feint.errors import InvalidValue, MissingExtra

if TYPE_CHECKING:
    from feint.journal.polls import Polls, Terms
    from feint.problem import Query, Result
    from feint.search import Search
    from feint.server.client import Client

TOKEN = "FEINT_TOKEN"
DATABASE = "FEINT_DATABASE"

Name = Annotated[str, argument("What the search is called.", "SEARCH", "The search")]
Server = Annotated[
    str | None,
    flag(f"A server's address; the token is in {TOKEN}.", "URL", "Where it is kept", "--server"),
]


@dataclass(frozen=True, kw_only=True)
class DatabaseFlags:
    """Where the database is, and its key; None: it was left out."""

    database: Annotated[
        str | None,
        flag(
            "sqlite:///PATH or postgresql://USER@HOST/NAME. If it holds a password, set"
            f" {DATABASE} instead: other users can read a command. Default: {DATABASE}, else a"
            " file of your own.",
            "URL",
            "Where it is kept",
        ),
    ] = None
    key_file: Annotated[
        Path | None,
        flag(
            "The file of the key that opens it, unless FEINT_KEY holds the key. It is made if"
            " there is none. Default: a file of your own, in another folder than the database.",
            "FILE",
            "Where it is kept",
        ),
    ] = None

    @property
    def url(self) -> str:
        """The database's."""
        return self.database or os.environ.get(DATABASE) or f"sqlite:///{_data() / 'journal.db'}"

    @property
    def is_own(self) -> bool:
        """Return True if neither the flag nor the environment names a database."""
        return not (self.database or os.environ.get(DATABASE))

    @property
    def key(self) -> Path:
        """The key's file.

        Earlier versions put it beside the database. A key that is still there is used, unless
        there is one in the place of today.
        """
        if self.key_file is not None:
            return self.key_file
        new, old = _config() / "key", _data() / "key"
        return old if old.exists() and not new.exists() else new

    def advice(self) -> str | None:
        """Return how to move a key that lies beside the data it protects; None if it does not."""
        if self.key_file is not None or "FEINT_KEY" in os.environ or self.key.parent != _data():
            return None
        new = _config() / "key"
        commands = f"mkdir -p -m 700 {shlex.quote(str(new.parent))}"
        commands += f" && mv {shlex.quote(str(self.key))} {shlex.quote(str(new))}"
        return f"The key lies beside the database, and a thief of one has both. Move it: {commands}"

    def polls(self, *, create: bool = True) -> Polls:
        """What is in the database.

        Args:
            create: Whether one that is named and is not there is made, and its key.

        Raises:
            FeintError: It cannot be opened.
        """
        from feint.journal import SQL, read_key
        from feint.journal.polls import Polls

        made = create or self.is_own
        return Polls(SQL(self.url, key=read_key(self.key, create=made), create=made))


class Place(Protocol):
    """Where searches are kept, for their owner."""

    def overview(self) -> list[dict[str, Any]]:
        """Return where every search stands; of one that is no poll, its name alone."""

    def restored(self) -> float | None:
        """Return when the database was restored from a backup last; None: it never was."""

    def status(self, name: str) -> dict[str, Any]:
        """Where one stands."""

    def open(self, name: str) -> tuple[Query, ...]:
        """Its open questions."""

    def answer(self, name: str, id: str, yes: bool) -> None:
        """Answer one of them."""

    def result(self, name: str) -> Result:
        """What was found."""

    def search(self, name: str) -> Search:
        """The whole search."""

    def take_in(self, name: str, search: Search, *, terms: Terms) -> object:
        """Go on with a search there."""


class _Remote:
    """The searches of a server."""

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
    """Where searches are kept, by the flags.

    Args:
        server: Its address.
        database: The database, where there is no server.
        create: As in `DatabaseFlags.polls`.

    Raises:
        InvalidValue: Both a server and a database are given, or there is no token.
        FeintError: It cannot be opened.
    """
    if server is None:
        return database.polls(create=create)
    if database.database is not None:
        rule = "stands in place of a database"
        raise InvalidValue("--server", server, rule, "leave one of them out")
    from feint.server.client import Client

    return _Remote(Client(server, token()))


def token(environment: Mapping[str, str] = os.environ) -> str:
    """The token that the environment holds.

    Raises:
        InvalidValue: There is none.
    """
    found = environment.get(TOKEN, "").strip()
    if not found:
        rule = f"a server asks for one, in the environment as {TOKEN}: others can read a command"
        raise InvalidValue("token", "none", rule, f"read -s {TOKEN}; export {TOKEN}")
    return found


def _data() -> Path:
    """Return the folder of your own data."""
    data: Path = _folders().user_data_path("feint")
    return data


def _config() -> Path:
    """Return the folder of your own key: never that of the data, which is copied and backed up.

    macOS and Windows have one folder for data and settings; there it has a name of its own.
    """
    config: Path = _folders().user_config_path("feint")
    return config if config != _data() else config.with_name("feint-key")


def _folders() -> Any:
    try:
        import platformdirs
    except ImportError:
        raise MissingExtra("cli", "platformdirs") from None
    return platformdirs
