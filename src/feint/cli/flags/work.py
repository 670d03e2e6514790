"""Who does long work, and in how much memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from feint.cli.flags.flag import flag
from feint.errors import InvalidValue
from feint.exact import whole

if TYPE_CHECKING:
    from feint.interfaces import Executor

Memory = Annotated[
    str | None,
    flag(
        "Megabytes that all processes may take together. Default: 1024, or what that number of"
        " workers needs.",
        "COUNT",
        "Work",
    ),
]


@dataclass(frozen=True, kw_only=True)
class WorkFlags:
    """Who shares the work. The digits of a result do not depend on it."""

    workers: Annotated[
        str | None,
        flag(
            "How many processes share the work; the digits are the same. Default: 1.",
            "COUNT",
            "Work",
        ),
    ] = None
    dask: Annotated[
        str | None, flag("Address of a Dask scheduler that does the work.", "ADDRESS", "Work")
    ] = None

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """Whoever the flags name, for as long as the block lasts; this process if nobody.

        Raises:
            InvalidValue: Both flags at once, or no number of processes.
            MissingExtra: Dask is not installed.
        """
        from feint.simulate import Dask, Processes, Serial

        if self.workers is not None and self.dask is not None:
            rule = "a cluster has its own workers"
            raise InvalidValue("--dask", self.dask, rule, "leave out --workers or --dask")
        if self.dask is not None:
            import logging

            with Dask(self.dask) as cluster:
                for name in ("distributed", "distributed.client"):  # our one line says it all
                    logging.getLogger(name).setLevel(logging.CRITICAL)
                yield cluster
        elif (count := _processes(self.workers)) > 1:
            with Processes(count) as pool:
                yield pool
        else:
            yield Serial()

    def refuse(self, rule: str, remedy: str) -> None:
        """Refuse both flags.

        Raises:
            InvalidValue: One of them was given; the message has this rule and this remedy.
        """
        for name, value in (("--workers", self.workers), ("--dask", self.dask)):
            if value is not None:
                raise InvalidValue(name, value, rule, remedy)


def _processes(workers: str | None) -> int:
    return 1 if workers is None else whole(workers, "--workers", least=1, most=4096)


def megabytes(memory: str | None) -> int | None:
    """What --memory says, in bytes; None where nothing is said.

    Raises:
        InvalidValue: No whole number of at least 1.
    """
    return None if memory is None else whole(memory, "--memory", least=1) << 20
