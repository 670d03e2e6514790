"""The flags that say how a problem is to be planned, and what the planner is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from feint.cli.flags.flag import flag, switch
from feint.cli.flags.problem import Request
from feint.cli.flags.work import WorkFlags
from feint.cli.progress import SOON, bar
from feint.errors import InvalidValue
from feint.exact import whole

if TYPE_CHECKING:
    from feint.planning import Plan

CALIBRATED = "calibrated"
_UNSIMULATED = "only a calibrated plan is simulated"
_REMEDY = "add --certificate calibrated, or leave it out"


@dataclass(frozen=True, kw_only=True)
class RoundsFlags:
    """How long a search may take; None: it was left out."""

    max_rounds: Annotated[
        str | None,
        flag("Most rounds there may be; a round may be a week of a test.", "COUNT", "The plan"),
    ] = None

    @property
    def rounds(self) -> int | None:
        """The most rounds there may be; None: any number.

        Raises:
            InvalidValue: No whole number of at least 1.
        """
        if self.max_rounds is None:
            return None
        return whole(self.max_rounds, "--max-rounds", least=1)


@dataclass(frozen=True, kw_only=True)
class PlanFlags(RoundsFlags):
    """What a plan may cost and why it is to be believed; None: it was left out."""

    repeatable: Annotated[
        bool,
        switch(
            "--repeatable",
            "Nothing but the number decides what is asked: searching for it again tells nothing"
            " new, whatever the key.",
            "The plan",
        ),
    ] = False
    certificate: Annotated[
        str | None,
        flag(
            "With --p: theorem, or calibrated (simulates; fewer questions). Default: theorem.",
            "NAME",
            "The plan",
        ),
    ] = None
    margin: Annotated[
        str | None,
        flag(
            "How wrong --prior may be: the promise holds for every law at most this many times as"
            " dense. Default: 1.",
            "NUMBER",
            "The plan",
        ),
    ] = None
    calibration_seed: Annotated[
        str | None,
        flag(
            "Where a calibrated plan's simulation begins. Default: it follows from the problem;"
            " the failure probability does not cover trying seeds until one pleases.",
            "SEED",
            "The plan",
        ),
    ] = None

    @property
    def calibrated(self) -> bool:
        """Whether the plan is to be sized by simulation."""
        return self.certificate == CALIBRATED

    @contextmanager
    def options(self, work: WorkFlags) -> Iterator[dict[str, Any]]:
        """What `feint.planning.plan` is told, while the block lasts; a bar where that takes long.

        Args:
            work: Who simulates a calibrated plan.

        Yields:
            Keyword arguments of the planner.

        Raises:
            InvalidValue: A flag is wrong, or is given and only a calibrated plan has it.
        """
        told = self.told()
        if self.calibrated:
            with work.executor() as executor, bar("planning") as progress:
                yield told | {"executor": executor, "progress": progress}
            return
        work.refuse(_UNSIMULATED, _REMEDY)
        with bar("planning", after=SOON) as progress:
            yield told | {"progress": progress}

    def told(self) -> dict[str, Any]:
        """What the planner is told, but for who simulates.

        Raises:
            InvalidValue: A flag is wrong, or is given and only a calibrated plan has it.
        """
        told: dict[str, Any] = {"max_rounds": self.rounds}
        if self.margin is not None:
            told["margin"] = self.margin
        if self.repeatable:
            told["repeatable"] = True
        if self.certificate is not None:
            told["certificate"] = self.certificate
        if self.calibration_seed is not None:
            if not self.calibrated:
                seed = self.calibration_seed
                raise InvalidValue("--calibration-seed", seed, _UNSIMULATED, _REMEDY)
            told["seed"] = whole(self.calibration_seed, "--calibration-seed", least=0)
        return told

    def planned(self, wanted: Request, method: str, work: WorkFlags) -> Plan:
        """The plan of a command that does more with it.

        Args:
            wanted: What was asked for.
            method: The method.
            work: Who shares the command's work, and that of a calibration where there is one.

        Raises:
            FeintError: A flag is wrong, or there is no such plan.
        """
        from feint.planning import plan

        with self.options(work if self.calibrated else WorkFlags()) as options:
            return plan(wanted.problem, domain=wanted.units, method=method, **options)
