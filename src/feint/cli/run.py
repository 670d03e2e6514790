"""`feint run`: one private search, at the terminal, by a command, or through a spreadsheet."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from click import UsageError

from feint.cli import show, summary
from feint.cli.again import begun_again
from feint.cli.codes import INTERRUPTED, STOPPED, UNWRITTEN
from feint.cli.flags.flag import Json, flag, switch
from feint.cli.flags.plan import PlanFlags
from feint.cli.flags.problem import ProblemFlags
from feint.cli.flags.work import WorkFlags
from feint.cli.progress import bar
from feint.cli.resume import Described, resumed
from feint.cli.state import STATE, State, go_on
from feint.errors import FeintError, InvalidValue, OracleFailed
from feint.problem import YesMeans

if TYPE_CHECKING:
    from rich.console import Console

    from feint.search import Search

DASH = Path("-")

MethodName = Annotated[
    str | None,
    flag("The method; feint plan lists them. Default: tight.", "NAME", "The plan", "--method"),
]
Yes = Annotated[
    str | None,
    flag(
        "What yes says of the number: 'at least' or 'below'. Default: at least.",
        "NAME",
        "The search",
        "--yes-means",
    ),
]
OracleLine = Annotated[
    str | None,
    flag(
        "Command that answers: {q} is the number (it may begin with a minus), $FEINT_LABEL what it"
        " is called; exit 0 yes, 1 no.",
        "COMMAND",
        "The search",
        "--oracle",
    ),
]
Resume = Annotated[bool, switch("--resume", "Go on with the search in the file.", "The search")]
Again = Annotated[
    Path | None,
    flag(
        "Search again for the number of this search file, with its plan and key; --state is the new"
        " file.",
        "FILE",
        "The search",
    ),
]
FreshKey = Annotated[
    bool,
    switch("--fresh-key", "With --again: other coins, which tells more.", "The search"),
]
Export = Annotated[
    Path | None,
    flag(
        "Write the open questions as CSV, and leave; - is standard output.",
        "FILE",
        "The search",
        "--export-round",
    ),
]
Import = Annotated[
    Path | None,
    flag(
        "Take the answers from such a CSV file, filled in; - is standard input.",
        "FILE",
        "The search",
        "--import-answers",
    ),
]
Seed = Annotated[
    str | None,
    flag("For experiments only: coins that anybody can foresee.", "SEED", "The search"),
]


def run(
    *,
    problem: ProblemFlags,
    method: MethodName = None,
    planning: PlanFlags,
    yes_means: Yes = None,
    oracle: OracleLine = None,
    state: State = STATE,
    resume: Resume = False,
    again: Again = None,
    fresh_key: FreshKey = False,
    export_round: Export = None,
    import_answers: Import = None,
    seed: Seed = None,
    work: WorkFlags,
    json: Json = False,
) -> None:
    """Search for a number, with questions that do not give it away.

    Every answer is on the disk before the next question is put.
    Whatever ends the search, --resume goes on from there; feint status says where it stands.
    Answers that contradict each other are named to you; in a log of --json they are not.

    Exit codes:
    0 the number is found, or the CSV file is taken or written;
    2 bad input;
    3 stopped before the end, by q, by the end of input or by the oracle;
    4 a file or the output cannot be written;
    130 interrupted.
    """
    by_file = import_answers is not None or export_round is not None
    if oracle is not None and by_file:
        rule = "a command answers, or a CSV file does"
        raise UsageError(f"--oracle with --export-round or --import-answers: {rule}; leave one out")
    command = _command(oracle)
    described = Described(
        problem=problem,
        planning=planning,
        work=work,
        method=method,
        yes_means=yes_means,
        seed=seed,
    )
    if resume and again is not None:
        rule = "one goes on with a search, the other begins the next for the same number"
        raise UsageError(f"--resume with --again: {rule}; leave one out")
    if fresh_key and again is None:
        rule = "this is for the next search for the number of a file, and every other key is fresh"
        raise UsageError(f"--fresh-key: {rule}; name the file with --again, or leave it out")
    to_stdout = export_round == DASH
    console = show.console(stderr=json or to_stdout)  # what machines read is alone on stdout
    if resume:
        search = resumed(state, described)
        if search.done:
            _ = search.result  # it may have been shown before: from here on no answer changes
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
    _finish(search, console, json=json)


def _command(oracle: str | None) -> Any:
    """The oracle that a line of the shell is; None where there is none."""
    from feint.simulate.oracles import Command

    return None if oracle is None else Command(oracle)


def _begun(state: Path, described: Described, console: Console) -> Search:
    """A new search, planned and with its file written; or the same one, if nobody answered it yet.

    Raises:
        FeintError: A flag is wrong, there is no such plan, or the file holds a search already.
        OSError: The file cannot be made.
    """
    from feint.planning import plan
    from feint.search import begin

    _refuse_begun(state, described)
    wanted = described.problem.request(margin=described.planning.margin)
    method = described.method or "tight"
    with described.planning.options(described.work) as options:
        chosen = plan(wanted.problem, domain=wanted.domain, method=method, **options)
    for line in show.shorter_questions(chosen, described.planning.told()):
        show.say(console, line, "dim")
    yes_means = cast(YesMeans, described.yes_means or "at least")
    search, moved = begin(
        state, chosen, domains=wanted.domains, yes_means=yes_means, seed=described.seed
    )
    if moved is not None:
        held = f"{state} held a search that nobody had answered yet"
        show.say(console, f"{held}; it is in {moved} now.", "dim")
    return search


def _refuse_begun(state: Path, described: Described) -> None:
    """See that the file holds no search that must go on, before a plan is made.

    Raises:
        InvalidValue: It holds one that has answers, or that no flag describes.
        FeintError: It cannot be read.
    """
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
    """Where the block cannot make the file of a new search, say so on stderr, and leave.

    Raises:
        Exit: With `UNWRITTEN`.
    """
    try:
        yield
    except OSError as error:
        named = Path(str(error.filename))
        if error.filename is not None and named != state.parent and state.name not in named.name:
            raise  # it is about another file, such as that of --again
        rule = f"cannot be made: {error.strerror}"
        remedy = "name a file in a folder that exists and is yours"
        show.complain(f"--state {state}: {rule}; {remedy}")
        raise typer.Exit(UNWRITTEN) from None


def _answer(search: Search, oracle: Any, console: Console, *, json: bool) -> None:
    """Put every question that is left to the oracle, or to the person where there is none."""
    from feint.cli.prompt import answer_all
    from feint.search import finish

    if oracle is None:
        if json and search.done:  # a machine reads the result
            return
        summary.summary(search, console)
        answer_all(search, console)
        return
    summary.warn(search, console)
    with bar("questions") as progress:
        finish(search, oracle, progress=progress)


@contextmanager
def _told_to_owner(console: Console) -> Iterator[None]:
    """What only the owner may read of an error is printed where only the owner reads."""
    try:
        yield
    except FeintError as error:
        if error.for_owner is not None and show.for_owner(console):
            words = error.for_owner[0].upper() + error.for_owner[1:]
            show.say(console, f"{words}.", "yellow")
        raise


@contextmanager
def _kept(search: Search, state: Path, *, same: str = "") -> Iterator[None]:
    """Where the block ends early, say on stderr what is kept and how to go on, and leave.

    Args:
        search: The search.
        state: Its file.
        same: What else must be on the command line to go on.

    Raises:
        Exit: With `STOPPED`, `INTERRUPTED` or `UNWRITTEN`.
    """
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
    typer.echo(err=True)
    show.complain(f"{why}; {kept}. Go on with: {go_on(state)}{same}")
    raise typer.Exit(code)


def _exchange(
    search: Search, answers: Path | None, questions: Path | None, console: Console
) -> bool:
    """Take answers from a CSV file, then write the open questions to one.

    Returns:
        Whether every question is answered.

    Raises:
        FeintError: A file cannot be taken, holds no answer, or would be overwritten.
    """
    from feint.search import export_round, import_answers

    finished = search.done
    if answers is not None:
        with _flag("--import-answers"):
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
        with _flag("--export-round"):
            count = export_round(search, sys.stdout if questions == DASH else questions)
        where = f"round {search.round + 1} of {search.plan.rounds}"
        wrote = f"Wrote {show.count(count, 'question')}, {where}, to"
        show.say(console, f"{wrote} {_file(questions, 'output')}.")
    else:
        where = f"round {search.round + 1} of {search.plan.rounds}"
        left = f"{show.count(search.open, 'question')} of {where} left"
        show.say(console, f"{left if search.open else f'All of {where} is answered'}.")
    return False


def _file(path: Path, stream: str) -> str:
    return f"standard {stream}" if path == DASH else str(path)


@contextmanager
def _flag(name: str) -> Iterator[None]:
    """An error about the file that a flag names is about the flag."""
    try:
        yield
    except InvalidValue as error:
        if error.argument != "path":
            raise
        raise error.about(name) from None


def _finish(search: Search, console: Console, *, json: bool) -> None:
    """Print the result, which is for the owner's eyes."""
    from feint.cli.report import report

    if json:
        show.as_json(search.result.to_dict())
    else:
        report(search, console)
