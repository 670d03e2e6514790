"""Ask and tell on a journal, so that a search survives the process.

The state is a replay of the events. Each process keeps it and applies new events to it. If two
processes append at once, one succeeds, and the other reads that event and continues from there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from threading import RLock
from typing import TypeVar

from feint.errors import BadState, NumberTaken, SearchDone, UnknownQuery
from feint.exact import Number
from feint.interfaces import Journal, Progress
from feint.planning import Plan
from feint.problem import Domain, Query, Result, YesMeans
from feint.search import Answering, Event, Search, finish

T = TypeVar("T")


class Lasting:
    """A search in a journal, with the `ask` and `tell` of `Search`.

    Any number of threads and processes may ask and tell at once: each event is written once, and
    all of them ask the same questions.

    Attributes:
        name: Its name in the journal.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        """Open a search of a journal.

        Raises:
            UnknownSearch: The journal has no search of this name.
            BadState: The search cannot be read.
            ReplayDiffers: The replay would ask other questions than were shown.
        """
        self.name, self._journal = name, journal
        self._lock = RLock()
        events = journal.events(name)
        self._next = len(events)
        self._search = Search.replayed(journal.header(name), events, record=self._append)

    @property
    def search(self) -> Search:
        """Return the current search, for reading only."""
        with self._lock:
            self._catch_up()
            return self._search

    @property
    def done(self) -> bool:
        """Return True if every question of the plan is answered."""
        return self.search.done

    @property
    def result(self) -> Result:
        """Return the result, which is secret.

        Raises:
            NotDone: Some questions have no answer yet.
        """
        return self.search.result

    def ask(self) -> tuple[Query, ...]:
        """Return the open queries of the current round, or the next round once all are answered.

        They are in the journal when this returns.

        Raises:
            SearchError: As in `Search.ask`.
            Unavailable: The journal cannot be written.
        """
        with self._lock:
            self._catch_up()
            return self._going_on(self._search.ask)

    def tell(self, id: str, answer: bool) -> None:
        """Record the answer to a query; it is in the journal when this returns.

        Repeating an answer is always accepted, so a caller who is not sure that it was recorded
        can send it again.

        Raises:
            SearchError: As in `Search.tell`.
            Unavailable: The journal cannot be written.
        """
        with self._lock:
            try:
                self._going_on(lambda: self._search.tell(id, answer))
            except SearchDone:
                if self._search.told(id) is not bool(answer):
                    raise

    def finish(self, oracle: Answering, *, progress: Progress | None = None) -> Result:
        """Answer all remaining questions; each answer is in the journal before the next question.

        Args:
            oracle: The oracle, as in `feint.search.find`.
            progress: A callback that receives the number of answered questions after each answer.

        Returns:
            The result, which is secret.

        Raises:
            OracleFailed: As in `feint.search.finish`.
            Unavailable: The journal cannot be written.
        """
        return self._going_on(lambda: finish(self.search, oracle, progress=progress))

    def _going_on(self, step: Callable[[], T]) -> T:
        """Take a step; if another process continued the search, from its state."""
        while True:
            try:
                return step()
            except (NumberTaken, UnknownQuery):
                if not self._catch_up():
                    raise

    def _append(self, event: Event) -> None:
        mark = secrets.token_hex(16)
        self._next = self._journal.append(self.name, self._next, event, id=mark)

    def _catch_up(self) -> int:
        events = self._journal.events(self.name, start=self._next)
        self._search.follow(events)
        self._next += len(events)
        return len(events)


def begin(
    journal: Journal,
    name: str,
    plan: Plan,
    *,
    key: bytes | None = None,
    seed: Number | None = None,
    yes_means: YesMeans = "at least",
    domains: Sequence[Domain] | None = None,
) -> Lasting:
    """Create a search in a journal. Plan and key are stored before anything is asked.

    Args:
        journal: The journal.
        name: The name of the search.
        plan: As in `Search`.
        key: As in `Search`.
        seed: As in `Search`.
        yes_means: As in `Search`.
        domains: As in `Search`.

    Returns:
        The search.

    Raises:
        NameTaken: Another search has this name.
        InvalidValue: As in `Search`, or the name is not allowed.
    """
    search = Search(plan, key=key, seed=seed, yes_means=yes_means, domains=domains)
    journal.create(name, search.header())
    return Lasting(journal, name)


def going_on(
    journal: Journal,
    name: str,
    plan: Plan,
    *,
    seed: Number | None = None,
    domains: Sequence[Domain] | None = None,
) -> Lasting:
    """Open the search of this name or create it, so that a killed process can continue.

    Args:
        journal: The journal.
        name: The name of the search.
        plan: As in `Search`.
        seed: As in `Search`.
        domains: As in `Search`.

    Returns:
        The search, with the same questions as before.

    Raises:
        BadState: The existing search has another plan or other coins.
        InvalidValue: As in `begin`.
    """
    if name not in journal.names():
        return begin(journal, name, plan, seed=seed, domains=domains)
    found = Lasting(journal, name)
    held = found.search
    wanted = (plan, held.domains if domains is None else tuple(domains), "at least")
    if held.wanted != wanted or not held.drawn_from(seed):
        rule = "is a search for something else, or with other coins"
        raise BadState("name", name, rule, "give another name, or ask for the same")
    return found
