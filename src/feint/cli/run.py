"""`feint run`: one private search, at the terminal, by a command, or through a spreadsheet."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from click import UsageError

from feint.cli import options as flag
from feint.cli import show, work
from feint.cli.calibration import CertificateName, calibration
from feint.cli.calibration import Seed as CalibrationSeed
from feint.cli.plan import MaxRounds
from feint.cli.resume import resumed
from feint.errors import InvalidValue, OracleFailed
from feint.exact import whole
from feint.problem import YesMeans

if TYPE_CHECKING:
    from rich.console import Console

    from feint.interfaces import Progress as ProgressCallback
    from feint.planning import Plan
    from feint.problem import Domain
    from feint.search import Search

UNWRITTEN, STOPPED, INTERRUPTED = 1, 3, 130
STATE = Path("feint-search.jsonl")

MethodName = Annotated[
    str | None, typer.Option("--method", help="Another method than tight; feint plan lists them.")
]
Labels = Annotated[
    list[str] | None,
    typer.Option("--label", help="What the number is called; once for each coordinate."),
]
OracleLine = Annotated[
    str | None,
    typer.Option(
        "--oracle",
        help="Command that answers: {q} is the number (it may begin with a minus), $FEINT_LABEL "
        "what it is called; exit 0 yes, 1 no.",
    ),
]
State = Annotated[Path, typer.Option(help="The file that keeps the search; secret.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the search in the file.")]
Export = Annotated[
    Path | None,
    typer.Option("--export-round", help="Write the open questions as CSV, and leave."),
]
Import = Annotated[
    Path | None, typer.Option("--import-answers", help="Take the answers from a CSV file.")
]
Yes = Annotated[
    str | None,
    typer.Option(
        "--yes-means", help="What yes says of the number: 'at least' (default) or 'below'."
    ),
]
SettingName = Annotated[
    str | None,
    typer.Option("--setting", help="bayesian (default) or deterministic (worst case only)."),
]
Dim = Annotated[str | None, typer.Option(help="Number of coordinates (default 1).")]
Seed = Annotated[
    str | None, typer.Option(help="For experiments only: coins that anybody can foresee.")
]


def run(
    epsilon: flag.Epsilon = None,
    delta: flag.Delta = None,
    level: flag.Level = None,
    setting: SettingName = None,
    p: flag.P = None,
    confidence: flag.Confidence = None,
    dim: Dim = None,
    low: flag.Low = None,
    high: flag.High = None,
    step: flag.Step = None,
    method: MethodName = None,
    max_rounds: MaxRounds = None,
    certificate: CertificateName = None,
    calibration_seed: CalibrationSeed = None,
    workers: work.Workers = None,
    dask: work.DaskAddress = None,
    label: Labels = None,
    yes_means: Yes = None,
    oracle: OracleLine = None,
    state: State = STATE,
    resume: Resume = False,
    export_round: Export = None,
    import_answers: Import = None,
    seed: Seed = None,
    json: flag.Json = False,
) -> None:
    """Search for a number, with questions that do not give it away.

    Every answer is on the disk before the next question is put.
    Whatever ends the search, --resume goes on from there.
    Answers that contradict each other are named to you; in a log of --json they are not.

    Exit codes:
    0 the number is found, or the CSV file is taken or written;
    1 a file cannot be written;
    2 bad input;
    3 stopped before the end, by q, by the end of input or by the oracle;
    130 interrupted.
    """
    by_sheet = import_answers is not None or export_round is not None
    if oracle is not None and by_sheet:
        rule = "a command answers, or a CSV file does"
        raise UsageError(f"--oracle with --export-round or --import-answers: {rule}; leave one out")
    answering, rounds = _command(oracle), None
    if max_rounds is not None:
        rounds = whole(max_rounds, "--max-rounds", least=1)
    if resume:
        given = {
            "--epsilon": epsilon,
            "--delta": delta,
            "--level": level,
            "--setting": setting,
            "--p": p,
            "--confidence": confidence,
            "--dim": dim,
            "--low": low,
            "--high": high,
            "--step": step,
            "--method": method,
            "--certificate": certificate,
            "--yes-means": yes_means,
        }
        first = {
            "--seed": seed,
            "--calibration-seed": calibration_seed,
            "--workers": workers,
            "--dask": dask,
        }
        search = resumed(state, given, rounds=rounds, labels=label, first=first)
    else:
        request = flag.request(
            epsilon=epsilon,
            delta=delta,
            level=level,
            setting=setting or "bayesian",
            p=p,
            confidence=confidence,
            dim=dim or "1",
            low=low,
            high=high,
            step=step,
        )
        with calibration(certificate, calibration_seed, workers, dask) as options:
            wanted = _wanted(request, method, {"max_rounds": rounds} | options, label)
        search = _begun(state, wanted, yes_means or "at least", seed)
    console = show.console(stderr=json)  # what machines read is the result alone
    if by_sheet:
        if not _by_sheet(search, import_answers, export_round, console):
            return
    else:
        with _kept(search, state, oracle=oracle is not None):
            _answer(search, answering, console)
    _finish(search, console, json=json)


def _command(oracle: str | None) -> Any:
    from feint.oracles import Command

    return None if oracle is None else Command(oracle)


def _wanted(
    request: flag.Request, method: str | None, options: dict[str, Any], labels: list[str] | None
) -> tuple[Plan, tuple[Domain, ...]]:
    from feint.planning import plan
    from feint.search import named

    chosen = plan(request.problem, domain=request.domain, method=method or "tight", **options)
    try:
        return chosen, named(request.domain, chosen.problem.dim, labels)
    except InvalidValue as error:
        raise InvalidValue("--label", error.value, error.rule, error.remedy) from None


def _begun(
    state: Path, wanted: tuple[Plan, tuple[Domain, ...]], yes_means: str, seed: str | None
) -> Search:
    from feint.search import create

    plan, domains = wanted
    return create(state, plan, domains=domains, yes_means=cast(YesMeans, yes_means), seed=seed)


def _answer(search: Search, oracle: Any, console: Console) -> None:
    from feint.cli.prompt import answer_all
    from feint.search import finish

    if oracle is None:
        answer_all(search, console)
        return
    with _bar(search) as progress:
        finish(search, oracle, progress=progress)


@contextmanager
def _bar(search: Search) -> Iterator[ProgressCallback]:
    """A bar on stderr, where a person is looking."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    terminal = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeElapsedColumn(), console=terminal, disable=not terminal.is_terminal
    ) as drawn:
        total = search.plan.queries
        task = drawn.add_task("questions", total=total, completed=search.answered)
        yield lambda what, done, wanted: drawn.update(task, completed=done)


