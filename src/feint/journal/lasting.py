"""A search that outlives the process: ask and tell on a journal.

State is a replay of the events, kept in the process and brought up to date by those that came
after. Whoever appends the next event goes on; whoever comes second reads it and goes on from there.
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
        name: What it is called in the journal.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        """Go on with a search that is in a journal.

        Raises:
            UnknownSearch: There is none of this name.
            BadState: It cannot be read.
            ReplayDiffers: The replay would ask something else than was shown.
        """
        self.name, self._journal = name, journal
        self._lock = RLock()
        events = journal.events(name)
        self._next = len(events)
        self._search = Search.replayed(journal.header(name), events, record=self._append)

    @property
    def search(self) -> Search:
        """The search as it stands now: to read, not to tell."""
        with self._lock:
            self._catch_up()
            return self._search

    @property
    def done(self) -> bool:
        """Whether every question of the plan is answered."""
        return self.search.done

    @property
    def result(self) -> Result:
        """What was found. Secret.

        Raises:
            NotDone: There are questions left.
        """
        return self.search.result

    def ask(self) -> tuple[Query, ...]:
        """The open queries of the current round; once all are answered, those of the next.

        They are in the journal when it returns.

        Raises:
            As in `Search.ask`, and what the journal raises when it cannot be written.
        """
        with self._lock:
            self._catch_up()
            return self._going_on(self._search.ask)

    def tell(self, id: str, answer: bool) -> None:
        """Take the answer to a query; it is in the journal when this returns.

        The same answer again is accepted, also once every question is answered: whoever is not
        sure that it was taken may repeat it.

        Raises:
            As in `Search.tell`, and what the journal raises when it cannot be written.
        """
        with self._lock:
            try:
                self._going_on(lambda: self._search.tell(id, answer))
            except SearchDone:
                if self._search.told(id) is not bool(answer):
                    raise

    def finish(self, oracle: Answering, *, progress: Progress | None = None) -> Result:
        """Answer every question that is left; each answer is in the journal before the next.

        Args:
            oracle: Who answers, as in `feint.search.find`.
            progress: Told how many questions are answered, after every answer.

        Returns:
            What was found. Secret.

        Raises:
            As in `feint.search.finish`, and what the journal raises when it cannot be written.
        """
        return self._going_on(lambda: finish(self.search, oracle, progress=progress))

    def _going_on(self, step: Callable[[], T]) -> T:
        """Take a step; where somebody else went on, from where they got to."""
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
    """Begin a search in a journal: plan and key are there before anything is asked.

    Args:
        journal: Where.
        name: What to call it.
        plan: As in `Search`.
        key: As in `Search`.
        seed: As in `Search`.
        yes_means: As in `Search`.
        domains: As in `Search`.

    Returns:
        The search.

    Raises:
        NameTaken: There is one of this name.
        InvalidValue: As in `Search`, or it cannot be a name.
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
    """The search of this name, begun if there is none: a process that was killed goes on.

    Args:
        journal: Where.
        name: What it is called.
        plan: As in `Search`.
        seed: As in `Search`.
        domains: As in `Search`.

    Returns:
        The search, which asks what it asked before.

    Raises:
        BadState: The search of this name is for something else, or has other coins.
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
