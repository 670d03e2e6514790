"""Let a client flip its bits: each bit is drawn once, kept, and resent unchanged.

A folder keeps the sent bits, which are the flipped ones, and never the true ones. An answer is on
disk before it is sent, so a client that crashes in between resends it unchanged.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from feint.errors import BadState, InvalidValue
from feint.exact import Number, fraction, plain, rational, text
from feint.integrations.flower.wire import Question, Terms
from feint.planning import COIN, flip_chance
from feint.search import read_private, sync_folder, write_private

_FIELDS = {"question", "loss", "bit"}


@dataclass(frozen=True)
class PrivateValues:
    """A client's own number that is only revealed through flipped bits.

    Attributes:
        values: The number, as in `replied`.
        local_epsilon: The privacy budget for one search, resends included.
        folder: The folder that keeps the sent bits.
    """

    values: Any
    local_epsilon: Fraction
    folder: Path

    def answer(
        self, asked: Sequence[Question], terms: Terms, truth: Callable[[Sequence[Question]], Any]
    ) -> list[bool]:
        """Return a flipped bit for each question; the same one if it was asked before.

        Args:
            asked: The questions.
            terms: The name of the search, and the allowed privacy loss of one answer.
            truth: A function that answers questions truly.

        Raises:
            InvalidValue: The budget does not suffice.
            BadState: The folder holds something else.
        """
        folder = self.folder / terms.search
        _make(folder)
        sync_folder(self.folder)  # another process may have made it and not reached this line yet
        return [self._bit(folder, each, terms, truth) for each in asked]

    def _bit(
        self, folder: Path, question: Question, terms: Terms, truth: Callable[..., Any]
    ) -> bool:
        words = f"{question.coordinate} {text(question.value)}"
        # Each answer takes a numbered place. Each place is written only once, so two processes that
        # answer at the same time can neither spend more than the budget nor answer a question
        # twice.
        for number in range(self.local_epsilon // terms.loss):
            path = folder / f"{number}.json"
            if not path.exists():
                (said,) = truth([question])
                bit = bool(said) != (secrets.randbits(COIN) < flip_chance(terms.loss) * (1 << COIN))
                kept = {"question": words, "loss": text(terms.loss), "bit": bit}
                with suppress(FileExistsError):  # another process took the place; read its answer
                    write_private(path, json.dumps(kept).encode())
            held = _held(path)
            if fraction(held["loss"], "loss") != terms.loss:
                rule = "all answers to one search have the same loss"
                raise InvalidValue("loss", plain(terms.loss), rule, "begin another search")
            if held["question"] == words:
                return bool(held["bit"])
        rule = "is spent, or is less than the loss of one answer to this search"
        remedy = f"allow {plain(terms.loss)} or more for each question, or leave this client out"
        raise InvalidValue("local_epsilon", plain(self.local_epsilon), rule, remedy)


def private_values(
    values: Callable[[Any], Any],
    *,
    local_epsilon: Number,
    folder: str | Path | Callable[[Any], str | Path],
) -> Callable[[Any], PrivateValues]:
    """Let a client answer only with flipped bits, for `private_quantile` with `local_epsilon`.

    The operating system's randomness flips the bits. All messages of a client in one search
    together are `local_epsilon` locally differentially private: for any two numbers that the client
    may hold, its messages are at most e^local_epsilon times likelier for one than for the other.
    Each new search has its own budget, so the owner of a client decides how many searches it joins:
    `folder` contains one folder per search.

    Args:
        values: From Flower's Context to the client's own number, as in `client_app`.
        local_epsilon: The maximum privacy loss of its messages in one search. A search that needs
            more gets an error.
        folder: A folder for this client only, on a disk that survives it; or a function from
            Flower's Context to such a folder, for simulations with many clients on one machine.

    Returns:
        The argument for `client_app`, `add_answers` and `answering_mod` in place of `values`.

    Raises:
        InvalidValue: The budget is not positive, or above 40.

    Example:
        >>> from feint.integrations.flower import client_app, private_values
        >>> own = private_values(lambda context: 41.5, local_epsilon=1, folder="/var/lib/bits")
        >>> app = client_app(own)
    """
    budget = rational(local_epsilon, "local_epsilon")
    flip_chance(budget)  # raises an error if it is out of range

    def private(context: Any) -> PrivateValues:
        where = folder(context) if callable(folder) else folder
        return PrivateValues(values(context), budget, Path(where))

    return private


def _make(folder: Path) -> None:
    """Make a folder and its parents so that they survive a crash of the machine."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def _held(path: Path) -> dict[str, Any]:
    """Return the sent answer that a file contains.

    Raises:
        BadState: The file contains something else.
    """
    try:
        held: dict[str, Any] = json.loads(read_private(path, "folder"))
        if set(held) == _FIELDS and isinstance(held["bit"], bool):
            return held
    except ValueError:
        pass
    rule = "must contain an answer that was sent"
    raise BadState("folder", path.name, rule, "give a folder of this client's own") from None
