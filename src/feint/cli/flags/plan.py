"""Define the flags for planning a problem and for parallel work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from feint.cli.flags.problem import Request
from feint.cli.progress import SOON, bar
from feint.errors import InvalidValue

if TYPE_CHECKING:
    from feint.interfaces import Executor
    from feint.planning import Plan

CALIBRATED = "calibrated"
FIXED = "fixed"  # the only method that is sized by simulation
_UNSIMULATED = "only a calibrated plan is simulated"
_REMEDY = "add --certificate calibrated, or leave it out"


@dataclass(frozen=True, kw_only=True)
class WorkFlags:
    """The flags for parallel work. They never change a result."""

    workers: int | None = None
    dask: str | None = None

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """Yield the executor that the flags name; without a flag, this process."""
        from feint.simulate import Dask, Processes, Serial

        if self.workers is not None and self.dask is not None:
            rule = "a cluster has its own workers"
            raise InvalidValue("--dask", self.dask, rule, "leave out --workers or --dask")
        if self.dask is not None:
            import logging

            with Dask(self.dask) as cluster:
                # the error message has one line and is enough
                for name in ("distributed", "distributed.client"):
                    logging.getLogger(name).setLevel(logging.CRITICAL)
                yield cluster
        elif self.workers is not None and self.workers > 1:
            with Processes(self.workers) as pool:
                yield pool
        else:
            yield Serial()

    def refuse(self, rule: str, remedy: str) -> None:
        """Raise an error with this rule and this remedy if one of the flags was given."""
        for name, value in (("--workers", self.workers), ("--dask", self.dask)):
            if value is not None:
                raise InvalidValue(name, value, rule, remedy)


@dataclass(frozen=True, kw_only=True)
class PlanFlags:
    """The arguments of the planner; None if left out."""

    max_rounds: int | None = None
    repeatable: bool = False
    certificate: str | None = None
    margin: str | None = None
    calibration_seed: int | None = None

    @property
    def calibrated(self) -> bool:
        """Return True if the plan is to be sized by simulation."""
        return self.certificate == CALIBRATED

    def arguments(self) -> dict[str, Any]:
        """Return the keyword arguments of `feint.planning.plan` that the flags give."""
        if self.calibration_seed is not None and not self.calibrated:
            raise InvalidValue("--calibration-seed", self.calibration_seed, _UNSIMULATED, _REMEDY)
        stated = {
            "margin": self.margin,
            "repeatable": self.repeatable or None,
            "certificate": self.certificate,
            "seed": self.calibration_seed,
        }
        given = {name: value for name, value in stated.items() if value is not None}
        return {"max_rounds": self.max_rounds, **given}

    @contextmanager
    def options(self, work: WorkFlags) -> Iterator[dict[str, Any]]:
        """Yield all keyword arguments of the planner, with a progress bar if planning takes long.

        Args:
            work: The flags for the simulation of a calibrated plan.
        """
        arguments = self.arguments()
        if self.calibrated:
            with work.executor() as executor, bar("planning") as progress:
                yield arguments | {"executor": executor, "progress": progress}
            return
        work.refuse(_UNSIMULATED, _REMEDY)
        with bar("planning", after=SOON) as progress:
            yield arguments | {"progress": progress}

    def planned(self, wanted: Request, method: str, work: WorkFlags) -> Plan:
        """Return the plan for a command that uses it.

        Args:
            wanted: The problem and its units.
            method: The method.
            work: The flags for the command's work, and for the simulation of a calibrated plan.
        """
        from feint.planning import plan

        name = self.method(method, wanted)
        with self.options(work if self.calibrated else WorkFlags()) as options:
            return plan(wanted.problem, domain=wanted.units, method=name, **options)

    def method(self, name: str, wanted: Request) -> str:
        """Return the method to plan with: a calibrated plan under noise is one of "fixed"."""
        replaced = self.calibrated and name == "tight" and wanted.problem.noisy
        return FIXED if replaced else name
