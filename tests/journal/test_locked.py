"""No writer ever hears "database is locked": many processes write, and one reads all the time."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.journals import KEY, PLAN

from feint.journal import SQL, begin

_WRITERS = """
import os, sys, tempfile, time
from tests.support.journals import KEY, PLAN
from feint.journal import SQL, Lasting, begin
url, count, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with tempfile.TemporaryDirectory() as folder:  # whatever loads at the first use loads once, here
    warm = SQL(f"sqlite:///{folder}/warm.db", key=KEY)
    begin(warm, "warm", PLAN).ask()
    warm.close()
end = time.monotonic() + seconds
children = []
for number in range(count + 1):
    child = os.fork()
    if child == 0:
        code, done = 1, 0
        try:
            store = SQL(url, key=KEY)
            while done < 1 or time.monotonic() < end:
                done += 1
                if number == count:
                    store.names(), store.events("kept")
                    continue
                search = begin(store, f"search {number} {done}", PLAN)
                for query in search.ask():
                    search.tell(query.id, True)
            code = 0
        finally:
            os.write(1, b"%d " % done)  # in one piece, among 32 that write
            os._exit(code)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
sys.exit(any(codes))
"""


def written(tmp_path: Path, processes: int, seconds: float) -> int:
    """How many searches were begun and answered; none of them failed."""
    url = f"sqlite:///{tmp_path}/journal.db"
    store = SQL(url, key=KEY)
    begin(store, "kept", PLAN).ask()
    words = [sys.executable, "-c", _WRITERS, url, str(processes), str(seconds)]
    told = subprocess.run(words, check=False, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert len(told.stdout.split()) == processes + 1
    names = store.names()
    width = len(PLAN.strategy.rounds[0].coordinates)
    assert all(len(store.events(name)) == 1 + width for name in names if name != "kept")
    return len(names) - 1


def test_thirty_two_writers_and_a_reader(tmp_path: Path) -> None:
    assert written(tmp_path, 32, 0) == 32


@pytest.mark.slow
def test_thirty_two_writers_and_a_reader_for_a_minute(tmp_path: Path) -> None:
    assert written(tmp_path, 32, 60) >= 32
