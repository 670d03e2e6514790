"""What another user of the machine can see is the same for two numbers with the same questions.

Pairs of numbers with equal transcripts exist by design: they lie at the same place in two kept
parts. Each is searched for through every channel, and all that others can see is compared: names,
modes and sizes of all files whenever something is put on the disk, the commands that are run, what
is written to stderr and, up to the report, to stdout, and exit codes.
docs/explanation/side-channels.md has the rest.
"""

import csv
import io
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from feint import Domain, Plan, Problem, Search, find, finish, plan
from feint.cli.app import run
from feint.cli.report import HEADLINE
from feint.search import coins, create
from feint.simulate.oracles import Hidden

PAIRS = 200
WHOLE = [(40, 3, 4), (30, 2, 3), (24, 2, 5), (60, 5, 3), (36, 3, 2), (25, 2, 7)]
EVEN = [("1/64", "1/12", 3), ("1/48", "1/8", 4), ("1/25", "2/25", 7), ("1/60", "1/12", 5)]
KEYS = [bytes([number]) * coins.KEY_BYTES for number in range(3)]


class Case(NamedTuple):
    """A search: what is asked for, the key, and the number."""

    flags: tuple[str, ...]
    key: bytes
    target: Fraction


@cache
def planned(flags: tuple[str, ...]) -> Plan:
    given = dict(zip(flags[::2], flags[1::2], strict=True))
    domain = Domain(given["--low"], given["--high"], step=given.get("--step"))
    problem = domain.problem(
        delta=given["--delta"], level=given["--level"], epsilon=given.get("--epsilon")
    )
    return plan(problem, domain=domain)


def requests() -> list[tuple[str, ...]]:
    """Whole numbers, and numbers of [10, 110] to a thousandth of it."""
    asked = list[tuple[str, ...]]()
    for high, delta, level in WHOLE:
        words = ["--low", "1", "--high", str(high), "--step", "1"]
        asked.append((*words, "--delta", str(delta), "--level", str(level)))
    for epsilon, share, level in EVEN:
        words = ["--low", "10", "--high", "110", "--epsilon", str(Fraction(epsilon) * 100)]
        asked.append((*words, "--delta", str(Fraction(share) * 100), "--level", str(level)))
    return asked


