"""Keep a journal in a folder of search files, the same files that `feint run` uses.

A file holds the state of a search, not its history: a changed answer overwrites the old one, and
the size never changes. So a file belongs to one process at a time, which locks it. Within that
process, events are in the order in which they were appended.

Every round and every answer has a check value under the search's key, which covers its number. Gaps
and lines in the wrong place are refused. An older answer in the open round, or an older file, is
not noticed, because files have no count of writes. A person who can write the file can also read
its key. A store in SQL, whose key is kept elsewhere, notices both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from feint.errors import BadState
from feint.journal.codec import checked_name
from feint.journal.memory import taken_name, taken_number, unknown_search
from feint.search import Event, Search, keep, load

_ENDING = ".feint"


class _Opened(NamedTuple):
    """A search whose file is open, and its events in order."""

    search: Search
    events: list[Event]


class Folder:
    """A journal in a folder. Threads may share it; other processes wait until it is closed."""

    def __init__(self, path: Path) -> None:
        """Use a folder. A missing one is created with mode 0700."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._opened: dict[str, _Opened] = {}
        self._lock = RLock()

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """See `Journal`.

        Raises:
            BadState: Another process has the file open, or the header is not one of a search.
        """
        path = self._file(name)
        with self._lock:
            if path.exists():
                if self._open(name).search.header() != dict(header):
                    raise taken_name(name)
                return
            search = Search.replayed(dict(header), [])
            self._opened[name] = _Opened(keep(path, search), [])

    def names(self) -> list[str]:
        """See `Journal`."""
        return sorted(unquote(each.stem) for each in self._path.glob(f"*{_ENDING}"))

    def header(self, name: str) -> dict[str, Any]:
        """See `Journal`."""
        with self._lock:
            return self._open(name).search.header()

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """See `Journal`."""
        with self._lock:
            return [dict(event) for event in self._open(name).events[start:]]

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """See `Journal`.

        Raises:
            BadState: The event does not follow from the earlier ones.
        """
        with self._lock:
            search, events = self._open(name)
            if number != len(events):
                if not 0 <= number < len(events) or events[number] != dict(event):
                    raise taken_number(number)
                return number + 1
            _take(search, event)
            events.append(dict(event))
            return number + 1

    def delete(self, name: str) -> None:
        """See `Journal`."""
        path = self._file(name)
        with self._lock:
            self._opened.pop(name, None)
            path.unlink(missing_ok=True)

    def close(self, name: str | None = None) -> None:
        """Release the file of one search to other processes; None: all files.

        The folder stays usable: files are opened again when needed.
        """
        with self._lock:
            for each in list(self._opened) if name is None else [name]:
                self._opened.pop(each, None)

    def _file(self, name: str) -> Path:
        return self._path / f"{quote(checked_name(name), safe=' ')}{_ENDING}"

    def _open(self, name: str) -> _Opened:
        held = self._opened.get(name)
        if held is None:
            if not self._file(name).exists():
                raise unknown_search(name)
            search = load(self._file(name))
            held = self._opened[name] = _Opened(search, search.events())
        return held


def _take(search: Search, event: Mapping[str, Any]) -> None:
    """Apply an event to a search, which writes it to disk."""
    if "tell" in event:
        search.tell(event["tell"], event["yes"])
        return
    before = search.round
    search.ask()
    shown = search.events()
    if search.round != before + 1 or {"round": event["round"], "ask": event["ask"]} not in shown:
        rule = "this round does not follow from the answers before it"
        raise BadState("event", f"round {event['round']}", rule, "go on with what it asks")
