"""Define `feint run`, a private search at the terminal, by a command or with a spreadsheet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from click import UsageError

from feint.cli import show, summary
from feint.cli.codes import INTERRUPTED, STOPPED, UNWRITTEN
from feint.cli.flags.plan import PlanFlags, WorkFlags
from feint.cli.flags.problem import AskFlags, ProblemFlags
from feint.cli.flags.wording import flagged
from feint.cli.progress import bar
from feint.cli.resume import STATE, Described, begun_again, go_on, resumed
from feint.errors import FeintError, InvalidValue, OracleFailed
from feint.problem import YesMeans

if TYPE_CHECKING:
    from rich.console import Console

    from feint.search import Search

DASH = Path("-")


def run(
    *,
    problem: ProblemFlags,
    method: str | None = None,
    planning: PlanFlags,
    yes_means: YesMeans | None = None,
    asking: AskFlags,
    oracle: str | None = None,
    state: Path = STATE,
    resume: bool = False,
    again: Path | None = None,
    fresh_key: bool = False,
    export_round: Path | None = None,
    import_answers: Path | None = None,
    seed: int | None = None,
    work: WorkFlags,
    json: bool = False,
) -> None:
    """Search for a number, with questions that do not give it away.

    Every answer is saved before the next question is asked.
    --resume continues the search after any interruption; feint status shows its
    progress.
    Contradicting answers are shown to you, but not in a log of --json.

    Exit status:
    0 the number is found, or the CSV file is read or written;
    2 bad input;
    3 stopped before the end, by q, by the end of input or by the oracle;
    4 a file or the output cannot be written;
    130 interrupted.
    """
    from feint.cli.report import report
    from feint.simulate.oracles import Command

    by_file = import_answers is not None or export_round is not None
    if oracle is not None and by_file:
        rule = "a command answers, or a CSV file does"
        raise UsageError(f"--oracle with --export-round or --import-answers: {rule}; leave one out")
    command = None if oracle is None else Command(oracle)
    described = Described(
        problem=problem,
        planning=planning,
        work=work,
        method=method,
        yes_means=yes_means,
        asking=asking,
        seed=seed,
    )
    if resume and again is not None:
        rule = "one goes on with a search, the other begins the next for the same number"
        raise UsageError(f"--resume with --again: {rule}; leave one out")
    if fresh_key and again is None:
        rule = "this is for the next search for the number of a file, and every other key is fresh"
        raise UsageError(f"--fresh-key: {rule}; name the file with --again, or leave it out")
    to_stdout = export_round == DASH
    console = show.console(stderr=json or to_stdout)  # stdout is for machines only
    if resume:
        search = resumed(state, described)
        if search.done:
            _ = search.result  # the result may have been shown before, so no answer may change now
    else:
        with _made(state):
            search = (
                _begun(state, described, console)
                if again is None
                else begun_again(again, state, described, console, fresh_key=fresh_key)
            )
    if by_file:
        summary.warn(search, console)
        with _kept(search, state), _told_to_owner(console):
            ended = _exchange(search, import_answers, export_round, console)
        if not ended or to_stdout:
            return
    else:
        same = "" if oracle is None else " and the same --oracle"  # it may hold secrets
        with _kept(search, state, same=same), _told_to_owner(console):
            _answer(search, command, console, json=json)
    if json:
        show.as_json(search.result.to_dict())
    else:
        report(search, console)


def _begun(state: Path, described: Described, console: Console) -> Search:
    """Plan a new search and write its file; return the search of the file if it has no answers."""
    from feint.planning import plan
    from feint.search import begin

    _refuse_begun(state, described)
    wanted = described.problem.request(margin=described.planning.margin)
    method = described.planning.method(described.method or "tight", wanted)
    with described.planning.options(described.work) as options:
        chosen = plan(wanted.problem, domain=wanted.domain, method=method, **options)
    for line in show.shorter_questions(chosen, described.planning.arguments()):
        show.say(console, line, "dim")
    yes_means = described.yes_means or "at least"
    search, moved = begin(
        state,
        chosen,
        domains=described.asking.worded(wanted.domains),
        yes_means=yes_means,
        preface=described.asking.preface,
        seed=described.seed,
    )
    if moved is not None:
        said = f"{state} held a search without answers"
        show.say(console, f"{said}; it is in {moved} now.", "dim")
    return search


def _refuse_begun(state: Path, described: Described) -> None:
    """Refuse a file with a search that can be continued, before planning."""
    from feint.search import load

    if not (state.is_file() and state.stat().st_size):
        return
    if load(state).answered or not described.problem.given():
        rule = "this file holds a search"
        remedy = f"go on with it by --resume: {go_on(state)}. For another number name another file:"
        remedy += " two searches for one number tell more than one"
        raise InvalidValue("--state", state, rule, remedy)


@contextmanager
def _made(state: Path) -> Iterator[None]:
    """Run a block; if the file of a new search cannot be made, say so on stderr and exit."""
    try:
        yield
    except OSError as error:
        named = Path(str(error.filename))
        if error.filename is not None and named != state.parent and state.name not in named.name:
            raise  # the error is about another file, such as that of --again
        rule = f"cannot be made: {error.strerror}"
        remedy = "name a file in a folder that exists and is yours"
        show.complain(f"--state {state}: {rule}; {remedy}")
        raise typer.Exit(UNWRITTEN) from None


def _answer(search: Search, oracle: Any, console: Console, *, json: bool) -> None:
    """Ask the oracle every remaining question, or the person if there is no oracle."""
    from feint.cli.prompt import answer_all
    from feint.search import finish

    if oracle is None:
        if json and search.done:  # only a machine reads the rest
            return
        summary.summary(search, console)
        answer_all(search, console)
        return
    summary.warn(search, console)
    with bar("questions") as progress:
        finish(search, oracle, progress=progress)


@contextmanager
def _told_to_owner(console: Console) -> Iterator[None]:
    """Print the secret part of an error if only the owner reads the output."""
    try:
        yield
    except FeintError as error:
        if error.for_owner is not None and show.for_owner(console):
            words = error.for_owner[0].upper() + error.for_owner[1:]
            show.say(console, f"{words}.", "yellow")
        raise


@contextmanager
def _kept(search: Search, state: Path, *, same: str = "") -> Iterator[None]:
    """Run a block; if it ends early, print how to continue on stderr, and exit."""
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
    kept = f"{show.answered_of(search)} answers are kept in {state}"
    typer.echo(err=True)
    show.complain(f"{why}; {kept}. Go on with: {go_on(state)}{same}")
    raise typer.Exit(code)


def _exchange(
    search: Search, answers: Path | None, questions: Path | None, console: Console
) -> bool:
    """Read answers from one CSV file and write open questions to another; return True if done."""
    from feint.search import export_round, import_answers

    finished = search.done
    if answers is not None:
        with flagged(path="--import-answers"):
            count = import_answers(search, sys.stdin if answers == DASH else answers)
        if not count:
            rule = "no cell of its column answer is filled in"
            remedy = "write yes or no there, save the sheet as CSV, and import it again"
            raise InvalidValue("--import-answers", _file(answers, "input"), rule, remedy)
        again = ", the same as before" if finished else ""
        show.say(
            console, f"Took {show.count(count, 'answer')} from {_file(answers, 'input')}{again}."
        )
    if search.done:
        if questions is not None:
            said = "Every question is answered: there is no round left to write"
            show.say(console, f"{said}, and --resume alone shows the result.")
        return True
    if questions is not None:
        with flagged(path="--export-round"):
            count = export_round(search, sys.stdout if questions == DASH else questions)
        where = show.round_of(search)
        wrote = f"Wrote {show.count(count, 'question')}, {where}, to"
        show.say(console, f"{wrote} {_file(questions, 'output')}.")
    else:
        where = show.round_of(search)
        left = f"{show.count(search.open, 'question')} of {where} left"
        show.say(console, f"{left if search.open else f'All of {where} is answered'}.")
    return False


def _file(path: Path, stream: str) -> str:
    return f"standard {stream}" if path == DASH else str(path)
