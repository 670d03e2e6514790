"""A disk that is full: one clear error, nothing acknowledged is lost, and room mends it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.disks import APART, small_disk
from tests.support.journals import KEY, PLAN, finished

from feint import Search
from feint.journal import SQL, Lasting
from feint.search import finish
from feint.simulate.oracles import Hidden

_FILL = """
import shutil, sys
from pathlib import Path
from tests.support.disks import make_room
from tests.support.journals import KEY, PLAN
from feint.errors import Unavailable
from feint.journal import SQL, begin
folder, way, kept = sys.argv[1:]
make_room(folder, way, 1 << 19, first=True)
store = SQL(f"sqlite:///{folder}/journal.db", key=KEY)
search, told = begin(store, "first", PLAN, key=bytes(32)), {}
(query, *_) = search.ask()
try:
    for number in range(10_000):
        other = begin(store, f"search {number}", PLAN)
        for each in other.ask():
            other.tell(each.id, True)
            told[other.name] = told.get(other.name, 0) + 1
except Unavailable as error:
    print(error)
try:
    store.create("more", search.search.header())
except Unavailable:
    pass
make_room(folder, way, 1 << 23)
search.tell(query.id, query.value <= 13)
store.create("more", search.search.header())
for name, count in told.items():
    held = [event for event in store.events(name) if "tell" in event]
    if len(held) < count:
        sys.exit(f"{name} has {len(held)} answers of {count}")
print(len(told))
store.close()
for each in Path(folder).iterdir():
    shutil.copy(each, kept)
"""


@pytest.mark.parametrize(
    "way", [small_disk(), pytest.param("limit", marks=pytest.mark.slow, id="always")]
)
def test_a_disk_that_is_full_loses_nothing_and_goes_on_with_room(way: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (tmp_path / "small").mkdir()
    kept.mkdir()
    apart = APART if way == "tmpfs" else ()
    words = [*apart, sys.executable, "-c", _FILL, str(tmp_path / "small"), way, str(kept)]
    told = subprocess.run(words, check=False, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    error, searches = told.stdout.splitlines()
    assert error.startswith("the database cannot be reached or written now")
    assert int(searches) > 1
    store = SQL(f"sqlite:///{kept}/journal.db", key=KEY)
    assert "more" in store.names()
    undisturbed = finish(Search(PLAN, key=bytes(32)), Hidden(13))
    assert finished(Lasting(store, "first")) == undisturbed
    store.close()
    shutil.rmtree(kept)
