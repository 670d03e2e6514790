"""Run PostgreSQL for the tests as an unprivileged user; without it, tests are skipped."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

INSTALL = "apt-get install --no-install-recommends postgresql"
_ROOM = 1 << 30
_USERS = ("postgres", "nobody")


def postgres_programs() -> Path | None:
    """Return the folder of initdb and pg_ctl; None: PostgreSQL is not installed."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places = [Path(found).resolve().parent] if found else []
    return next((each for each in (*folders, *places) if (each / "pg_ctl").exists()), None)


def databases() -> tuple[str, ...]:
    """Return the databases on which the tests run."""
    return ("sqlite", "postgresql") if postgres_programs() else ("sqlite",)


def quick_folder() -> str | None:
    """Return a folder in memory with room for a database; None: use the default place.

    Databases sync as ever. What tests kill is a process and not the machine, so nothing they show
    depends on what is below the file system.
    """
    memory = Path("/dev/shm")
    there = memory.is_dir() and os.access(memory, os.W_OK)
    return str(memory) if there and shutil.disk_usage(memory).free > _ROOM else None


class Postgres:
    """One server for the tests, with its data in a separate folder."""

    def __init__(self, programs: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="feint-pg-", dir=quick_folder()))
        self._programs = programs
        self._user = None if os.geteuid() else pwd.getpwnam(_unprivileged())
        if self._user is not None:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-D", f"{self.folder}/data", "-A", "trust", "-U", "feint")

    @property
    def url(self) -> str:
        """Where to connect."""
        return f"postgresql://feint@/postgres?host={self.folder}"

    def start(self) -> None:
        # Durability is the point: fsync stays on.
        options = f"-k {self.folder} -c listen_addresses='' -c max_connections=200"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-o", options, "start")

    def stop(self, *, how: str = "fast") -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", how, "stop")

    def _run(self, *words: str) -> None:
        user = None if self._user is None else self._user.pw_uid
        group = None if self._user is None else self._user.pw_gid
        with open(self.folder / "log", "a") as log:
            subprocess.run(
                [str(self._programs / words[0]), *words[1:]],
                check=True,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                user=user,
                group=group,
                extra_groups=None if user is None else [],
            )


def _unprivileged() -> str:
    known: Sequence[str] = [each.pw_name for each in pwd.getpwall()]
    return next(name for name in _USERS if name in known)


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run a PostgreSQL server during the block."""
    programs = postgres_programs()
    if programs is None:
        raise RuntimeError(f"PostgreSQL is not installed: {INSTALL}")
    server = Postgres(programs)
    server.start()
    try:
        yield server
    finally:
        server.stop(how="immediate")
        shutil.rmtree(server.folder)
