"""Let a client flip its bits: each flip is drawn once, stored, and resent unchanged.

A folder keeps what was sent, which is the flipped bit, and never the true one. An answer is on the
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
    """A client's number, about which only flipped bits are sent.

    Attributes:
        values: The number, as in `replied`.
        local_epsilon: The privacy budget for one search, resends included.
        folder: Where the bits that were sent are kept.
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
            terms: Which search asks, and what an answer to it may lose.
            truth: Answers questions truly.

        Raises:
            InvalidValue: The budget does not suffice.
            BadState: The folder holds something else.
        """
        folder = self.folder / terms.search
        _make(folder)
        sync_folder(self.folder)  # another process may have made it, and not come to this yet
        return [self._bit(folder, each, terms, truth) for each in asked]

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
                with suppress(FileExistsError):  # another process took the place: see what it says
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
) -> Callable[[Any], PrivateValues]:
    """Let a client answer with flipped bits only, for `private_quantile` with `local_epsilon`.

    Bits are flipped with the randomness of the operating system. All that a client sends in one
    search is `local_epsilon` locally differentially private: for any two numbers that it may hold,
    what it sends is at most e^local_epsilon times likelier with one than with the other. Each new
    search has a budget of its own, so the owner of a client decides how many searches it joins:
    `folder` has a folder for each.

    Args:
        values: From Flower's Context to the client's own number, as in `client_app`.
        local_epsilon: The most that its messages may lose in one search. A search that needs more
            is refused with an error.
        folder: A folder of this client's own, on a disk that survives it; or a function from
            Flower's Context to one, for simulations with many clients on one machine.

    Returns:
        What `client_app`, `add_answers` and `answering_mod` take in place of `values`.

    Raises:
        InvalidValue: The budget is not positive, or above 40.

    Example:
        >>> from feint.integrations.flower import client_app, private_values
        >>> own = private_values(lambda context: 41.5, local_epsilon=1, folder="/var/lib/bits")
        >>> app = client_app(own)
    """
    budget = rational(local_epsilon, "local_epsilon")
    flip_chance(budget)  # which refuses one that is out of range

    def private(context: Any) -> PrivateValues:
        where = folder(context) if callable(folder) else folder
        return PrivateValues(values(context), budget, Path(where))

    return private


def _make(folder: Path) -> None:
    """Make a folder and those that it lies in, so that a crash of the machine leaves them."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
        sync_folder(folder.parent)


def _held(path: Path) -> dict[str, Any]:
    """Return what a file says was sent.

    Raises:
        BadState: It says something else.
    """
    try:
        held: dict[str, Any] = json.loads(read_private(path, "folder"))
        if set(held) == _FIELDS and isinstance(held["bit"], bool):
            return held
    except ValueError:
        pass
    rule = "must hold an answer that was sent"
    raise BadState("folder", path.name, rule, "give a folder of this client's own") from None
