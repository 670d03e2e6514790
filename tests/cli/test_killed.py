"""`feint run` when it is killed or interrupted: nothing is lost."""

import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.price import FLAGS, ORACLE, TARGET
from tests.support.saved import asked, told

from feint import Result
from feint.search import load

pytestmark = pytest.mark.usefixtures("in_a_folder")

SURE = ["--low", "10", "--high", "110", "--epsilon", "1", "--delta", "12", "--level", "2"]
SURE += ["--p", "0.8", "--confidence", "0.9"]
"""A noisy search, which stops when it is sure."""


SERVER = """
import json, os, signal, sys, time
from feint.cli.app import run
import feint.search, feint.cli.prompt, rich.progress
for line in sys.stdin:
    words, moment = json.loads(line)
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(run(words))
    if moment is not None:
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)  # it is not waited for yet, so its number is its own
    print(os.waitpid(child, 0)[1], flush=True)
"""


class Server:
    """Starts `feint run` again and again without the cost of starting Python."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, words: list[str], *, kill_after: float | None = None) -> int:
        """The status of one run, which may be killed."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin
        assert stdout
        stdin.write(json.dumps([["run", *words], kill_after]) + "\n")
        stdin.flush()
        return int(stdout.readline())

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


@pytest.mark.parametrize(
    ("flags", "most"),
    [
        (FLAGS, 20),
        pytest.param(FLAGS, 50, marks=pytest.mark.slow),
        pytest.param(SURE, 20, marks=pytest.mark.long),
    ],
    ids=["twenty", "fifty", "stops when sure"],
)
def test_killed_at_random_moments_it_loses_nothing(
    flags: list[str], most: int, tmp_path: Path
) -> None:
    """The oracle notes each question it is asked. When it is asked the next one, the answer to the
    one before must be on the disk; and whatever was on the disk stays as it was."""
    moments, server = Random(5), Server()
    notes = tmp_path / "notes"
    oracle = f"echo {{q}} >> '{notes}'; {ORACLE}"
    assert server.run([*flags, "--oracle", "exit 9 {q}", "--seed", "11", "--state", "0"]) != 0
    whole = Path("0").stat().st_size  # of every file of this plan, at any moment
    results, transcripts = set[Result](), set[tuple[int, ...]]()
    kills = unfinished = searches = 0
    try:
        while kills < most or unfinished:
            path, searches = tmp_path / f"{searches}.jsonl", searches + 1
            words = ["--oracle", oracle, "--state", str(path)]
            before: tuple[Any, Any] = ([], {})
            notes.write_text("")
            unfinished = 1
            while unfinished:
                begun = path.exists() and path.stat().st_size == whole
                if path.exists() and not begun and path.stat().st_size:
                    path.unlink()  # killed while the file was made
                resume = ["--resume"] if begun else [*flags, "--seed", "11"]
                late = None if kills >= most else moments.uniform(0, 0.12)
                status = server.run([*resume, *words], kill_after=late)
                kills += status == signal.SIGKILL
                made = path.exists() and path.stat().st_size == whole
                shown, answers = (asked(path), told(path)) if made else ([], {})
                assert shown[: len(before[0])] == before[0]
                assert before[1].items() <= answers.items()
                noted = len(set(notes.read_text().split()))
                assert len(answers) >= noted - 1
                before = shown, answers
                if begun and status == signal.SIGKILL:
                    one, other = load(path), None
                    same = one.done or one.ask()
                    del one
                    other = load(path)
                    assert (other.done or other.ask()) == same
                    del other
                unfinished = status != 0
            search = load(path)
            results.add(search.result)
            transcripts.add(tuple(search.transcript.points[0].tolist()))
    finally:
        server.close()
    assert kills >= most
    assert len(results) == len(transcripts) == 1
    (result,) = results
    assert result.low <= TARGET < result.high


def started(words: list[str]) -> subprocess.Popen[str]:
    """`feint run` in a process of its own, which Ctrl-C reaches.

    A shell that runs tests in the background has them ignore it, and children inherit that: then
    the prompt would hear the end of its input instead.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "feint", "run", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=0,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )


def test_an_interrupt_keeps_every_answer(tmp_path: Path) -> None:
    """Ctrl-C, in a process of its own, while the third question waits for an answer."""
    process = started(FLAGS)
    assert process.stdin
    assert process.stdout
    process.stdin.write("y\nn\n")
    heard = ""
    while "63.1" not in heard:
        heard += process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert "Interrupted; 2 of at most 57 answers are kept" in said
    assert "Traceback" not in said
    assert load("feint-search.jsonl").answered == 2


@pytest.mark.parametrize(
    "dies",
    [
        "kill -INT $$",  # it reaches the command alone, or the command first
        "exit 130",  # a shell whose child died of it
        "kill -INT $PPID; exit 1",  # it reaches us, and the command takes it for a no
        "kill -INT $PPID; kill -INT $$",
    ],
)
def test_an_interrupt_of_a_command_is_one_whoever_it_reaches_first(dies: str) -> None:
    """At the second question, 84.8: the first answer is kept, and the second is none."""
    process = started([*FLAGS, "--oracle", f"case {{q}} in 84.8) {dies};; esac; {ORACLE}"])
    out, said = process.communicate()
    assert process.returncode == 130
    assert "Interrupted; 1 of at most 57 answers are kept" in said
    assert "Traceback" not in said + out
    assert told(Path("feint-search.jsonl")) == {"q0.0": True}
