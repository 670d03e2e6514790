"""The certificate of a noisy plan: the flags that several commands share, and who simulates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from feint.cli import work
from feint.errors import InvalidValue
from feint.exact import whole

CertificateName = Annotated[
    str | None,
    typer.Option(
        "--certificate",
        help="With --p: theorem (default), or calibrated (simulates; fewer questions).",
    ),
]
Seed = Annotated[
    str | None,
    typer.Option(
        "--calibration-seed", help="Where the simulation of a calibrated plan begins. Default: 0."
    ),
]


@contextmanager
def calibration(
    certificate: str | None, seed: str | None, workers: str | None, dask: str | None
) -> Iterator[dict[str, Any]]:
    """What the planner is told of its certificate, and whom; a bar while it simulates.

    Raises:
        InvalidValue: A flag that only a calibrated plan has, or a wrong one.
    """
    if certificate == "calibrated":
        start = whole(seed or "0", "--calibration-seed", least=0)
        with work.executor(workers, dask) as executor, work.stages("planning") as progress:
            made = {"certificate": certificate, "seed": start}
            yield made | {"executor": executor, "progress": progress}
        return
    for name, value in (("--calibration-seed", seed), ("--workers", workers), ("--dask", dask)):
        if value is not None:
            rule = "only a calibrated plan is simulated"
            raise InvalidValue(name, value, rule, "add --certificate calibrated, or leave it out")
    yield {} if certificate is None else {"certificate": certificate}