@contextmanager
def _kept(search: Search, state: Path, *, oracle: bool) -> Iterator[None]:
    """Whatever ends the search early, say that nothing is lost and how to go on."""
    from feint.cli.prompt import Stopped

    try:
        yield
    except Stopped:
        code, why = STOPPED, "Stopped"
    except OracleFailed as failed:
        code, why = STOPPED, f"Stopped: {failed}"
    except KeyboardInterrupt:
        code, why = INTERRUPTED, "Interrupted"
    except OSError as error:
        if error.filename != str(state):
            raise
        code, why = UNWRITTEN, f"Stopped: {state} cannot be written ({error.strerror})"
    else:
        return
    total = search.plan.queries
    kept = f"{search.answered} of {total} answers are kept in {state}"
    where = "" if state == STATE else f" --state {shlex.quote(str(state))}"
    same = " and the same --oracle" if oracle else ""  # which may hold secrets, and is not repeated
    typer.echo(f"\nfeint: {why}; {kept}. Go on with: feint run --resume{where}{same}", err=True)
    raise typer.Exit(code)


def _by_sheet(
    search: Search, answers: Path | None, questions: Path | None, console: Console
) -> bool:
    """Take and give CSV files; whether the search is done."""
    from feint.search import export_round, import_answers

    if answers is not None:
        count = import_answers(search, answers)
        show.say(console, f"Took {show.count(count, 'answer')} from {answers}.")
    for each in search.contradictions:
        show.contradiction(console, each)
    if search.done:
        return True
    if questions is not None:
        count = export_round(search, questions)
        where = f"round {search.round + 1} of {search.plan.rounds}"
        show.say(console, f"Wrote {show.count(count, 'question')}, {where}, to {questions}.")
    return False


def _finish(search: Search, console: Console, *, json: bool) -> None:
    from feint.cli.report import report

    if json:
        show.as_json(search.result.to_dict())
    else:
        report(search, console)
