"""`feint audit`: what the best eavesdropper can do against a plan."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from click import UsageError

from feint.cli import options as flag
from feint.cli import show, work
from feint.cli.calibration import CertificateName, calibration
from feint.cli.calibration import Seed as CalibrationSeed
from feint.cli.plan import MaxRounds
from feint.errors import InvalidValue
from feint.exact import rational, whole

if TYPE_CHECKING:
    from feint.audit import Prior
    from feint.problem import Problem

_BINS = 64

MethodName = Annotated[str, typer.Option("--method", help="The method to audit.")]
Runs = Annotated[
    str | None, typer.Option(help="Sample so many runs instead of walking every branch.")
]
AdversaryName = Annotated[
    list[str] | None,
    typer.Option(
        "--adversary",
        help="Who listens to the runs: uniform, last, proportional, truncated or learned; may be"
        " given several times. Default: all.",
    ),
]
PriorName = Annotated[
    str | None,
    typer.Option(
        "--prior",
        help="Where the number may be: uniform, peak, ramp, or a file with one weight a line.",
    ),
]
Failure = Annotated[
    str | None,
    typer.Option(help="With --runs: probability that the verdict may be wrong. Default: 1e-6."),
]
Seed = Annotated[
    str | None, typer.Option(help="With --runs: where the runs' coins come from. Default: 0.")
]
Lemmas = Annotated[bool, typer.Option("--lemmas", help="Measure the theory's lemmas too.")]
Plot = Annotated[str | None, typer.Option("--plot", help="Draw the report to this file.")]


def audit(
    epsilon: flag.Epsilon = None,
    delta: flag.Delta = None,
    level: flag.Level = None,
    setting: flag.SettingName = "bayesian",
    p: flag.P = None,
    confidence: flag.Confidence = None,
    dim: flag.Dim = "1",
    low: flag.Low = None,
    high: flag.High = None,
    step: flag.Step = None,
    method: MethodName = "tight",
    max_rounds: MaxRounds = None,
    certificate: CertificateName = None,
    calibration_seed: CalibrationSeed = None,
    runs: Runs = None,
    adversary: AdversaryName = None,
    prior: PriorName = None,
    failure: Failure = None,
    seed: Seed = None,
    lemmas: Lemmas = False,
    workers: work.Workers = None,
    dask: work.DaskAddress = None,
    plot: Plot = None,
    json: flag.Json = False,
) -> int:
    """Audit a plan: what the best eavesdropper wins with. Leaves with 1 when the claim fails."""
    from feint import audit as room
    from feint import planning

    for name, given in (("--failure", failure), ("--seed", seed)):
        if given is not None and runs is None and p is None:  # noise is always sampled
            raise UsageError(f"{name} {given}: this is for a sampled audit; give --runs too")
    if plot is not None:
        from feint import plot as pictures

        pictures.check(plot)
    wanted = flag.request(
        epsilon=epsilon,
        delta=delta,
        level=level,
        setting=setting,
        p=p,
        confidence=confidence,
        dim=dim,
        low=low,
        high=high,
        step=step,
    )
    rounds = None if max_rounds is None else whole(max_rounds, "--max-rounds", least=1)
    calibrated = certificate == "calibrated"
    if not wanted.problem.noisy and runs is None:
        _unshared(workers, dask)
    helpers = (workers, dask) if calibrated else (None, None)
    with calibration(certificate, calibration_seed, *helpers) as options:
        found = planning.plan(
            wanted.problem, domain=wanted.domain, method=method, max_rounds=rounds, **options
        )
    with work.executor(workers, dask) as executor, _bar(quiet=json) as progress:
        report = room.audit(
            found,
            prior=_prior(prior, found.problem),
            runs=None if runs is None else whole(runs, "--runs", least=2, most=10**9),
            adversaries=adversary or None,
            failure=None if failure is None else float(rational(failure, "--failure")),
            seed=None if seed is None else whole(seed, "--seed", least=0),
            lemmas=lemmas,
            progress=progress,
            executor=executor,
        )
    if json:
        show.as_json(report.to_dict())
    else:
        show.lines(show.problem_line(found.problem, found.domain))
        show.console().print(report)
    if plot is not None:
        pictures.draw(report, plot)
    return 0 if report.holds else 1


def _unshared(workers: str | None, dask: str | None) -> None:
    """Refuse workers for an exact audit."""
    for name, value in (("--workers", workers), ("--dask", dask)):
        if value is not None:
            rule = "an exact audit is one piece of work"
            raise InvalidValue(name, value, rule, "leave it out, or sample: give --runs")


def _prior(words: str | None, problem: Problem) -> Prior:
    """A prior by its name, or from a file of weights."""
    from feint.branches import NAMES, UNIFORM, Prior

    if words is None:
        return UNIFORM
    if words in NAMES:
        return Prior.named(words, problem.values or _BINS)
    try:
        lines = Path(words).read_text("utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        rule = f"must be one of {', '.join(NAMES)}, or a file of weights"
        why = getattr(error, "strerror", None) or "it is not text"
        raise InvalidValue("--prior", words, f"{rule} ({why})", "check its name") from None
    return Prior(lines)


@contextmanager
def _bar(*, quiet: bool) -> Iterator[Callable[[str, int, int], None] | None]:
    """A bar on stderr while a person waits; it vanishes when the work is done."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("auditing", total=None)
        yield lambda what, done, wanted: bar.update(
            task, description=what, completed=done, total=wanted
        )
