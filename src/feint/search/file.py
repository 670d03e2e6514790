"""Keep a search in a file of constant length, with every change on disk before it counts.

The first line is the header with the plan and the key. Then comes a line for each round of the
plan, shown or not (`rounds`). The file has its final length from the beginning, and an event
overwrites the place reserved for it: a round its line, an answer its slot. Versions 1 and 2
appended events. Then the file's size, which anyone can see, shows that an answer was changed, even
if all lines have one length. In place, a change takes only one or two writes.

Writing in place is safe against crashes, because only blanks are overwritten. A line or a copy of
an answer that is partly blank was never acknowledged and does not count. One without blanks must
match its check value, or the file is refused. Other content is blanked before it is overwritten,
and of the two copies of an answer one is complete at all times. If a write fails, the old content
is restored.

Reading does not change a file. A file of an older version is replaced before the next event: the
new one is written beside it with the suffix .new, synced to disk, and renamed.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from feint.errors import BadState
from feint.exact import Number
from feint.exact.parsing import parse
from feint.planning import Plan
from feint.problem import Domain, Preface, YesMeans
from feint.search import earlier, rounds
from feint.search.kinds import path_of
from feint.search.private import PrivateFile, size
from feint.search.rounds import BLANK, COPY, SLOT, Answer, Event, Layout
from feint.search.saved import IN_SLOTS, VERSION, check_version
from feint.search.search import Search
from feint.search.units import Asked
from feint.search.units import place as place_of

_APPENDED = 2  # the last version that appended events
_LOG = logging.getLogger(__name__)


class _Keeper:
    """A recorder that writes every event of a search to its file.

    Attributes:
        layout: The layout of the file.
        body: The offset of the first round.
        filled: The number of rounds that may be in it, complete or torn.
        stale: The new content that must replace a file of an older version before the next event.
    """

    def __init__(self, file: PrivateFile) -> None:
        self._file = file
        self.layout = Layout((), 0, b"")
        self.body = self.filled = 0
        self.stale: bytes | None = None

    def record(self, event: Event) -> None:
        """Record an event; when this returns, it is on disk."""
        if self.stale is not None:
            self._file.replace(self.stale)
            self.stale = None
        if "ask" in event:
            number, points = event["round"], event["ask"]
            self.filled = number + 1
            self._line(number, self.layout.shown(number, points, [None] * len(points)))
            return
        number, column = place_of(event["tell"]) or (0, 0)
        if self.filled > number + 1:  # recorded but interrupted before it was shown
            self._line(number + 1, self.layout.unshown(number + 1))
            self.filled = number + 1
        self._answer(number, column, event["yes"])

    def _line(self, number: int, kept: rounds.Kept) -> None:
        """Write the line of a round."""
        place, new = self.body + self.layout.start(number), rounds.line(kept)
        blank = rounds.line(self.layout.unshown(number))
        # After a crash, a mixture of an old and a new line would look like damage.
        if self._file.get(place, len(new)) not in (blank, new):
            self._file.put(place, blank)
        self._file.put(place, new)

    def _answer(self, number: int, column: int, yes: bool | None) -> None:
        """Write an answer into its slot, or erase the slot for None."""
        layout = self.layout
        digits = self._file.get(self.body + layout.point(number, column), layout.digits)
        asked = Asked(number, column, int(digits))
        place = self.body + layout.slot(number, column)
        slot = self._file.get(place, SLOT).decode()
        before = layout.answer(asked, slot)
        if yes is None:
            # The valid copy is erased last, because without it the other one would count again.
            last = 0 if before is None else before.copy
            for copy in (1 - last, last):
                if copy == last or slot[copy * COPY :][:COPY] != BLANK * COPY:
                    self._copy(place, copy, BLANK * COPY)
            return
        after = Answer(yes, 0, 0)
        if before is not None:
            after = before if before.yes is yes else before.changed(yes)
        there, new = slot[after.copy * COPY :][:COPY], layout.copy(asked, after)
        if there not in (BLANK * COPY, new):
            self._copy(place, after.copy, BLANK * COPY)
        self._copy(place, after.copy, new)

    def _copy(self, place: int, copy: int, text: str) -> None:
        self._file.put(place + copy * COPY, text.encode())


def create(
    path: str | os.PathLike[str],
    plan: Plan,
    *,
    seed: Number | None = None,
    yes_means: YesMeans = "at least",
    domains: Sequence[Domain] | None = None,
    preface: Preface | None = None,
) -> Search:
    """Create a search in a new file that only its owner may read.

    Its size follows from the plan and never changes. A person who can list the folder sees the
    times of writes, which may show that an answer was changed: docs/explanation/side-channels.md.

    Args:
        path: The file, which must not exist.
        plan: As in `Search`.
        seed: As in `Search`.
        yes_means: As in `Search`.
        domains: As in `Search`.
        preface: As in `Search`.

    Returns:
        The search. Its answers are on disk when `tell` returns, and the queries of a round when
        `ask` returns.

    Raises:
        BadState: The file exists and is not empty, or others can access it.
        InvalidValue: As in `Search`.
        MissingExtra: The system cannot lock files, and filelock is not installed.
        OSError: The file cannot be written; then none is left.
    """
    search = Search(plan, seed=seed, yes_means=yes_means, domains=domains, preface=preface)
    return _keep(path_of(path), search)


def create_again(
    path: str | os.PathLike[str], before: Search, *, fresh_key: bool = False
) -> Search:
    """Create the next search for the same number, in a new file.

    Args:
        path: The file, which must not exist. The earlier search keeps its own.
        before: An earlier search for the number.
        fresh_key: As in `Search.again`.

    Returns:
        The search, as by `create`.

    Raises:
        BadState: As `create`.
        InvalidValue: As `Search.again`.
        MissingExtra: As `create`.
        OSError: As `create`.
    """
    return _keep(path_of(path), before.again(fresh_key=fresh_key))


def keep(path: str | os.PathLike[str], search: Search) -> Search:
    """Move a search into a new file, in any state.

    Args:
        path: As in `create`.
        search: The search. Continue with the returned search and not with this one: an eavesdropper
            who hears the questions of both learns more than was promised.

    Returns:
        The same search, kept in the file as by `create`.

    Raises:
        BadState: As `create`.
        MissingExtra: As `create`.
        OSError: As `create`.
    """
    return _keep(Path(path), search)


def _keep(place: Path, search: Search) -> Search:
    """Write a search to a new file."""
    header, happened = search.header(), search.events()
    file = _new(place)
    keeper = _Keeper(file)
    keeper.layout, keeper.body = search.layout, len(_first_line(search))
    keeper.filled = search.round + 1
    try:
        file.put(0, _whole(search))
        file.sync_folder()
    except BaseException:  # an interrupt too
        file.remove()
        raise
    return Search.replayed(header, happened, record=keeper.record)


def _new(place: Path) -> PrivateFile:
    """Create a new file, and replace an empty one, left by a search that was killed at its start.

    Data is only written to a file created here, because an empty one may have been open to others
    before.
    """
    fresh = os.O_CREAT | os.O_EXCL
    with suppress(FileExistsError):
        return PrivateFile(place, fresh)
    if size(place) == 0:
        file = PrivateFile(place, 0)
        if file.empty:
            file.remove()
            with suppress(FileExistsError):
                return PrivateFile(place, fresh)
    raise _taken(place)


def _taken(place: Path) -> BadState:
    rule = "this file exists already"
    remedy = "go on with the search in it. For another number name another file: two searches for"
    remedy += " one number tell more than one"
    return BadState("state", place, rule, remedy)


class Begun(NamedTuple):
    """A search in a file, new or resumed.

    Attributes:
        search: The search.
        moved: The new path of a search without answers that was in the file; None: there was none.
    """

    search: Search
    moved: Path | None


def begin(
    path: str | os.PathLike[str],
    plan: Plan,
    *,
    seed: Number | None = None,
    yes_means: YesMeans = "at least",
    domains: Sequence[Domain] | None = None,
    preface: Preface | None = None,
) -> Begun:
    """Create a search in a file, even if the file holds a search without answers.

    Before its first answer, the questions of a search do not depend on the number. If it is the
    requested search, it is resumed. Otherwise its file is renamed, since someone may have a sheet
    of its first round, and the new search takes its place.

    Args:
        path: As in `create`.
        plan: As in `create`.
        seed: As in `create`.
        yes_means: As in `create`.
        domains: As in `create`.
        preface: As in `create`.

    Returns:
        The search, and the new path of another one.

    Raises:
        BadState: As in `create`; or the file holds a search with answers, or cannot be read.
        InvalidValue, MissingExtra, OSError: As in `create`.
    """
    place = path_of(path)

    def made() -> Search:
        return create(place, plan, seed=seed, yes_means=yes_means, domains=domains, preface=preface)

    with suppress(BadState):
        return Begun(made(), None)
    held = load(place)
    if held.answered:
        raise _taken(place)
    fresh = Search(plan, seed=seed, yes_means=yes_means, domains=domains, preface=preface)
    same = held.wanted == fresh.wanted and held.preface == fresh.preface
    if held.drawn_from(seed) and same:
        return Begun(held, None)
    del held  # which holds the file open
    names = (place.with_name(f"{place.name}.{number}") for number in count(1))
    moved = next(name for name in names if not name.exists())
    place.rename(moved)
    return Begun(made(), moved)


def load(path: str | os.PathLike[str]) -> Search:
    """Resume the search in a file.

    Args:
        path: The file.

    Returns:
        The search in its last state, kept in the same file.

    Raises:
        BadState: The file holds no search, others can access it, or another process has it open.
        MissingExtra: The system cannot lock files, and filelock is not installed.
        ReplayDiffers: The replay would ask other questions than were shown.
    """
    place = path_of(path)
    try:
        file = PrivateFile(place, 0)
    except FileNotFoundError:
        rule = "there is no such file"
        raise BadState("state", place, rule, "name the file of a search") from None
    with _about(place):
        search, keeper, cut_off = _loaded(file)
    search.recorded_by(keeper.record)
    if cut_off:
        said = (
            "%s was cut off while it was written; an answer that was never acknowledged is dropped"
        )
        _LOG.warning(said, place)
    return search


def _loaded(file: PrivateFile) -> tuple[Search, _Keeper, bool]:
    """Return the search in a file, its recorder, and True if its last write was torn.

    Raises:
        BadState: The file holds no search, or is damaged.
    """
    held, keeper = file.read(), _Keeper(file)
    header = _header(held)
    version = check_version(header)
    if version <= _APPENDED:
        events, cut_off = _appended(held)
        search = Search.replayed(header, events)
    elif version < IN_SLOTS:
        lines = _lines(held)
        torn = _torn(lines)
        search = Search.resumed(header, lines[:torn], torn=True, most=len(held))
        cut_off = torn is not None
        _check_body(held, b"".join(map(rounds.line, _as_before(search, lines, torn))))
    else:
        lines = _lines(held)
        search = Search.resumed(header, lines, torn=True, most=len(held))
        _check_body(held, b"".join(map(rounds.line, lines)))
        cut_off = any(map(rounds.is_torn, lines))
    keeper.layout, keeper.filled = search.layout, search.round + 1
    if version == VERSION:
        keeper.body = held.index(b"\n") + 1
        # The rest of a torn line would be in the way of the next answer.
        keeper.filled += search.round + 1 < len(lines) and rounds.is_torn(lines[search.round + 1])
    else:
        keeper.body, keeper.stale = len(_first_line(search)), _whole(search)
    return search, keeper, cut_off


def _first_line(search: Search) -> bytes:
    return json.dumps(search.header(), separators=(",", ":")).encode() + b"\n"


def _whole(search: Search) -> bytes:
    """Return a file that holds a search."""
    return _first_line(search) + b"".join(map(rounds.line, search.kept()))


@contextmanager
def _about(place: Path) -> Iterator[None]:
    """Add the file's name to errors about its content."""
    try:
        yield
    except BadState as error:
        rule = error.rule
        if error.argument != "state" or error.value:
            rule = f"{error.argument} = {error.value}: {rule}"
        raise BadState("state", place, rule, error.remedy) from None


