"""Searches that cannot be gone on with: each is refused in one sentence, held word for word."""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.price import KEY

from feint import Plan, Problem, Search
from feint.errors import BadState, FeintError, InvalidValue, MissingExtra
from feint.search import (
    begin,
    create,
    load,
    private,
    read_private,
    register_strategy,
    rounds,
)
from feint.search.saved import VERSION, digest
from feint.search.units import Asked
from feint.strategies import Staged, StagedShape

PLAN = Plan.of(Staged(Problem("1/16", "1/4", 3), 16, StagedShape(parts=4, kept=3, hide=(2, 2))))
TAKEN = (
    "this file exists already; go on with the search in it. For another number name another"
    " file: two searches for one number tell more than one"
)
EMPTY = (
    "has no search: it was cut off before the first question, or is another file; name another"
    " file, or remove it and begin again"
)
CHANGED = (
    "does not match its plan: it was cut off while it was made, or changed since; restore it; if no"
    " question of it was ever shown, remove it and begin again"
)
IN_USE = "is in use, by another process or by a search of this one; wait until it ends, or end it"
UNREADABLE = "must be a search as feint saved it; restore it as it was"
UNPLANNED = "must be a plan that feint saved; load it with the version that saved it"


def told(count: int) -> Search:
    """A search of three questions a round, so many of which are answered with no."""
    search = Search(PLAN, key=KEY)
    while search.answered < count:
        search.tell(search.ask()[0].id, False)
    return search


def said(kind: type[FeintError], call: Callable[..., object], *given: Any, **named: Any) -> str:
    """What the error of a call says, which is of this very kind."""
    with pytest.raises(kind) as caught:
        call(*given, **named)
    assert type(caught.value) is kind
    return str(caught.value)


def held(content: bytes) -> Path:
    """A new file of ours that holds this, in the folder where the test runs."""
    path = Path("kept")
    path.unlink(missing_ok=True)  # which an error that was caught may have open
    path.write_bytes(content)
    path.chmod(0o600)
    return path


def test_events_in_an_order_in_which_they_cannot_come() -> None:
    """Each is the record of a search with one event too many, too few or changed."""
    header, (first, *answers) = told(0).header(), told(3).events()
    second = told(4).events()[4]
    whole = told(9).events()
    assert [len(answers), second["round"], len(whole)] == [3, 1, 12]
    Search.replayed(header, [first, *answers, second])
    changed = {"tell": "q0.1", "yes": True}
    cases: list[tuple[list[Any], str]] = [
        ([first, answers[0] | {"yes": "false"}], "TypeError"),
        ([first, answers[0] | {"yes": 0}], "TypeError"),
        # A round is shown while a question is open, though with no it would be the very round.
        ([first, *answers[:2], second], "KeyError"),
        ([*whole, {"round": 3, "ask": []}], "KeyError"),
        ([*whole, whole[0]], "KeyError"),
        # An answer of the round before changes after the first answer of this one.
        ([first, *answers, second, {"tell": "q1.0", "yes": True}, changed], "KeyError"),
        ([*whole, changed], "KeyError"),
    ]
    for events, kind in cases:
        assert said(BadState, Search.replayed, header, events) == f"state = {kind}: {UNREADABLE}"


def test_rounds_that_do_not_fit_their_check_or_come_too_early() -> None:
    search = told(4)
    shown, layout = search.kept(), search.layout
    assert list(layout.events(shown, torn=False)) == search.events()
    other = shown[1] | {"check": shown[0]["check"]}
    with pytest.raises(ValueError, match=r"^a round does not fit its check$"):
        list(layout.events([shown[0], other, shown[2]], torn=True))
    torn = shown[2] | {"told": shown[1]["told"]}
    with pytest.raises(ValueError, match=r"^a round is partly blank$"):
        list(layout.events([shown[0], shown[1], torn], torn=True))
    with pytest.raises(ValueError, match=r"^a round was shown before an earlier one$"):
        list(layout.events([layout.unshown(0), *shown[1:]], torn=True))
    text = json.dumps(search.header() | {"rounds": [shown[0], other, shown[2]]})
    assert said(BadState, Search.from_json, text) == f"state = ValueError: {UNREADABLE}"


