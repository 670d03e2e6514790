"""Damaged saved searches and files: each is refused in one sentence, or means what it meant.

No test measures how long something takes: a timer of processor time turns a hang into a failure.
"""

import errno
import os
import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import damage, saved
from tests.support.price import KEY, price_plan
from tests.support.saved import SAVED

from feint import Domain, Plan, Problem, Search, finish, plan
from feint.errors import BadState, FeintError, InvalidValue, ReplayDiffers
from feint.search import create, keep, load, private
from feint.simulate.oracles import Hidden
from feint.strategies import Staged, StagedShape

SEEDS = (1, 2, 3, 4, 5)
SMALL = Plan.of(Staged(Problem("1/16", "1/4", 3), 16, StagedShape(parts=4, kept=3, hide=(2, 2))))


def outcomes(seed: object, count: int) -> Counter[str]:
    """What becomes of damaged searches of every version and family."""
    sources = damage.stored() | damage.fresh()
    names, found = sorted(sources), Counter[str]()
    for number in range(count):
        random_ = random.Random(f"{seed} {number}")
        name = random_.choice(names)
        became = damage.outcome(damage.damaged(sources[name], random_))
        found[became] += 1
        if became not in ("loads", "refused"):
            pytest.fail(f"{became}: {name}, damage {number} of seed {seed}")
    return found


def test_damaged_searches_load_or_are_refused() -> None:
    found = outcomes(0, 300)
    assert min(found["loads"], found["refused"]) > 10


@pytest.mark.long
def test_many_damaged_searches_load_or_are_refused() -> None:
    """5000 that are the same every time, and 1000 of a seed of their own."""
    for seed in SEEDS:
        outcomes(seed, 1000)
    outcomes(secrets.token_hex(8), 1000)


def test_an_undamaged_search_loads() -> None:
    for name, text in (damage.stored() | damage.fresh()).items():
        assert damage.outcome(text) == "loads", name


@pytest.mark.parametrize(
    "text",
    [
        '{"version": NaN}',
        '{"version": 1e999}',
        f'{{"version": {"9" * 10**6}}}',
        "[" * 10**6,
        '{"rounds": [], "rounds": []}',
        '{"version": 4, "rounds": [], "key": "\\ud800"}',
        '{"version": 4, "rounds": [], "key": "\\u0000"}',
        f'{{"version": 4, "rounds": [{"0," * 10**6}0]}}',
        "\0",
        "",
    ],
)
def test_texts_that_are_no_search(text: str) -> None:
    with damage.limited(), pytest.raises(BadState):
        Search.from_json(text)


@pytest.mark.parametrize("end", ["low", "high"])
def test_a_scale_beyond_floats_is_refused(end: str) -> None:
    """A saved scale has exact ends, which questions turn into floats."""
    held = damage.document(damage.stored()["v3/product"])
    held["plan"]["scales"][0][end]["fraction"] = ("-" if end == "low" else "") + "1" * 400
    assert damage.outcome(damage.text(damage.signed(held))) == "refused"


def test_a_rational_that_would_take_a_minute_to_compute() -> None:
    two = "\N{FULLWIDTH DIGIT TWO}"
    for word in ("1e30000000", "1e-30000000", "1/1e30000000", "0x10", two, "1_0", " 1", "", 5):
        document = damage.document(Search(SMALL, key=KEY).to_json())
        document["plan"]["domain"]["high"] = {"fraction": word}
        with damage.limited(), pytest.raises(BadState, match=r"^plan = InvalidValue: "):
            Search.from_json(damage.text(damage.signed(document)))


def test_text_that_cannot_be_written_is_refused() -> None:
    """A server would fail to send it, and a terminal to print it."""
    for place, word in (("domain", "label"), ("", "method")):
        document = damage.document(Search(SMALL, key=KEY).to_json())
        (document["plan"][place] if place else document["plan"])[word] = "a\ud800b"
        with pytest.raises(BadState, match=r"^plan = (InvalidValue|TypeError): "):
            Search.from_json(damage.text(damage.signed(document)))
    for label in ("\ud800", "price\0"):
        with pytest.raises(InvalidValue, match=r"^label = .*: must be text that can be written"):
            Domain(0, 1, label=label)


def stages(path: Path, chosen: Plan, *, changes: bool = True) -> Iterator[Search]:
    """A search in a file: before its first question, at each answer, changed and taken back."""
    search = create(path, chosen, seed=3)
    yield search
    while not search.done:
        for query in search.ask():
            yield search
            if changes and not query.round % 2:
                search.tell(query.id, True)
                search.tell(query.id, False)
                yield search
                search.take_back(query.id)
                search.tell(query.id, True)
            search.tell(query.id, saved.two_fifths(search, query))
        yield search


