"""A journal that is a folder of files, each of which `feint run` keeps and resumes too.

A file holds what a search has come to, and not how: an answer that was changed is written over, and
its size never changes. So a file belongs to one process at a time, which has it locked; for that
process the events have the order in which it appended them.

Every round and every answer has a check under the search's key, with its number: a gap, or a line
in another one's place, is refused. An older answer of the round that is open, or an older file, is
not noticed when a file is opened, because nothing in it counts writes. Whoever can write the file
can also read its key; a store in SQL, whose key is kept apart, notices both.
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
    """A search whose file is open, and its events as they came."""

    search: Search
    events: list[Event]


class Folder:
    """A journal in a folder. Threads may share it; another process waits until it is closed."""

    def __init__(self, path: Path) -> None:
        """Use a folder, which is made for its owner alone if there is none."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._opened: dict[str, _Opened] = {}
        self._lock = RLock()

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """As in `Journal`.

        Raises:
            BadState: Another process has the file open, or the header is of no search.
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
        """As in `Journal`."""
        return sorted(unquote(each.stem) for each in self._path.glob(f"*{_ENDING}"))

    def header(self, name: str) -> dict[str, Any]:
        """As in `Journal`."""
        with self._lock:
            return self._open(name).search.header()

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """As in `Journal`."""
        with self._lock:
            return [dict(event) for event in self._open(name).events[start:]]

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """As in `Journal`.

        Raises:
            BadState: The event does not follow from those before it.
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
        """As in `Journal`."""
        path = self._file(name)
        with self._lock:
            self._opened.pop(name, None)
            path.unlink(missing_ok=True)

    def close(self, name: str | None = None) -> None:
        """Let other processes have the file of one search; None: all files.

        The folder can still be used: a file is opened again when it is wanted.
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
    """Have a search take an event, which puts it on the disk."""
    if "tell" in event:
        search.tell(event["tell"], event["yes"])
        return
    before = search.round
    search.ask()
    shown = search.events()
    if search.round != before + 1 or {"round": event["round"], "ask": event["ask"]} not in shown:
        rule = "this round does not follow from the answers before it"
        raise BadState("event", f"round {event['round']}", rule, "go on with what it asks")
