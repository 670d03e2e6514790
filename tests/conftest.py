"""What every test has: laws without deadlines, and a cache folder that is not the user's."""

import gc
import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from tests.support.browsers import MISSING, chromium
from tests.support.clocks import Clock
from tests.support.databases import INSTALL, databases, postgres, quick_folder
from tests.support.examples import QUICK

from feint.simulate import Processes

# A shell that runs the tests in the background leaves Ctrl-C ignored, nohup a hang-up, and tests
# send both.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
settings.load_profile(QUICK)  # --hypothesis-profile names another
# Tests kill processes and not the machine, so nothing they show depends on the disk; and there are
# as many workers as cores, so that more threads of linear algebra only get in their way.
if (memory := quick_folder()) is not None:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
gc.set_threshold(50_000, 20, 50)  # to look for garbage less often saves a twentieth of the time


# What is not installed has its tests left out, by the name of their folder or files.
FLOWER = find_spec("flwr") is not None
collect_ignore = [] if chromium() else ["browser"]
SPHINX = find_spec("sphinx") is not None
collect_ignore_glob = [] if FLOWER else ["integrations/test_flower*"]
collect_ignore_glob += [] if SPHINX else ["site/*"]


def pytest_report_header() -> list[str]:
    """Say which tests are left out for want of what, and what installs it."""
    held = "databases: SQLite, PostgreSQL"
    if "postgresql" not in databases():
        held = f"databases: SQLite; those on PostgreSQL are left out: {INSTALL}"
    found = chromium()
    left = "tests/integrations/test_flower* and docs/how-to/federated.md are left out"
    without = f"none; {left}: pip install 'feint[flower]'"
    return [
        held,
        f"browser: {found or f'none; tests/browser is left out: {MISSING}'}",
        f"flower: {'installed' if FLOWER else without}",
        f"sphinx: {'installed' if SPHINX else 'none; tests/site is left out'}",
    ]


class Prompt:
    """Says each failure when it happens, so that a run that is cut short has said it."""

    def __init__(self, config: pytest.Config) -> None:
        """Write where pytest writes."""
        self.config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Name what failed, where, and how; the whole follows at the end, as ever."""
        out = self.config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and out is not None:
            crash = getattr(report.longrepr, "reprcrash", None)
            said = str(report.longrepr if crash is None else crash.message).strip()
            out.write_line(f"\nFAILED {report.nodeid} ({report.when}): {said[:200]!r}")


def pytest_configure(config: pytest.Config) -> None:
    """The controller alone speaks."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Prompt(config))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Slow tests take the time they need; a page about Flower has examples that need it."""
    if not FLOWER:
        items[:] = [each for each in items if each.path.name != "federated.md"]
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture(scope="session", autouse=True)
def nothing_of_the_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Counts that were kept before change no test, and tests leave none behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where this test alone keeps counts; it is not there yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "feint"


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test runs in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def two() -> Iterator[Processes]:
    """Two processes that the tests of a worker share: to start them takes longer than most."""
    with Processes(2) as found:
        yield found


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL of the tests' own; all tests of a worker share it."""
    with postgres() as server:
        yield server.url


@pytest.fixture
def clock() -> Clock:
    """A time that a test sets by hand."""
    return Clock()


@pytest.fixture(params=databases())
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A fresh SQLite file, or the tests' PostgreSQL, which may hold what other tests left."""
    if request.param == "sqlite":
        with TemporaryDirectory(prefix="feint-", dir=quick_folder()) as folder:
            yield f"sqlite:///{folder}/journal.db"
    else:
        yield str(request.getfixturevalue("postgres_url"))