def became(path: Path, held: bytes) -> str | None:
    """The text of the search in a file that holds this; None where it is refused.

    Whatever else is raised, or takes too long, fails the test.
    """
    path.unlink(missing_ok=True)
    path.write_bytes(held)
    path.chmod(0o600)
    try:
        with damage.limited():
            search = load(path)
    except (BadState, ReplayDiffers):
        return None
    return search.to_json()


def flipped(held: bytes, bit: int) -> bytes:
    damaged = bytearray(held)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def check_flips(path: Path, held: bytes, text: str, bits: Any) -> int:
    """See that every flipped bit is refused or harmless; how many are refused."""
    refused = 0
    for bit in bits:
        found = became(path, flipped(held, bit))
        assert found in (None, text), f"bit {bit % 8} of byte {bit // 8}"
        refused += found is None
    return refused


def test_a_flipped_bit_of_a_search_file_is_refused_or_harmless(tmp_path: Path) -> None:
    random_ = random.Random(7)
    for number, search in enumerate(stages(tmp_path / "kept", SMALL)):
        held, text = (tmp_path / "kept").read_bytes(), search.to_json()
        body = 8 * (held.index(b"\n") + 1)
        bits = [*random_.sample(range(body), 6), *random_.sample(range(body, 8 * len(held)), 12)]
        check_flips(tmp_path / f"{number}", held, text, bits)