def _header(held: bytes) -> dict[str, Any]:
    """Return the header in the first line of a file.

    Raises:
        BadState: The line is not a header.
    """
    try:
        header = parse(held.split(b"\n", 1)[0])
    except ValueError:
        header = None
    if not isinstance(header, dict):
        rule = "has no search: it was cut off before the first question, or is another file"
        raise BadState("state", "", rule, "name another file, or remove it and begin again")
    return header


def _appended(held: bytes) -> tuple[list[Any], bool]:
    """Return the events of a file of version 1 or 2, and True if one more was torn.

    Raises:
        BadState: A line is not an event.
    """
    end = held.rfind(b"\n") + 1
    _, *lines = held[:end].split(b"\n") if end else (b"",)
    try:
        events, cut_off = [parse(line) for line in lines if line], False
    except ValueError:
        raise _changed() from None
    if 0 < end < len(held):
        try:
            events.append(parse(held[end:]))
        except ValueError:
            cut_off = True
    if not all(isinstance(event, dict) for event in events):
        raise _changed()
    return events, cut_off


def _lines(held: bytes) -> list[Any]:
    """Return the rounds of a file with a line for each.

    Raises:
        BadState: A line is not a round.
    """
    try:
        return [parse(line) for line in held.split(b"\n")[1:-1]]
    except ValueError:
        raise _changed() from None