@cache
def pairs(number: int = PAIRS // 10) -> list[tuple[Case, Case]]:
    """Random pairs of searches with the same questions and different answers.

    Few of them are of two requests, since all that a search can be must be searched for.
    """
    random, found = Random(14), list[tuple[Case, Case]]()
    chosen_from = requests() if number == PAIRS else requests()[3::5]
    for flags in chosen_from:
        chosen = planned(flags)
        heard = defaultdict[tuple[int, ...], list[Case]](list)
        cells, domain = chosen.cells[0], chosen.domain
        for key in KEYS:
            for cell in range(cells):
                middle = domain.line(cells).at(cell)
                if domain.step is None:
                    middle += domain.width / cells / 2
                search = Search(chosen, key=key)
                finish(search, Hidden(middle))
                transcript = tuple(search.transcript.points[0].tolist())
                heard[transcript].append(Case(flags, key, middle))
        alike = [
            (one, other)
            for cases in heard.values()
            for one, other in combinations(cases, 2)
            if one.target != other.target
        ]
        found += random.sample(alike, number // len(chosen_from))
    return found


class Watcher:
    """Another user: looks at everything whenever something is put on the disk."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.seen, real = folder, list[Any](), subprocess.run
        monkeypatch.setattr(os, "fsync", lambda descriptor: self.look())

        def started(line: Any, **options: Any) -> Any:
            environment = {key: options["env"][key] for key in options["env"] if "FEINT" in key}
            self.seen.append((line, environment))
            return real(line, **options)

        monkeypatch.setattr(subprocess, "run", started)

    def look(self) -> None:
        """What `ls -l` shows, but for the time."""
        listed = list[Any]()
        for path in sorted(self.folder.iterdir()):
            found = path.lstat()
            size = (found.st_size, found.st_blocks, found.st_mode, found.st_uid, found.st_nlink)
            listed.append((path.name, *size))
        self.seen.append(listed)


def by_function(case: Case) -> int:
    given = dict(zip(case.flags[::2], case.flags[1::2], strict=True))
    wanted: dict[str, Any] = {name[2:]: value for name, value in given.items()}
    find(lambda value: value <= case.target, **wanted, state="kept")
    return 0


def by_command(case: Case) -> int:
    Path("../target").write_text(str(case.target))  # in a folder of the owner's
    oracle = "read x < ../target; test $x -ge {q}"
    return run(["run", *case.flags, "--oracle", oracle, "--state", "kept"])


def by_prompt(case: Case) -> int:
    """Every third answer is taken back and given again, as long as its round is open."""
    typed = ""
    search = Search(planned(case.flags), key=case.key)
    while not search.done:
        before = ""
        for column, query in enumerate(search.ask()):
            yes = case.target >= Fraction(query.shown)
            word = "y\n" if yes else "n\n"
            typed += f"b\n{before}{word}" if column % 3 == 1 else word
            before = word
            search.tell(query.id, yes)
    sys.stdin = io.StringIO(typed)
    return run(["run", *case.flags, "--state", "kept"])


def by_sheet(case: Case) -> int:
    """The owner writes y and n, which are of one length."""
    rounds = planned(case.flags).rounds
    codes = [run(["run", *case.flags, "--state", "kept", "--export-round", "1.csv"])]
    for number in range(1, rounds + 1):
        with open(f"{number}.csv", newline="") as file:
            rows = list(csv.reader(file))
        for row in rows[1:]:
            row[-1] = "y" if case.target >= Fraction(row[2]) else "n"
        with open(f"{number}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        words = ["--resume", "--state", "kept", "--import-answers", f"{number}.csv"]
        words += ["--export-round", f"{number + 1}.csv"] if number < rounds else []
        codes.append(run(["run", *words]))
    return max(codes)


def watched(
    case: Case,
    channel: Callable[[Case], int],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> Any:
    """All that others can see of one search."""
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "stdin", io.StringIO())
        patch.setattr(coins, "fresh_key", lambda: case.key)
        watcher = Watcher(folder, patch)
        code = channel(case)
        watcher.look()
    captured = capsys.readouterr()
    public = captured.out.split(HEADLINE)[0]
    return code, captured.err, public, watcher.seen


@pytest.mark.parametrize("number", [PAIRS // 10, pytest.param(PAIRS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("channel", [by_function, by_command, by_prompt, by_sheet])
def test_nothing_that_others_can_see_tells_two_numbers_apart(
    channel: Callable[[Case], int], number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of the pairs, or a tenth."""
    looks = 0
    for place, pair in enumerate(pairs(number)):
        if channel is by_command and "--step" not in pair[0].flags:
            continue  # the shell compares whole numbers
        seen = list[Any]()
        for case, side in zip(pair, "ab", strict=True):
            folder = tmp_path / f"{place}-{side}" / "search"
            folder.parent.mkdir()
            seen.append(watched(case, channel, folder, capsys))
        assert seen[0] == seen[1], pair
        assert seen[0][0] == 0
        looks += len(seen[0][3])
    assert looks > number
    assert len(pairs(number)) == number


@pytest.mark.parametrize("method", ["fixed", "tight"])
def test_decoys_of_a_noisy_search_are_answered_either_way_and_nobody_sees_it(
    method: str,
    tmp_path: Path,
) -> None:
    """Under noise any answer may come, and those of decoys decide no question: all are changed.

    Nor do they decide when a search of method "tight" stops.
    """
    chosen = plan(Problem("1/50", "1/8", 2, p="0.9", confidence="0.8"), method=method)
    random, told = Random(15), dict[str, bool]()
    path, sizes = tmp_path / "kept", set[int]()
    first = create(path, chosen, seed=1)
    while not first.done:
        for query in first.ask():
            told[query.id] = random.random() < 0.5
            first.tell(query.id, told[query.id])
            sizes.add(path.stat().st_size)
    heard, alike = first.transcript.points.tolist(), 0
    for true in range(len(chosen.strategy.rounds[-1].coordinates)):
        path = tmp_path / str(true)
        search = create(path, chosen, seed=1)
        while not search.done:
            for query in search.ask():
                decoy = search.phases[-1] == "hide" and not query.id.endswith(f".{true}")
                # A search whose questions became others may be longer than the first.
                search.tell(query.id, told.setdefault(query.id, random.random() < 0.5) != decoy)
                sizes.add(path.stat().st_size)
        alike += search.transcript.points.tolist() == heard
        assert len(search.to_json()) == len(first.to_json())
    assert alike == 1  # the one whose true part was left as it was
    assert len(sizes) == 1


def test_what_the_list_of_processes_shows_is_public(tmp_path: Path) -> None:
    """Real processes: the command writes down its own line and feint's, as anybody can see them."""
    code = """if True:
        import os, sys
        from feint.cli.app import run
        from feint.search import coins
        coins.fresh_key = lambda: bytes.fromhex(os.environ["KEY"])
        sys.exit(run(sys.argv[1:]))
    """
    see = "tr '\\0' ' ' < /proc/$PPID/cmdline >> seen; tr '\\0' ' ' < /proc/$$/cmdline >> seen"
    oracle = f"{see}; read x < target; test $x -ge {{q}}"
    lines = list[str]()
    for case in next(pair for pair in pairs() if "--step" in pair[0].flags):
        folder = tmp_path / str(len(lines))
        folder.mkdir()
        (folder / "target").write_text(str(case.target))
        words = [sys.executable, "-c", code, "run", *case.flags, "--oracle", oracle]
        options: dict[str, Any] = {"env": os.environ | {"KEY": case.key.hex()}, "cwd": folder}
        subprocess.run(words, check=True, capture_output=True, **options)
        lines.append((folder / "seen").read_text())
    assert lines[0] == lines[1]
    assert "--oracle" in lines[0]


def test_a_question_that_is_put_again_is_one_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A contradiction puts the last question of a round twice, to the owner alone."""
    flags = ("--low", "0", "--high", "8", "--epsilon", "1", "--delta", "2", "--level", "3")
    case, seen = Case((*flags, "--method", "grid"), KEYS[0], Fraction(3)), list[Any]()
    for name, typed in (("a", "y\n" * 3 + "n\n" * 4), ("b", "n\n" * 6 + "y\ny\n")):
        place = tmp_path / name / "search"
        place.parent.mkdir()

        def put(case: Case, typed: str = typed) -> int:
            sys.stdin = io.StringIO(typed)
            return run(["run", *case.flags, "--state", "kept"])

        code, said, _, looks = watched(case, put, place, capsys)
        seen.append((code, said, looks))
    assert seen[0] == seen[1]
