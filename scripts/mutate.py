"""Put small mistakes into the code, one at a time, and see whether a test fails.

    make mutate                                   # 200 mistakes drawn at random
    python -m scripts.mutate --seed 7 -n 40 --rooms planning strategies
    python -m scripts.mutate --only 3f2a90c1d4    # some mistakes again, by name
    python -m scripts.mutate --seed 7 --resume    # go on where a run was stopped

Lines are drawn at random from the rooms, then a mistake on each (`scripts/mutants.py` has the
kinds). Each is tried in a copy of the project, by the tests that run its line, the quickest first;
which those are is recorded once for a state of the code, by running the suite under coverage. A
mistake that no test notices *survives*: the report lists it, to be read by a person. What was read
is kept in `scripts/mutants_read.toml`, by a name that stays as long as the statement does:

    [3f2a90c1d4]
    verdict = "equivalent"    # or "harmless": it costs time or words, and no promise
    why = "the two bounds cross above 2^62"

The exit code is 1 where a survivor was not read before.
"""

import argparse
import difflib
import hashlib
import json
import math
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from typing import Any, cast

from scripts.mutants import Mutant, differs, mutants

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("strategies", "planning", "audit", "search")
READ = ROOT / "scripts" / "mutants_read.toml"
KEPT = ROOT / "build" / "mutate"
QUICK = 5.0  # seconds of tests that are run before the others
MEMORY = 8 << 30  # bytes; a mistake may ask for all there is
PYTEST = ("-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist")