def _torn(lines: list[Any]) -> int | None:
    """Return the number of the torn round of a file of version 3."""
    try:
        return earlier.torn(lines)
    except (LookupError, TypeError):
        return None  # the replay reports the error


def _as_before(search: Search, lines: list[Any], torn: int | None) -> list[Any]:
    """Return the rounds in the format of version 3; a torn one unchanged."""
    layout, told = search.layout, iter(search.history)
    points = [list(map(int, each[rounds.ASK].split())) for each in lines[: search.round + 1]]
    kept = [
        earlier.shown(number, each, [next(told).answer for _ in each], layout.digits)
        for number, each in enumerate(points)
    ]
    kept += [earlier.unshown(width, layout.digits) for width in layout.widths[len(kept) :]]
    return kept if torn is None else [*kept[:torn], lines[torn], *kept[torn + 1 :]]


def _check_body(held: bytes, body: bytes) -> None:
    """Check that a file has exactly these lines after its first one.

    Raises:
        BadState: The lines differ.
    """
    if held.partition(b"\n")[2] != body or b"\n" not in held:
        raise _changed()


def _changed() -> BadState:
    rule = "does not match its plan: it was cut off while it was made, or changed since"
    remedy = "restore it; if no question of it was ever shown, remove it and begin again"
    return BadState("state", "", rule, remedy)
