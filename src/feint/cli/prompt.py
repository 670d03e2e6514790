"""Ask questions at the terminal, one at a time. Answers can be undone until the round is over."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Literal

from feint.cli import show
from feint.search import Contradiction, Search

if TYPE_CHECKING:
    from rich.console import Console

    from feint.problem import Query

Reply = Literal["yes", "no", "back"]
_REPLIES: dict[str, Reply] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "b": "back"}
KEYS = (
    "Answer y or n. b: undo the last answer, until the next round is shown, and in the last round "
    "until you see the result or stop. q: stop; everything is kept."
)
_INDENT, _REPLY = 11, 4  # columns for the space before a question and for the reply


class Stopped(Exception):
    """Raised if the person stops or the input ends."""


def answer_all(search: Search, console: Console) -> None:
    """Ask every remaining question. Each answer is saved before the next question.

    A person gets a pause after each round, in which answers can be undone. A file or a pipe does
    not. If no question is left, nothing is printed and no answer can be undone: the result may
    have been shown.
    """
    if search.done:
        return
    show.say(console, f"\n{KEYS}", "dim")
    person = pausing = sys.stdin.isatty()
    is_warned = False
    while True:
        ended = search.round >= 0 and not search.open
        if ended and (pausing or (person and search.done)):
            reply = _pause(search, console)
            pausing = pausing and reply != "all"
            if reply == "back":
                _take_back(search, len(search.current), console)
                _answer_round(search, console)
                continue
        if search.done:
            return
        if not is_warned and search.warning is not None:
            show.say(console, search.warning, "yellow")
            is_warned = True
        search.ask()
        _answer_round(search, console)


def _answer_round(search: Search, console: Console) -> None:
    """Ask the open questions of the round in turn."""
    _headline(search, console)
    warned: tuple[str, bool] | None = None
    while search.open:
        queries, query = search.current, search.ask()[0]
        index = queries.index(query)
        reply = _put(query, f"{index + 1}/{len(queries)}", console)
        if reply == "back":
            _take_back(search, index, console)
            continue
        answer = query.id, reply == "yes"
        if answer != warned and (found := search.conflicts(dict([answer]))):
            _warn(found, console)
            warned = answer
            continue
        search.tell(*answer)


def _take_back(search: Search, index: int, console: Console) -> None:
    """Undo the last answer of the round before a question, if there is one."""
    open_ = {query.id for query in search.ask()} if search.open else set()
    before = [query for query in search.current[:index] if query.id not in open_]
    if before:
        search.take_back(before[-1].id)
    else:
        line = "There is no answer before it in this round, and earlier rounds are over."
        show.say(console, line, "dim")


def _pause(search: Search, console: Console) -> Literal["on", "back", "all"]:
    """Wait until a person continues, or undoes an answer."""
    done = f"Round {search.round + 1} is done"
    line = f"{done}. Enter: go on. b: undo an answer. a: don't pause again."
    if search.done:
        line = "All questions are answered. Enter: show the result. b: undo the last answer."
    while True:
        _ask(line, "dim", 0, console)
        word = _heard(console)
        if word in ("", "y", "yes"):
            return "on"
        if word in ("b", "a"):
            return "back" if word == "b" else "all"


def _warn(found: tuple[Contradiction, ...], console: Console) -> None:
    """Print the answers that contradict each other, and how to correct them."""
    for each in found:
        show.contradiction(console, each)
    line = "Give the other answer, or b to undo the one before; the same again is accepted."
    show.say(console, line, "yellow")


def _put(query: Query, number: str, console: Console) -> Reply:
    """Ask until the reply is valid."""
    text = f"{query.text} ({query.note})" if query.note else query.text
    while True:
        console.print(f"  {number:>7}  ", style="dim", end="")
        _ask(text, "bold", _INDENT, console)
        word = _heard(console)
        if word in _REPLIES:
            return _REPLIES[word]
        show.say(console, KEYS, "dim")


def _ask(text: str, style: str, indent: int, console: Console) -> None:
    """Print a question; at a terminal, wrapped between words, with room for the reply."""
    if console.is_terminal:
        width = max(20, console.width - indent - _REPLY)
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
        text = f"\n{' ' * indent}".join(lines)
    console.print(f"{text} ", style=style, markup=False, end="", soft_wrap=True)


def _heard(console: Console) -> str:
    """Return the typed line in lower case."""
    console.file.flush()
    line = sys.stdin.readline()
    if not line:
        console.print()
        raise Stopped
    word = line.strip().lower()
    if word in ("q", "quit"):
        raise Stopped
    return word


def _headline(search: Search, console: Console) -> None:
    """Print the round, its phase, how many questions are answered, and how sure the search is."""
    phase = search.phases[search.round]
    words = f"{show.round_of(search).capitalize()} ({phase})"
    plan = search.plan
    is_long = plan.problem.noisy and not plan.asks_all  # then the maximum is hardly ever reached
    answered = search.answered if is_long else show.answered_of(search)
    show.say(console, f"\n{words}, {answered} answered")
    show.sureness(search, console)