def test_a_slot_holds_the_answer_to_its_own_question_alone() -> None:
    """A copy fits in one place, of one round, column, question and search."""
    layout = told(0).layout
    asked, answer = Asked(1, 2, 7), rounds.Answer(True, 0, 3)
    copy, blank = layout.copy(asked, answer), "-" * 18
    assert layout.answer(asked, copy + blank) == answer
    other = rounds.Layout(layout.widths, layout.digits, bytes(32))
    for there, held in (
        (Asked(0, 2, 7), layout),
        (Asked(1, 1, 7), layout),
        (Asked(1, 2, 8), layout),
        (asked, other),
    ):
        with pytest.raises(ValueError, match=r"^an answer does not fit its check$"):
            held.answer(there, copy + blank)
    for slot in (blank + copy, "n" + copy[1:] + blank, copy[0] + "4" + copy[2:] + blank):
        with pytest.raises(ValueError, match=r"^an answer does not fit its check$"):
            layout.answer(asked, slot)
    with pytest.raises(ValueError, match=r"^an answer is partly blank, and was never written$"):
        layout.answer(asked, copy[:-2] + "x-" + blank)


def test_of_two_copies_the_later_one_counts_whatever_was_cut_off() -> None:
    """The counter goes round: 15 is followed by 0."""
    layout, asked = told(0).layout, Asked(0, 0, 4)
    for turn in range(16):
        first = rounds.Answer(True, turn % 2, turn)
        second = first.changed(False)
        copies = {each.copy: layout.copy(asked, each) for each in (first, second)}
        assert layout.answer(asked, copies[0] + copies[1]) == second
        for cut in range(19):
            torn = copies | {second.copy: copies[second.copy][:cut] + "-" * (18 - cut)}
            assert layout.answer(asked, torn[0] + torn[1]) == (second if cut == 18 else first)
        third = layout.copy(asked, second._replace(turn=(turn + 2) % 16))
        with pytest.raises(ValueError, match="do not follow each other"):
            layout.answer(asked, "".join((copies | {second.copy: third})[each] for each in (0, 1)))


def test_a_question_off_the_lattice_is_never_kept() -> None:
    layout = rounds.Layout((1, 2), 2, KEY)
    for points in ([7, 100], [7, -2]):
        call = said(InvalidValue, layout.shown, 1, points, [None] * 2)
        rule = "asks for what is not on its lattice in round 1"
        assert call == f"strategy = this one: {rule}; check it with feint.testing"


def test_headers_of_other_versions_and_changed_ones() -> None:
    header = told(0).header()
    rule = f"must be from 1 to {VERSION}, which this feint reads"
    for version in (0, VERSION + 1, None):
        call = said(BadState, Search.replayed, header | {"version": version}, [])
        assert call == f"version = {version}: {rule}; load it with the feint that saved it"
    call = said(BadState, Search.replayed, header | {"yes_means": "below"}, [])
    rule = "was changed since it was saved: its digest does not fit"
    assert call == f"state = its header: {rule}; restore it as it was"
    for document, kind in (({"type": "os.system"}, "KeyError"), ({"fraction": "1/2"}, "Fraction")):
        fields = {**header, "plan": document}
        del fields["check"]
        signed = fields | {"check": digest(fields, KEY)}
        call = said(BadState, Search.replayed, signed, [])
        assert call == f"plan = {kind}: {UNPLANNED}"


def test_a_seed_stands_in_place_of_a_key() -> None:
    call = said(InvalidValue, Search, PLAN, key=KEY, seed=0)
    assert call == "seed = 0: stands in place of a key; give one of them"


@pytest.mark.usefixtures("in_a_folder")
def test_files_that_hold_no_search() -> None:
    call = said(BadState, load, "kept")
    assert call == "state = kept: there is no such file; name the file of a search"
    for content in (b"", b"7\n", b"{", b"{\n{}\n"):
        path = held(content)
        assert said(BadState, load, path) == f"state = kept: {EMPTY}"
    for content in (b'{"version":2}\n[]\n', b'{"version":1}\n{\n{}\n'):
        path = held(content)
        assert said(BadState, load, path) == f"state = kept: {CHANGED}"
    path = held(b'{"version":99}\n')
    rule = f"version = 99: must be from 1 to {VERSION}, which this feint reads"
    call = said(BadState, load, path)
    assert call == f"state = kept: {rule}; load it with the feint that saved it"


@pytest.mark.usefixtures("in_a_folder")
def test_files_that_hold_another_search() -> None:
    """One with an answer stays; one without goes on where it is the very one that is wanted."""
    search = create("kept", PLAN, seed=7)
    asked = search.ask()
    whole = Path("kept").read_bytes()
    del search
    assert said(BadState, create, "kept", PLAN) == f"state = kept: {TAKEN}"
    begun = begin("kept", PLAN, seed=7)
    assert (begun.moved, begun.search.round, begun.search.ask()) == (None, 0, asked)
    begun.search.tell(asked[0].id, True)
    del begun
    assert said(BadState, begin, "kept", PLAN, seed=7) == f"state = kept: {TAKEN}"
    path = held(whole + b"\n")
    assert said(BadState, load, path) == f"state = kept: {CHANGED}"