@pytest.mark.long
def test_every_flipped_bit_of_a_small_search_file_is_refused_or_harmless(tmp_path: Path) -> None:
    """In the middle, with an answer that was changed, and at the end."""
    found = [
        ((tmp_path / "kept").read_bytes(), search.to_json())
        for search in stages(tmp_path / "kept", SMALL)
    ]
    for held, text in (found[len(found) // 2], found[-1]):
        refused = check_flips(tmp_path / "flipped", held, text, range(8 * len(held)))
        assert refused > 7 * len(held)


@pytest.mark.long
def test_2000_flipped_bits_of_larger_search_files_are_refused_or_harmless(tmp_path: Path) -> None:
    random_ = random.Random(secrets.token_hex(8))
    plans = {
        "price": price_plan(),
        "noisy": plan(Problem("1/16", "1/4", 2, p="0.9", confidence="0.9")),
        "several": plan(Problem("1/64", "1/8", 6, dim=2)),
    }
    for name, chosen in plans.items():
        found = [
            ((tmp_path / name).read_bytes(), search.to_json())
            for search in stages(tmp_path / name, chosen, changes=name != "noisy")
        ]
        for held, text in random_.sample(found, 5):
            bits = random_.sample(range(8 * len(held)), 2000 // (5 * len(plans)) + 1)
            check_flips(tmp_path / "flipped", held, text, bits)


def test_a_search_file_that_was_cut_is_refused(tmp_path: Path) -> None:
    """At every length; only all of it is the search."""
    *_, search = (each for _, each in zip(range(9), stages(tmp_path / "kept", SMALL), strict=False))
    held = (tmp_path / "kept").read_bytes()
    header = held.index(b"\n")
    for length in (*range(0, header, 17), *range(header - 3, len(held))):
        assert became(tmp_path / "cut", held[:length]) is None
    assert became(tmp_path / "cut", held) == search.to_json()


@pytest.mark.parametrize("version", ["v1", "v2", "v3"])
def test_files_of_earlier_versions_that_were_cut_end_in_no_traceback(
    version: str, tmp_path: Path
) -> None:
    """Those that grew with every event have lost the events that were cut off, and no others."""
    held = (SAVED / version / "staged.jsonl").read_bytes()
    header, texts = held.index(b"\n"), set[str | None]()
    for length in (*range(0, header, 97), *range(header - 1, len(held) - 9, 7), len(held)):
        texts.add(became(tmp_path / "cut", held[:length]))
        if version == "v3" and length < len(held):
            assert texts == {None}
    assert len(texts) > 1


def test_an_answer_in_another_slot_is_refused(tmp_path: Path) -> None:
    search = create(tmp_path / "kept", SMALL, seed=3)
    for query in search.ask()[:1]:
        search.tell(query.id, True)
    held = (tmp_path / "kept").read_bytes()
    at = held.index(b'"told":"') + len(b'"told":"')
    slot = held[at : at + 36]
    moved = held[:at] + b"-" * 36 + b" " + slot + held[at + 73 :]
    assert len(moved) == len(held)
    assert became(tmp_path / "moved", moved) is None
    other = held[:at] + slot[18:] + slot[:18] + held[at + 36 :]
    assert became(tmp_path / "other", other) is None


class Torn:
    """A disk that is cut off after so many bytes: what follows is never written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left: int | None = None
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)

    def write(self, descriptor: int, data: bytes) -> int:
        if self.left is None:
            return self._write(descriptor, data)
        some, self.left = data[: self.left], max(0, self.left - len(data))
        if some:
            self._write(descriptor, some)
        if len(some) < len(data):
            raise Killed
        return len(data)


class Killed(BaseException):
    """The process is gone; nothing that it would do afterwards is done."""


STEPS: tuple[Callable[[Search], object], ...] = (
    lambda search: search.ask(),
    lambda search: search.tell("q0.1", True),
    lambda search: search.tell("q0.1", False),
    lambda search: search.tell("q0.1", True),
    lambda search: search.take_back("q0.1"),
    lambda search: search.tell("q0.0", True),
    lambda search: search.tell("q0.1", True),
    lambda search: search.tell("q0.2", False),
    lambda search: search.ask(),
    lambda search: search.tell("q1.2", False),
)
"""A round, an answer, a change, a second one, a take-back, and so on."""


def check_cuts(path: Path, disk: Torn, every: int) -> None:
    """See that each step, cut off after any number of bytes, leaves the old state or the new."""
    search = create(path, SMALL, seed=3)
    held = path.read_bytes()
    for step in STEPS:
        before, text = held, search.to_json()
        step(search)
        held, done = path.read_bytes(), search.to_json()
        del search
        seen = set[str]()
        for cut in range(0, 1000, every):
            search = replaced(path, before)
            disk.left = cut
            try:
                step(search)
                whole = True
            except Killed:
                whole = False
            disk.left = None
            del search
            assert len(path.read_bytes()) == len(before)
            search = load(path)
            seen.add(search.to_json())
            if search.to_json() == text:
                step(search)  # it goes on as if nothing had been
            assert search.to_json() == done
            del search
            assert load(path).to_json() == done
            if whole:
                break
        assert seen == {text, done}
        search = replaced(path, held)
        assert search.to_json() == done


def replaced(path: Path, held: bytes) -> Search:
    """The search in a file that holds this now."""
    path.unlink()
    path.write_bytes(held)
    path.chmod(0o600)
    return load(path)


def test_a_write_that_was_cut_off_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_cuts(tmp_path / "kept", Torn(monkeypatch), 7)


@pytest.mark.long
def test_a_write_that_was_cut_off_at_any_byte_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_cuts(tmp_path / "kept", Torn(monkeypatch), 1)


def test_bytes_of_a_write_that_reach_the_disk_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sectors are not written in order: some of the new bytes may be there, and not the rest."""
    path, random_ = tmp_path / "kept", random.Random(11)
    search, writes, real = (
        create(path, SMALL, seed=3),
        list[tuple[bytes, bytes]](),
        os.write,
    )

    def write(descriptor: int, data: bytes) -> int:
        before = path.read_bytes()
        count = real(descriptor, data)
        writes.append((before, path.read_bytes()))
        return count

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        for step in STEPS:
            step(search)
    assert len(writes) > len(STEPS)
    for old, new in writes:
        places = [i for i, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
        may = {became(tmp_path / "mixed", old), became(tmp_path / "mixed", new)}
        assert None not in may
        for _ in range(6):
            mixed = bytearray(old)
            for place in random_.sample(places, random_.randrange(len(places))):
                mixed[place] = new[place]
            assert became(tmp_path / "mixed", bytes(mixed)) in may


def test_a_full_disk_leaves_the_answer_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = create(tmp_path / "kept", SMALL, seed=3)
    search.ask()
    search.tell("q0.0", True)
    search.tell("q0.0", False)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    steps: tuple[Callable[[], None], ...] = (
        lambda: search.tell("q0.0", True),
        lambda: search.take_back("q0.0"),
    )
    for step in steps:
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="no space left"):
                step()
        assert saved.told(tmp_path / "kept") == {"q0.0": False}


def test_length_and_writes_tell_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where and how much is written depends on the questions and on changes alone."""
    heard = []
    for number, answers in enumerate(((True, False), (False, True))):
        writes, real = list[tuple[int, int]](), private.PrivateFile.put

        def put(
            file: Any, offset: int, data: bytes, writes: Any = writes, real: Any = real
        ) -> None:
            writes.append((offset, len(data)))
            real(file, offset, data)

        with monkeypatch.context() as patch:
            patch.setattr(private.PrivateFile, "put", put)
            search = create(tmp_path / f"{number}", SMALL, seed=3)
            for query in search.ask():
                for answer in answers:
                    search.tell(query.id, answer)
        heard.append((writes, (tmp_path / f"{number}").stat().st_size))
    assert heard[0] == heard[1]


def test_a_search_that_is_kept_from_version_3_goes_on_in_a_new_file(tmp_path: Path) -> None:
    text = damage.stored()["v3/units"]
    search = keep(tmp_path / "kept", Search.from_json(text))
    found = finish(search, Hidden(search.domains[0].line(5).at(2)))
    del search
    assert load(tmp_path / "kept").result == found


def test_errors_of_damage_say_what_to_do() -> None:
    with pytest.raises(FeintError, match=r"not a saved search; pass the output of Search.to_json"):
        Search.from_json("{}")