@dataclass(frozen=True)
class Tests:
    """The record of the suite without any mistake.

    Attributes:
        marks: A digest of every file that matters.
        seconds: How much of a processor's time each test took, by its id.
        lines: For each file and line, the tests that ran it.
        sources: The lines of each file of `src` as they were then.
    """

    marks: dict[str, str]
    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]
    sources: dict[str, list[str]]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run a mutant's lines, the quickest first.

        Where none does, as of what runs at import, those of its file; and of a file none of whose
        functions is run by a test, all there are.
        """
        held = self.lines.get(mutant.path, {})
        count = mutant.before.count("\n")
        numbers = range(mutant.line, mutant.line + count)
        found = {test for line in numbers for test in held.get(str(line), ())}
        found = found or {test for tests in held.values() for test in tests}
        found = found & self.seconds.keys() or set(self.seconds)
        return sorted(found, key=lambda test: (self.seconds[test], test))

    def moved(self, sources: dict[str, list[str]]) -> "Tests":
        """Return the same for changed sources: an unchanged line is run by the same tests.

        What the change itself makes a test run is not known, so a mistake there is tried by the
        tests of its file; and a test that only now comes to a line that stands is left out, which
        may let a mistake survive, and never kills one.
        """
        lines = dict(self.lines)
        for path, now in sources.items():
            if path in lines and self.sources.get(path, now) != now:
                matcher = difflib.SequenceMatcher(None, self.sources[path], now, autojunk=False)
                places = {
                    str(match.a + at + 1): str(match.b + at + 1)
                    for match in matcher.get_matching_blocks()
                    for at in range(match.size)
                }
                held = lines[path]
                lines[path] = {places[line]: held[line] for line in held if line in places}
        return Tests(self.marks, self.seconds, lines, sources)

    def within(self, tests: Sequence[str], most: float) -> int:
        """Return how many of these tests, one after the other, take this many seconds in total."""
        total = accumulate(self.seconds[each] for each in tests)
        return sum(each <= most for each in total)


@dataclass(frozen=True)
class Outcome:
    """The fate of a mutant.

    Attributes:
        mutant: The mutant.
        how: "killed", "timeout" (which counts as killed) or "survived".
        by: The test that noticed.
        tests: How many tests run its line.
        left: How many of them were not tried, for want of time.
    """

    mutant: Mutant
    how: str
    by: str
    tests: int
    left: int


def main() -> int:
    """Draw, try, report."""
    given = _arguments()
    files = [path for room in given.rooms for path in sorted(_source(room).rglob("*.py"))]
    drawn = draw(files, given.number, random.Random(given.seed), set(given.only))
    print(f"seed {given.seed}: {len(drawn)} mutants of {len(files)} files", flush=True)
    given.report.parent.mkdir(parents=True, exist_ok=True)
    log, outcomes = given.report.with_suffix(".jsonl"), dict[str, Outcome]()
    if given.resume:
        outcomes = {each.mutant.name: each for each in map(_outcome, log.read_text().splitlines())}
    log.write_text("".join(_line(each) for each in outcomes.values()), "utf-8")
    left = [each for each in drawn if each.name not in outcomes]
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder, log.open("a") as lines:
        tests = recorded(Path(folder), given.jobs)
        for each in tried(left, tests, Path(folder), given.jobs, given.most):
            outcomes[each.mutant.name] = each
            lines.write(_line(each))
            lines.flush()
    known = read()
    page = report(list(outcomes.values()), known, given.seed)
    print(page)
    given.report.write_text(page, "utf-8")
    new = (each for each in outcomes.values() if each.mutant.name not in known)
    return int(any(each.how == "survived" for each in new))


def _line(outcome: Outcome) -> str:
    return json.dumps(asdict(outcome) | {"name": outcome.mutant.name}) + "\n"


def _outcome(line: str) -> Outcome:
    held = json.loads(line)
    return Outcome(
        Mutant(**held["mutant"]), *(held[each] for each in ("how", "by", "tests", "left"))
    )


def _arguments() -> Any:
    parser = argparse.ArgumentParser(description="See whether the tests notice mistakes.")
    parser.add_argument("-n", "--number", type=int, default=200, help="how many mutants to draw")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="what the draw is by")
    parser.add_argument("--rooms", nargs="+", default=ROOMS, help="rooms or files to draw from")
    parser.add_argument("--only", nargs="+", default=(), help="mutants by name, none drawn")
    parser.add_argument("--jobs", type=int, default=2, help="how many are tried at once")
    parser.add_argument("--most", type=float, default=math.inf, help="seconds of tests a mutant")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--report", type=Path, default=KEPT / "report.md", help="where to write")
    return parser.parse_args()


def _source(room: str) -> Path:
    return ROOT / "src" / "feint" / room


def draw(files: Iterable[Path], number: int, by: random.Random, only: set[str]) -> list[Mutant]:
    """Draw lines at random, equally likely, with a kind and a mutant on each."""
    sources = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in files}
    every = [mutants(path, source) for path, source in sources.items()]
    if only:
        all_ = (each for file in every for line in file.values() for each in line)
        return [each for each in all_ if each.name in only]
    lines = [line for file in every for line in file.values()]
    drawn: dict[str, Mutant] = {}
    for _ in range(100 * number):
        if len(drawn) == number:
            break
        line = by.choice(lines)
        kind = by.choice(sorted({each.kind for each in line}))
        mutant = by.choice([each for each in line if each.kind == kind])
        if differs(mutant, sources[mutant.path]):
            drawn[mutant.name] = mutant
    return list(drawn.values())


def recorded(folder: Path, jobs: int) -> Tests:
    """Return which tests run which lines, and how long they take.

    What is known from before stays, and only tests that were changed since are run, or that use
    what was; `make clean`, and everything is recorded anew.
    """
    files, kept = _tracked(), KEPT / "tests.json"
    held = [path for path in files if path.parts[0] in ("src", "tests") or path.suffix == ".md"]
    marks = {str(path): hashlib.sha256((ROOT / path).read_bytes()).hexdigest() for path in held}
    code = [path for path in held if path.parts[0] == "src" and path.suffix == ".py"]
    sources = {str(path): (ROOT / path).read_text("utf-8").splitlines() for path in code}
    known = Tests({}, {}, {}, sources)
    if kept.exists():
        known = Tests(**json.loads(kept.read_text("utf-8"))).moved(sources)
    changed, found = _changed(marks, known.marks), list[dict[str, Any]]()
    if changed:
        print(f"recording which lines {len(changed)} files of tests run ...", flush=True)
        copies = [folder / f"map{number}" for number in range(min(jobs, len(changed)))]
        for copy in copies:
            copied(files, copy)
        shares = [changed[number :: len(copies)] for number in range(len(copies))]
        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(_recorded, copies, shares))
    known = _joined(known, found, marks, set(changed))
    KEPT.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(asdict(known)), "utf-8")
    return known


def _recorded(copy: Path, tests: Sequence[str]) -> dict[str, Any]:
    """Record the lines that some test files run, in a copy of the project."""
    found = copy / "found.json"
    words = ["coverage", "run", "--source=src", f"--data-file={copy / 'lines'}"]
    subprocess.run(
        [sys.executable, "-m", *words, *PYTEST, "-p", "scripts.mutate", *tests],
        cwd=copy,
        env=_environment(copy) | {"MUTATE_FOUND": str(found)},
        check=False,
        stdout=subprocess.DEVNULL,
        preexec_fn=_limited,
    )
    return cast(dict[str, Any], json.loads(found.read_text("utf-8")))


def _is_test(path: str) -> bool:
    return Path(path).name.startswith("test_") or path == "README.md" or path[:5] == "docs/"


def _changed(marks: dict[str, str], known: dict[str, str]) -> list[str]:
    """Return the test files that changed, or that use test code that changed."""
    found = {path for path in marks if marks[path] != known.get(path) and path[:4] != "src/"}
    if any(Path(path).name == "conftest.py" for path in found):
        return sorted(filter(_is_test, marks))
    while True:
        shared = {Path(path).stem for path in found if path[:14] == "tests/support/"}
        using = {
            path
            for path in marks.keys() - found
            if path[:6] == "tests/" and path.endswith(".py") and _uses(path, shared)
        }
        if not using:
            return sorted(filter(_is_test, found))
        found |= using


def _uses(path: str, shared: set[str]) -> bool:
    text = (ROOT / path).read_text("utf-8")
    return any(f"tests.support.{each} import" in text for each in shared)


def _joined(
    known: Tests, found: Sequence[dict[str, Any]], marks: dict[str, str], changed: set[str]
) -> Tests:
    """Merge the stored records of unchanged tests with the new records of the others."""
    same = marks.keys() - changed
    seconds = {test: took for test, took in known.seconds.items() if test.split("::")[0] in same}
    lines = defaultdict[str, dict[str, list[str]]](lambda: defaultdict(list))
    for path, held in known.lines.items():
        for line, tests in held.items():
            lines[path][line] += [each for each in tests if each in seconds]
    for each in found:
        seconds |= each["seconds"]
        for path, held in each["lines"].items():
            for line, tests in held.items():
                lines[path][line] += tests
    sources = known.sources
    return Tests(marks, seconds, {path: dict(held) for path, held in lines.items()}, sources)


def _tracked() -> list[Path]:
    """Return the project's files: those that git tracks or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(Path(each) for each in listed.splitlines() if (ROOT / each).is_file())


