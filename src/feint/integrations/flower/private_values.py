"""Let a client flip its bits. Each flip is drawn once, stored, and resent unchanged.

A folder stores the bits that were sent, which are flipped, and never the true ones. An answer is on
disk before it is sent, so a client that crashes in between resends it unchanged.
"""

from __future__ import annotations

import json
import secrets
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

from feint.errors import BadState, InvalidValue, RepeatedSearch
from feint.exact import Number, fraction, plain, rational, text, whole
from feint.integrations.flower.wire import Question, Terms
from feint.planning import COIN, flip_chance
from feint.search import read_private, sync_folder, write_private

_FIELDS = {"question", "loss", "bit"}


@dataclass(frozen=True)
class PrivateValues:
    """A client's number, about which the client sends only flipped bits.

    Attributes:
        values: The number, as in `replied`.
        local_epsilon: The privacy budget for one search, resends included.
        folder: The folder of the bits that were sent.
        searches: The most searches that are answered; None: any number, with a warning.
    """

    values: Any
    local_epsilon: Fraction
    folder: Path
    searches: int | None = None

    def answer(
        self, asked: Sequence[Question], terms: Terms, truth: Callable[[Sequence[Question]], Any]
    ) -> list[bool]:
        """Return a flipped bit for each question; a repeated question gets the same bit.

        Args:
            asked: The questions.
            terms: The identifier of the search, and the privacy loss of one answer.
            truth: Returns the true answers to questions.

        Raises:
            InvalidValue: The budget does not suffice, or this is one search too many.
            BadState: A file of the folder is not a stored answer.
        """
        folder = self.folder / terms.search
        if not folder.is_dir():
            self._join(folder)
        sync_folder(self.folder)  # another process may have made the folder and not synced it yet
        return [self._bit(folder, each, terms, truth) for each in asked]

    def _join(self, folder: Path) -> None:
        """Make the folder of a search, if this client may join another.

        Raises:
            InvalidValue: It has joined the most that are allowed.
        """
        _make(self.folder)
        # As answers do, each search takes a numbered place, which is written once. So processes
        # that join at the same time cannot exceed the limit. The folder comes after its place.
        for number in count():
            if number == self.searches:
                rule = "have been answered: each loses a budget of its own"
                remedy = "raise searches, or leave this client out"
                raise InvalidValue("searches", number, rule, remedy)
            path = self.folder / f"{number}.search"
            if not path.exists():
                with suppress(FileExistsError):  # another process took the place
                    write_private(path, folder.name.encode())
            if read_private(path, "folder") == folder.name.encode():
                break
        if self.searches is None and number:
            said = (
                f"this client now answers {number + 1} searches, which together may lose"
                f" {number + 1} times local_epsilon: give searches to limit them"
            )
            warnings.warn(said, RepeatedSearch, stacklevel=2)
        _make(folder)

    def _bit(
        self, folder: Path, question: Question, terms: Terms, truth: Callable[..., Any]
    ) -> bool:
        words = f"{question.coordinate} {text(question.value)}"
        # Each answer takes a numbered place. A place is written once, so two processes that answer
        # at the same time cannot spend more than the budget, nor answer one question twice.
        for number in range(self.local_epsilon // terms.loss):
            path = folder / f"{number}.json"
            if not path.exists():
                (said,) = truth([question])
                bit = bool(said) != (secrets.randbits(COIN) < flip_chance(terms.loss) * (1 << COIN))
                kept = {"question": words, "loss": text(terms.loss), "bit": bit}
                with suppress(FileExistsError):  # another process took the place: read its answer
                    write_private(path, json.dumps(kept).encode())
            held = _held(path)
            if fraction(held["loss"], "loss") != terms.loss:
                rule = "the answers to one search all lose the same"
                raise InvalidValue("loss", plain(terms.loss), rule, "begin another search")
            if held["question"] == words:
                return bool(held["bit"])
        rule = "is used up, or smaller than the loss of one answer of this search"
        remedy = f"allow {plain(terms.loss)} or more for each question, or leave this client out"
        raise InvalidValue("local_epsilon", plain(self.local_epsilon), rule, remedy)


def private_values(
    values: Callable[[Any], Any],
    *,
    local_epsilon: Number,
    folder: str | Path | Callable[[Any], str | Path],
    searches: int | None = None,
) -> Callable[[Any], PrivateValues]:
    """Let a client answer with flipped bits only, for `private_quantile` with `local_epsilon`.

    Bits are flipped with the randomness of the operating system. The messages of a client in one
    search are `local_epsilon` locally differentially private together: for any two numbers that the
    client may hold, they are at most e^local_epsilon times likelier with one than with the other.
    Each new search has its own budget, so k searches lose k times as much together. `searches`
    limits them. `folder` has a subfolder for each.

    Args:
        values: Returns the client's number, given Flower's Context, as in `client_app`.
        local_epsilon: The largest privacy loss of the client's messages in one search. A search
            that needs more is refused with an error.
        folder: A folder of this client alone, on a disk that survives restarts; or a function of
            Flower's Context that returns one, for simulations with many clients on one machine.
        searches: The most searches that this client answers; others are refused with an error.
            None: any number, with the warning `feint.errors.RepeatedSearch` from the second on.

    Returns:
        The argument `values` for `client_app`, `add_answers` and `answering_mod`.

    Raises:
        InvalidValue: The budget is not positive, or above 40, or `searches` is not positive.

    Example:
        >>> from feint.integrations.flower import client_app, private_values
        >>> own = private_values(lambda context: 41.5, local_epsilon=1, folder="/var/lib/bits")
        >>> app = client_app(own)
    """
    budget = rational(local_epsilon, "local_epsilon")
    flip_chance(budget)  # refuses a budget that is out of range
    most = None if searches is None else whole(searches, "searches", least=1)

    def private(context: Any) -> PrivateValues:
        where = folder(context) if callable(folder) else folder
        return PrivateValues(values(context), budget, Path(where), most)

    return private


def _make(folder: Path) -> None:
    """Create a folder and its parents, so that they survive a crash of the machine."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def _held(path: Path) -> dict[str, Any]:
    """Return the answer in a file.

    Raises:
        BadState: The file is not a stored answer.
    """
    try:
        held: dict[str, Any] = json.loads(read_private(path, "folder"))
        if set(held) == _FIELDS and isinstance(held["bit"], bool):
            return held
    except ValueError:
        pass
    rule = "must hold an answer that was sent"
    raise BadState("folder", path.name, rule, "give a folder of this client's own") from None
