"""`feint run`: one private search, at the terminal, by a command, or through a spreadsheet."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from feint.cli import options as flag
from feint.cli import show
from feint.cli.plan import MaxRounds
from feint.errors import InvalidValue, OracleFailed
from feint.exact import whole
from feint.problem import YesMeans

if TYPE_CHECKING:
    from rich.console import Console

    from feint.planning import Plan
    from feint.problem import Domain
    from feint.search import Search

STOPPED, INTERRUPTED = 3, 130
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
    typer.Option("--oracle", help="Command that answers: {q} is the number; exit 0 yes, 1 no."),
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
    str, typer.Option("--yes-means", help="What yes says of the number: 'at least' or 'below'.")
]
Seed = Annotated[
    str | None, typer.Option(help="For experiments only: coins that anybody can foresee.")
]


def run(
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
    method: MethodName = None,
    max_rounds: MaxRounds = None,
    label: Labels = None,
    yes_means: Yes = "at least",
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

    Exit codes:
    0 the number is found, or the CSV file is taken or written;
    1 a file cannot be written;
    2 bad input;
    3 stopped before the end, by q, by the end of input or by the oracle;
    130 interrupted.
    """
    given = (epsilon, delta, level, low, high, step, p, confidence, method, max_rounds)
    answering, rounds = _command(oracle), None
    if max_rounds is not None:
        rounds = whole(max_rounds, "--max-rounds", least=1)
    wanted = None
    if not resume or any(each is not None for each in given):
        request = flag.request(
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
        wanted = _wanted(request, method, rounds, label)
    if wanted is None or resume:
        search = _resumed(state, wanted)
    else:
        search = _begun(state, wanted, yes_means, seed)
    console = show.console(stderr=json)  # what machines read is the result alone
    if import_answers is not None or export_round is not None:
        if not _by_sheet(search, import_answers, export_round, console):
            return
    else:
        with _kept(search, state):
            _answer(search, answering, console)
    _finish(search, console, json=json)


def _command(oracle: str | None) -> Any:
    from feint.oracles import Command

    return None if oracle is None else Command(oracle)


def _wanted(
    request: flag.Request, method: str | None, rounds: int | None, labels: list[str] | None
) -> tuple[Plan, tuple[Domain, ...]]:
    from feint.planning import plan
    from feint.search import named

    chosen = plan(
        request.problem, domain=request.domain, method=method or "tight", max_rounds=rounds
    )
    return chosen, named(request.domain, chosen.problem.dim, labels)


def _begun(
    state: Path, wanted: tuple[Plan, tuple[Domain, ...]], yes_means: str, seed: str | None
) -> Search:
    from feint.search import create

    plan, domains = wanted
    return create(state, plan, domains=domains, yes_means=cast(YesMeans, yes_means), seed=seed)


def _resumed(state: Path, wanted: tuple[Plan, tuple[Domain, ...]] | None) -> Search:
    """The search in the file, which flags that are given again must describe."""
    from feint.search import load

    search = load(state)
    if wanted is not None and (search.plan, search.domains) != wanted:
        rule = "holds a search for something else than these flags ask for"
        raise InvalidValue("--state", state, rule, "leave them out, or name another file")
    return search


def _answer(search: Search, oracle: Any, console: Console) -> None:
    from feint.cli.prompt import answer_all
    from feint.search import finish

    if oracle is None:
        answer_all(search, console)
        return
    with _bar(search) as progress:
        finish(search, oracle, progress=progress)


@contextmanager
def _bar(search: Search) -> Iterator[Callable[[Search], None]]:
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
        yield lambda at: drawn.update(task, completed=at.answered)


@contextmanager
def _kept(search: Search, state: Path) -> Iterator[None]:
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
    else:
        return
    total = search.plan.queries
    kept = f"{search.answered} of {total} answers are kept in {state}"
    where = "" if state == STATE else f" --state {shlex.quote(str(state))}"
    typer.echo(f"\nfeint: {why}; {kept}. Go on with: feint run --resume{where}", err=True)
    raise typer.Exit(code)


def _by_sheet(
    search: Search, answers: Path | None, questions: Path | None, console: Console
) -> bool:
    """Take and give CSV files; whether the search is done."""
    from feint.search import sheet

    if answers is not None:
        count = sheet.import_answers(search, answers)
        line = f"Took {show.count(count, 'answer')} from {answers}."
        console.print(line, markup=False, soft_wrap=True)
    for each in search.contradictions:
        line = f"These answers cannot all be right: {each}."
        console.print(line, style="yellow", markup=False, soft_wrap=True)
    if search.done:
        return True
    if questions is not None:
        count = sheet.export_round(search, questions)
        where = f"round {search.round + 1} of {search.plan.rounds}"
        line = f"Wrote {show.count(count, 'question')}, {where}, to {questions}."
        console.print(line, markup=False, soft_wrap=True)
    return False


def _finish(search: Search, console: Console, *, json: bool) -> None:
    from feint.cli.report import report

    if json:
        show.as_json(search.result.to_dict())
    else:
        report(search, console)