def copied(files: Iterable[Path], folder: Path) -> None:
    """Copy the project to another folder."""
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment that prefers the copy's code and has separate, empty caches."""
    own = {"PYTHONPATH": str(folder / "src"), "XDG_CACHE_HOME": str(folder / "cache")}
    return {**os.environ, **own, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def tried(
    drawn: Sequence[Mutant], tests: Tests, folder: Path, jobs: int, most: float
) -> Iterator[Outcome]:
    """Test every mutant, with as many copies of the project as there are jobs."""
    files, copies = _tracked(), SimpleQueue[Path]()
    for number in range(jobs):
        copied(files, folder / str(number))
        copies.put(folder / str(number))

    def one(mutant: Mutant) -> Outcome:
        copy = copies.get()
        try:
            return _try(mutant, tests, copy, most)
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        for number, outcome in enumerate(pool.map(one, drawn), 1):
            mutant = outcome.mutant
            words = f"{outcome.how:8} {mutant.path}:{mutant.line} {mutant.kind} {outcome.by}"
            print(f"{number:4} {mutant.name} {words}", flush=True)
            yield outcome


def _try(mutant: Mutant, tests: Tests, copy: Path, most: float) -> Outcome:
    path, every = copy / mutant.path, tests.of(mutant)
    chosen = every[: tests.within(every, most)]
    source, how, by = path.read_text("utf-8"), "survived", ""
    try:
        _write(path, mutant.applied(source))
        quick = tests.within(chosen, QUICK)
        for batch in filter(None, (chosen[:quick], chosen[quick:])):
            how = "stopped"
            while how == "stopped":
                how, by = _run(batch, sum(tests.seconds[each] for each in batch), copy)
            if how != "survived":
                break
    finally:
        _write(path, source)
        shutil.rmtree(copy / "cache", ignore_errors=True)
        shutil.rmtree(copy / ".hypothesis", ignore_errors=True)
    return Outcome(mutant, how, by, len(every), len(every) - len(chosen))


def _write(path: Path, source: str) -> None:
    """Change a file, and see that no bytecode is taken for its own.

    Bytecode is told from another by the size and the second of its source; a mistake may have both,
    so every state of a file gets a second of its own.
    """
    second = int(path.stat().st_mtime) + 1
    path.write_text(source, "utf-8")
    os.utime(path, (second, second))


def _run(batch: Sequence[str], seconds: float, copy: Path) -> tuple[str, str]:
    """Return the test that fails, if any; "stopped" if something else ended the process."""
    listed = copy / "tests.txt"
    listed.write_text("\n".join(batch), "utf-8")
    most = int(30 + 4 * seconds)

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
        _limited()

    command = [sys.executable, *PYTEST, "-x", "--tb=no", "--hypothesis-seed=0", f"@{listed}"]
    process = subprocess.Popen(
        command,
        cwd=copy,
        env=_environment(copy),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=limited,
    )
    try:
        said, _ = process.communicate(timeout=8 * most)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timeout", ""
    if process.returncode == 0:
        return "survived", ""
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timeout", ""
    if process.returncode in (-signal.SIGTERM, -signal.SIGINT, -signal.SIGHUP):
        return "stopped", ""
    failed = (line.split(" - ")[0] for line in said.splitlines() if line.startswith(_FAILED))
    return "killed", next(failed, "no test could be run")


_FAILED = ("FAILED ", "ERROR ")


def _limited() -> None:
    """Limit the memory, with a mistake and without: a test that needs more proves nothing."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def read() -> dict[str, dict[str, str]]:
    """Read the survivors that a person has reviewed, by name."""
    return cast(dict[str, dict[str, str]], tomllib.loads(READ.read_text("utf-8")))


def report(outcomes: Sequence[Outcome], known: dict[str, dict[str, str]], seed: int) -> str:
    """Return the figures by package and by kind, and every survivor with its review."""
    left = [each for each in outcomes if each.how == "survived"]
    said = Counter(known.get(each.mutant.name, {}).get("verdict", "new") for each in left)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(said.items()))
    share = 100 * len(left) / max(1, len(outcomes))
    lines = ["# Mutants", "", f"Seed {seed}: {len(outcomes)} drawn, {len(left)} survived"]
    lines[-1] += f" ({share:.1f} %)" + (f": {verdicts}." if left else ".")
    if said["equivalent"]:  # which no test can tell from the code as it is
        told, of = len(left) - said["equivalent"], len(outcomes) - said["equivalent"]
        lines[-1] += f" Equivalent ones left out, {told} of {of} ({100 * told / max(1, of):.1f} %)."
    rooms = defaultdict[str, list[Outcome]](list)
    for each in outcomes:
        rooms[each.mutant.path.split("/")[2]].append(each)
        rooms[each.mutant.kind].append(each)
    lines += ["", "| room or kind | drawn | killed | timeout | survived |", "|---|---|---|---|---|"]
    for name, held in rooms.items():
        how = Counter(each.how for each in held)
        counts = " | ".join(str(how[each]) for each in ("killed", "timeout", "survived"))
        lines += [f"| {name} | {len(held)} | {counts} |"]
    lines += ["", "## Survivors", ""] if left else []
    for each in sorted(left, key=lambda one: (one.mutant.name in known, one.mutant.path)):
        lines += _survivor(each, known.get(each.mutant.name))
    return "\n".join(lines) + "\n"


def _survivor(outcome: Outcome, known: dict[str, str] | None) -> list[str]:
    mutant = outcome.mutant
    head = f"`{mutant.name}` {mutant.path}:{mutant.line}, {mutant.where} ({mutant.kind},"
    words = "NEW" if known is None else f"{known['verdict']}: {known['why']}"
    before, after = mutant.before.splitlines(), mutant.after.splitlines()
    changed = list(difflib.unified_diff(before, after, lineterm="", n=1))[3:]
    tests = f"{outcome.tests} tests" + (f", {outcome.left} not tried" if outcome.left else "")
    return [f"- {head} {tests}): {words}", "", "```diff", *changed, "```", ""]


# What follows is a plugin of pytest, by which the lines of each test are recorded.


def pytest_runtest_logstart(nodeid: str) -> None:
    """Assign the lines that run from here on to this test; code before any test is unknown."""
    from coverage import Coverage

    for name, module in list(sys.modules.items()):
        if name.startswith("feint"):
            for value in list(vars(module).values()):
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()
    running = Coverage.current()
    if running is not None:
        running.switch_context(nodeid)
    _seconds[nodeid] = _spent()


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Record the processor time of the test, including that of its processes."""
    _seconds[nodeid] = _spent() - _seconds[nodeid]


def pytest_runtest_logreport(report: Any) -> None:
    """Drop tests that fail without a mutant, since they say nothing about mutants."""
    if not report.passed:
        _failed.add(report.nodeid)


def _spent() -> float:
    return sum(os.times()[:4])


def pytest_sessionfinish() -> None:
    """Write what was recorded where the caller asked for it."""
    from coverage import Coverage

    running, found = Coverage.current(), os.environ.get("MUTATE_FOUND")
    if running is None or found is None:
        return
    data, lines = running.get_data(), dict[str, dict[str, list[str]]]()
    for path in data.measured_files():
        held = data.contexts_by_lineno(path)
        name = str(Path(path).relative_to(Path.cwd()))
        lines[name] = {str(line): sorted(filter(None, tests)) for line, tests in held.items()}
    passed = {test: took for test, took in _seconds.items() if test not in _failed}
    Path(found).write_text(json.dumps({"seconds": passed, "lines": lines}), "utf-8")


_seconds: dict[str, float] = {}
_failed: set[str] = set()


if __name__ == "__main__":
    sys.exit(main())