@pytest.mark.usefixtures("in_a_folder")
def test_a_line_that_was_cut_off_is_let_be_where_it_stands() -> None:
    """Every round but the first one is cut off in turn: what was told before is all there."""
    for cut in (1, 2):
        search = told(3 * cut)
        kept, later = search.kept(), told(3 * cut + 1).kept()
        torn = later[cut] | {name: kept[cut][name] for name in ("check", "told")}
        lines = [*kept[:cut], torn, *kept[cut + 1 :]]
        header = json.dumps(search.header(), separators=(",", ":")).encode() + b"\n"
        path = held(header + b"".join(map(rounds.line, lines)))
        again = load(path)
        assert again.to_json() == search.to_json()
        assert again.ask() == search.ask()


@pytest.mark.usefixtures("in_a_folder")
def test_a_file_that_others_put_another_in_the_place_of_all_the_time(monkeypatch: Any) -> None:
    """Ten times it is opened, locked, and gone by then: a lock on what is gone keeps nobody out."""
    create("kept", PLAN)
    tries, flock, whole = list[int](), private.fcntl.flock, Path("kept").read_bytes()

    def late(descriptor: int, how: int) -> None:
        tries.append(descriptor)
        Path("kept").rename("other")
        held(whole)
        Path("other").unlink()
        flock(descriptor, how)

    with monkeypatch.context() as patch:
        patch.setattr(private.fcntl, "flock", late)
        assert said(BadState, load, "kept") == f"state = kept: {IN_USE}"
    assert len(tries) == 10
    assert load("kept").round == -1


@pytest.mark.usefixtures("in_a_folder")
def test_an_interrupt_while_an_answer_is_written_is_passed_on(monkeypatch: Any) -> None:
    """It is no answer then, in the file or in the search."""
    search = create("kept", PLAN)
    query, before = search.ask()[0], Path("kept").read_bytes()

    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            search.tell(query.id, True)
    assert (search.answered, Path("kept").read_bytes()) == (0, before)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            create("new", PLAN)
    assert not Path("new").exists()


@pytest.mark.usefixtures("in_a_folder")
def test_what_the_system_refuses_is_said_of_the_file_by_its_name(monkeypatch: Any) -> None:
    search = create("kept", PLAN)
    query = search.ask()[0]
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: 0)
        with pytest.raises(OSError, match="could not write") as full:
            search.tell(query.id, True)
    assert str(full.value) == "[Errno 28] could not write all of it: 'kept'"
    Path("kept").unlink()
    with pytest.raises(FileNotFoundError) as gone:
        search.tell(query.id, True)
    assert str(gone.value) == "[Errno 2] it was removed since it was opened: 'kept'"
    assert search.answered == 0
    monkeypatch.setattr(private, "fcntl", None)
    monkeypatch.setitem(sys.modules, "filelock", None)
    call = said(MissingExtra, create, "kept", PLAN)
    assert call == "filelock is not installed: pip install 'feint[lock]'"


@pytest.mark.usefixtures("in_a_folder")
@pytest.mark.timeout(10)
def test_a_pipe_is_not_waited_for() -> None:
    """Nobody writes into it: whoever waited would wait for ever."""
    os.mkfifo("pipe", 0o600)
    assert read_private(Path("pipe"), "key") == b""
    Path("link").symlink_to("pipe")
    rule = "is a link, and its author chose the target; name the file itself"
    assert said(BadState, read_private, Path("link"), "key") == f"key = link: {rule}"
    assert said(BadState, load, "link") == f"state = link: {rule}"


@dataclass(frozen=True)
class Mine(Staged):
    """A strategy of one's own that has a tag."""


@dataclass(frozen=True)
class Fresh(Staged):
    """One that has none."""


def test_tags_that_are_refused() -> None:
    """A tag names one class for ever; to give it again to the same one changes nothing."""
    register_strategy("refusals: mine", Mine)
    register_strategy("refusals: mine", Mine)
    shape = StagedShape(parts=4, kept=3, hide=(2, 2))
    search = Search(Plan.of(Mine(Problem("1/16", "1/4", 3), 16, shape)))
    assert type(Search.from_json(search.to_json()).plan.strategy) is Mine
    rule = "a tag names one class, and a class has one tag"
    for tag, kind in (("staged", Fresh), ("refusals: mine", Fresh), ("refusals: other", Mine)):
        call = said(InvalidValue, register_strategy, tag, kind)
        assert call == f"tag = {tag}: {rule}; choose another tag"
    call = said(InvalidValue, register_strategy, "refusals: plain", int)
    rule = "must be a dataclass: its fields are what is saved"
    assert call == f"kind = int: {rule}; make it a frozen one"
    call = said(InvalidValue, register_strategy, "refusals: none", cast(Any, 7))
    assert call == f"kind = 7: {rule}; make it a frozen one"
