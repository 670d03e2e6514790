"""Declare every flag of every command once, with the kind of its value, its help and its default.

A command takes a flag if it has a parameter of its name, or a group of flags with a field of its
name. A flag with another meaning in one command is declared again as "COMMAND.NAME". The help shows
panels and flags in the order of this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

TOKEN = "FEINT_TOKEN"
DATABASE = "FEINT_DATABASE"


@dataclass(frozen=True)
class Flag:
    """One flag.

    Attributes:
        kind: The kind of its value, as the help shows it; empty: a switch, which has no value.
        help: A description of its effect.
        default: The default in words. A parameter with its own default does not need it.
        least: The least whole number allowed. The command then gets an int, else the text as typed.
        most: The greatest whole number allowed; None: any.
        choices: The only words allowed, one or several separated by commas; empty: any.
        names: Its spellings; empty: the name of its parameter, with dashes.
        positional: Whether the value is given by its place, without a flag.
        more: Further arguments for typer.
    """

    kind: str
    help: str
    default: str = ""
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    positional: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)

    def text(self, default: object = None) -> str:
        """Return the text of the help, given the default of the parameter."""
        words = self.default or ("" if default is None or default is False else str(default))
        return f"{self.help} Default: {words}." if words else self.help

    def complete(self) -> list[str]:
        """Return the choices for completion by a shell."""
        return [*self.choices]

    def typed(self, parameter: str) -> str:
        """Return the flag as typed: --max-rounds for the parameter max_rounds."""
        return self.names[-1] if self.names else spelled(parameter)


def spelled(parameter: str) -> str:
    """Return a parameter's name as a flag: --max-rounds for max_rounds."""
    return f"--{parameter.replace('_', '-')}"


_FROM = ("--from",)  # `from` is a keyword of Python
_FILE = {"dir_okay": False}
_ADVERSARIES = (
    "Eavesdroppers, separated by commas: uniform, last, proportional, truncated, learned, blind."
)

PANELS: Mapping[str, Mapping[str, Flag]] = {
    "The check": {
        "bisect.command": Flag(
            "COMMAND",
            "After --, the command that checks a commit. Exit status 0 means good; 1 to 124 and"
            " 126 bad; 125 that the commit cannot be checked; 127 (not found) is an error; 128 and"
            " above, or a signal, mean what --crash-is says. Or one of the words start, next, good,"
            " bad, skip, undo, run, replay, reset, status, log, candidates and visualize.",
            positional=True,
        ),
        "seal.command": Flag("COMMAND", "After --, the check and its arguments.", positional=True),
    },
    "The problem": {
        "good": Flag("NAME", "A good commit; may be given several times."),
        "good_from": Flag(
            "SOURCE",
            "A file whose first word names a good commit, or a command that prints it, such as one"
            " that asks a CI for its last green run.",
        ),
        "find_good": Flag(
            "",
            "Find a good commit 1, 2, 4, 8 … commits before the bad one. An observer of these"
            " checks learns how far back it was.",
        ),
        "bad": Flag("NAME", "A bad commit.", "HEAD"),
        "within": Flag(
            "NUMBER",
            "Your accuracy: you learn the number to within plus or minus this.",
        ),
        "epsilon": Flag(
            "WIDTH",
            "The same as a full width, twice --within: you learn the number to within epsilon/2.",
        ),
        "delta": Flag(
            "WIDTH",
            "Width of the interval an eavesdropper must hit: she wins within delta/2 of the number."
            " With --step she wins by naming delta/step neighbouring values that include it (see"
            " --winning).",
        ),
        "bisect.delta": Flag(
            "COUNT",
            "Neighbouring commits that an observer may name.",
            "20; in a short history, the most that a blind guess hits with at most 1/(2L)",
        ),
        "level": Flag("COUNT", "L: an eavesdropper wins with probability at most 1/L."),
        "path": Flag(
            "PATTERN",
            "Only commits that touch such files are candidates, as git matches files; may be given"
            " several times.",
        ),
        "term_good": Flag(
            "WORD",
            "The word for good in verdicts by hand, such as fast.",
            "good",
            names=("--term-old", "--term-good"),
        ),
        "term_bad": Flag(
            "WORD",
            "The word for bad in verdicts by hand, such as slow.",
            "bad",
            names=("--term-new", "--term-bad"),
        ),
        "skip": Flag(
            "NAME",
            "A commit that cannot be checked, a range A..B, or a file with one per line; may be"
            " given several times. It cannot be the answer, and costs no room.",
        ),
        "spare": Flag(
            "SHARE",
            "Share of the commits that may turn out not to be checkable while the promise holds.",
            "0.05",
        ),
        "bisect.level": Flag(
            "COUNT",
            "L: an observer who sees which commits are checked names the first bad one with"
            " probability at most 1/L; 1 hides nothing.",
            "1",
        ),
        "setting": Flag(
            "NAME",
            "bayesian, or deterministic (worst case only).",
            "bayesian",
            choices=("bayesian", "deterministic"),
        ),
        "dim": Flag("COUNT", "Number of coordinates.", "1"),
        "winning": Flag(
            "NAME",
            "With --step, when an eavesdropper wins: names (she names delta/step neighbouring"
            " values that include the number) or within (she is within delta/2 of it: one value"
            " more).",
            "names",
            choices=("names", "within"),
        ),
        "prior": Flag(
            "NAME",
            "Prior distribution of the number, in your units: 'normal(60, 15)', 'points(30, 60,"
            " 120)' (hardly below, probably, hardly above), beta, lognormal, triangular and more."
            " With --dim, give it once for all coordinates or once for each.",
            "uniform",
        ),
        "prior_file": Flag(
            "FILE",
            "Read the prior from a file: CSV with values and weights, or samples; TOML or JSON.",
        ),
        "weights": Flag(
            "NAME",
            "How likely each commit is: equal, lines (by lines changed), paths:PATTERN or"
            " words:PATTERN (ten times as likely if it touches such a path or its message has such"
            " words), or a file with a commit and its weight per line.",
            "equal",
        ),
        "file": Flag("FILE", "Read the grid from this TOML file instead of flags."),
    },
    "Units": {
        "low": Flag("NUMBER", "Smallest possible value, in your units.", "0"),
        "high": Flag("NUMBER", "Largest possible value, in your units.", "1"),
        "step": Flag(
            "WIDTH", "The number is one of low, low+step, ..., high; it is found exactly."
        ),
        "tick": Flag(
            "WIDTH",
            "Ask only at multiples of this, such as 0.01.",
            "the coarsest that adds no question",
        ),
        "label": Flag("NAME", "Name of the number, such as price; one for each coordinate."),
    },
    "Noise": {
        "p": Flag(
            "PROBABILITY",
            "Probability that an answer is right, the same for every question: a number, 0.9+ (or"
            " better), a range such as 0.6..0.95, or unknown. If it depends on the distance: a"
            " curve and its scale, such as logistic(6), or logistic(3|6|12) for one of three.",
            "answers are always right",
        ),
        "bisect.p": Flag(
            "PROBABILITY", "Probability that a check is right, for good and bad commits alike."
        ),
        "confidence": Flag(
            "PROBABILITY",
            "With --p: probability of being accurate, 1-1/M.",
            "accurate on average",
        ),
        "bisect.confidence": Flag(
            "PROBABILITY", "Probability of finding the right commit with a flaky check.", "0.95"
        ),
        "fails_at_least": Flag(
            "PROBABILITY",
            "A bad commit fails a check at least this often, and a good commit never fails.",
        ),
        "good_fails": Flag(
            "PROBABILITY",
            "How often a good commit fails the check: a number, 0.05- (or less), a range such as"
            " 0.01..0.1, or unknown at level 1.",
            "never, if --bad-fails is given",
        ),
        "bad_fails": Flag(
            "PROBABILITY",
            "How often a bad commit fails the check: a number, 0.3+ (or more), a range, or unknown"
            " at level 1.",
            "always, if --good-fails is given",
        ),
    },
    "The plan": {
        "method": Flag("NAME", "Method of planning; feint plan lists them.", "tight"),
        "plan.method": Flag(
            "NAME",
            "Plan with this method only.",
            "all methods; optimal is limited to 9 cells or values, and in the deterministic setting"
            " to 12 whole values or ticks",
        ),
        "sweep.method": Flag("NAMES", "Methods, separated by commas.", "tight"),
        "max_rounds": Flag(
            "COUNT", "Largest number of rounds, for instance if each takes a week.", "any", least=1
        ),
        "repeatable": Flag(
            "",
            "Plan without coins: another search for the same number asks the same questions and"
            " tells an eavesdropper nothing new, with any key.",
        ),
        "certificate": Flag(
            "NAME",
            "Of method fixed, with --p: theorem, or calibrated (sized by simulation; fewer"
            " questions).",
            "theorem",
            choices=("theorem", "calibrated"),
        ),
        "margin": Flag(
            "NUMBER",
            "How wrong --prior may be: the promise holds for every distribution that is at most"
            " this many times as dense.",
            "1",
        ),
        "calibration_seed": Flag(
            "SEED",
            "Seed of the simulation behind a calibrated plan. The certificate is not valid if you"
            " try several seeds and keep the best.",
            "follows from the problem",
            least=0,
        ),
        "budget": Flag(
            "COUNT", "Largest number of questions: find the level (or delta) it buys.", least=1
        ),
        "frontier": Flag("", "Show every plan worth having: more questions in fewer rounds."),
    },
    "The search": {
        "name": Flag("SEARCH", "Name of the search.", positional=True),
        "answer.name": Flag(
            "SEARCH",
            "Name of the search, for its owner. A respondent leaves it out: the token names it.",
            positional=True,
        ),
        "yes_means": Flag(
            "NAME",
            "What yes means: the number is 'at least' the value asked about, or 'below' it.",
            "at least",
            choices=("at least", "below"),
        ),
        "question": Flag(
            "WORDS",
            "How people are asked, with {value} where the number goes: 'Would you buy this at"
            " €{value}?'; one for each coordinate.",
        ),
        "unit": Flag("NAME", "Currency or unit of the number, such as € or kg."),
        "asker": Flag("NAME", "Who asks, as people read it in a sheet."),
        "introduction": Flag("WORDS", "What people read in a sheet before the questions."),
        "oracle": Flag(
            "COMMAND",
            "Command that answers. {q} stands for the number (which may begin with a minus),"
            " $FEINT_LABEL is its name. Exit status 0 means yes, 1 means no.",
        ),
        "state": Flag("FILE", "File of the search. Keep it secret."),
        "resume": Flag("", "Continue the search in the file."),
        "again": Flag(
            "FILE",
            "Search again for the number of this search file, with its plan and key. --state names"
            " the new file.",
        ),
        "fresh_key": Flag("", "With --again: toss other coins, which tells more."),
        "export_round": Flag(
            "FILE", "Write the open questions to this CSV file and exit; - is standard output."
        ),
        "import_answers": Flag(
            "FILE", "Read the answers from such a CSV file, filled in; - is standard input."
        ),
        "run.seed": Flag(
            "SEED",
            "For experiments only: take the coins from this seed. The search then hides"
            " nothing from a person who knows it.",
            least=0,
        ),
        "seal.to": Flag("NAME", "Public key of the owner."),
        "new_key": Flag(
            "FILE", "Make a key pair: write the private key to this file, print the public key."
        ),
        "open": Flag("FILE", "Print what is in a sealed file. For the owner's eyes only."),
        "check": Flag(
            "FILE",
            "A file or folder that is copied into every commit before it is checked, because old"
            " commits lack it. A file is also the command, unless there is one after --.",
        ),
        "seal_check": Flag(
            "KEY",
            "Public key of the jobs of a CI: what --check names is sealed to it, and --list prints"
            " it sealed.",
        ),
        "even_if_seen": Flag(
            "",
            "With undo: take back a verdict although the next round was shown, and say what an"
            " observer may win with then.",
        ),
        "inside": Flag(
            "",
            "If a merge is found, go on among the commits that it brought in. At level 1 only: what"
            " is checked inside tells which merge it was.",
        ),
        "check_in_clear": Flag(
            "", "With --list: allow it although everybody who sees the CI can read the check."
        ),
        "sealed_check": Flag(
            "FILE",
            "The check, as feint bisect --seal-check sealed it. It is opened with the key in"
            " FEINT_CHECK_KEY; after -- the command finds it at $FEINT_CHECK.",
        ),
        "reuse": Flag(
            "",
            "Keep each worktree for the next commit, with its untracked files such as build"
            " results. Builds are faster, but old files must not mislead the check.",
        ),
        "trust_ends": Flag(
            "", "Do not check first that the good commits are good and the bad one is bad."
        ),
        "bisect.resume": Flag("", "Continue the bisection of this repository."),
        "clean": Flag("", "Remove all files of a bisection."),
        "list": Flag(
            "NAME",
            "Print the commits of this round for a CI that builds them, and exit: plain, json,"
            " github, gitlab, or inputs for gh workflow run --json.",
            choices=("plain", "json", "github", "gitlab", "inputs"),
        ),
        "tell": Flag(
            "FILE", "Read a sealed verdict, or all in a folder; may be given several times."
        ),
        "key": Flag("FILE", "Private key that opens sealed files."),
        "commit": Flag("NAME", "Commit that is checked.", "$FEINT_COMMIT, else HEAD"),
        "crash_is": Flag(
            "NAME",
            "The meaning of a check that ends by a signal or with 128 and above: bad, skip (it"
            " cannot be checked) or stop.",
            "stop, as with git",
            choices=("bad", "skip", "stop"),
        ),
        "at_least": Flag(
            "COUNT",
            "Fail if the counter of the search is lower than this one, which you noted before: an"
            " old copy was then put back.",
            least=0,
        ),
    },
    "The audit": {
        "true_prior": Flag(
            "NAME",
            "Audit under this distribution, in your units, instead of --prior: written like it, or"
            " a file.",
            "the prior of the plan",
        ),
        "lemmas": Flag("", "Measure the lemmas of the paper too."),
        "repeat": Flag(
            "COUNT", "Audit this many searches for the number, all with the same key.", least=1
        ),
        "fresh_keys": Flag("", "With --repeat: a new key for each search."),
        "motion": Flag(
            "MOTION",
            "With --repeat, how the number moves between searches: steps(D), by at most D; walk(D),"
            " by D up or down; walk(D,N), N times; jump(P), drawn anew with probability P.",
            "it stays",
        ),
        "hears": Flag(
            "WHICH",
            "Which questions she hears: all, nothing, rounds(1-3), coordinates(0),"
            " questions(2,5-7), every(2), last(1), each(1/2).",
            "all",
        ),
        "knows": Flag(
            "WHICH", "Which answers she knows, written the same way, such as last.", "nothing"
        ),
    },
    "The game": {
        "cells": Flag("COUNT", "Number of equal cells.", least=2),
        "atlas.cells": Flag(
            "COUNT", "Most cells, 2 to 10. From 9 on it takes minutes.", least=2, most=10
        ),
        "worst_cells": Flag(
            "COUNT", "Most cells in the deterministic setting, 2 to 16.", least=2, most=16
        ),
        "delta_cells": Flag(
            "COUNT", "Number of neighbouring cells that an eavesdropper names.", least=1
        ),
        "queries": Flag("COUNT", "Number of questions.", least=1),
        "optimal.level": Flag(
            "COUNT", "Instead of --queries: find the fewest questions for this level.", least=2
        ),
        "epsilon_cells": Flag("COUNT", "Number of cells you may leave undecided.", least=1),
    },
    "The vote": {
        "edge": Flag(
            "NUMBER",
            "Each voter is right with probability 1/2 + edge, where you care: 0.1 if 60 of 100"
            " are.",
        ),
        "noise.margin": Flag("NUMBER", "Old name of --edge."),
        "responses": Flag(
            "CURVE",
            "Instead of --edge: how answers depend on the distance from the number, such as"
            " logistic(6), or logistic(3|6|12) if the scale is one of three.",
        ),
        "voters": Flag(
            "COUNT", "Try only this sample size, an odd number, and show its p.", least=1
        ),
        "batches": Flag(
            "COUNT",
            "Most batches of a sample of hiding, which stops growing once it is decided; 1: samples"
            " have a fixed size.",
            "4",
            least=1,
        ),
        "noise.p": Flag(
            "PROBABILITY",
            "Try only the smallest sample whose majority is right with this probability.",
        ),
    },
    "The poll": {
        "status.name": Flag(
            "SEARCH",
            "Name of a search in a database or on a server.",
            "the search in the file --state",
            positional=True,
        ),
        "import.source": Flag(
            "FILE", "File that feint export wrote.", names=_FROM, more={"exists": True, **_FILE}
        ),
        "quorum": Flag("COUNT", "Votes that close a question.", "you answer", least=1),
    },
    "The server": {
        "host": Flag("ADDRESS", "Address to listen on."),
        "port": Flag("COUNT", "Port to listen on.", least=0, most=65535),
        "serve.workers": Flag("COUNT", "Number of processes.", least=1, most=256),
        "proxies": Flag(
            "ADDRESS", "Proxies that are trusted to name the client, separated by commas."
        ),
        "rate": Flag("COUNT", "Requests per second and token, 0 for any number.", "50", least=0),
        "session_hours": Flag(
            "COUNT",
            "Hours after which the owner must open the link again.",
            "12",
            least=1,
            most=24 * 365,  # a year: a session that never ends is a second password
        ),
        "new_owner": Flag(
            "", "Make a new token for the owner, and revoke the old one and its sessions."
        ),
    },
    "Storage": {
        "server": Flag("URL", f"Address of a server; {TOKEN} holds the token."),
        "database": Flag(
            "URL",
            "sqlite:///PATH or postgresql://USER@HOST/NAME. If it holds a password, set"
            f" {DATABASE} instead: other users can read your command line.",
            f"{DATABASE}, else a file of your own",
        ),
        "key_file": Flag(
            "FILE",
            "File of the database's key, unless FEINT_KEY holds the key. It is made if there is"
            " none.",
            "a file of your own, in another folder than the database",
        ),
        "source": Flag("FILE", "File that feint backup wrote.", names=_FROM, more=_FILE),
    },
    "Runs": {
        "runs": Flag("COUNT", "Number of searches to run."),
        "audit.runs": Flag(
            "COUNT",
            "Sample this many runs instead of enumerating every branch. Noise is always sampled.",
            least=2,
            most=10**9,  # more would take days
        ),
        "sweep.runs": Flag("COUNT", "Number of runs to simulate each plan for.", "none", least=0),
        "reproduce.runs": Flag(
            "COUNT", "Runs behind each simulated point; long noisy searches get fewer.", least=1
        ),
        "adversary": Flag("NAMES", _ADVERSARIES, "all"),
        "sweep.adversary": Flag("NAMES", _ADVERSARIES, "all, with --runs"),
        "failure": Flag("PROBABILITY", "Probability that an interval may be wrong."),
        "audit.failure": Flag(
            "PROBABILITY", "With --runs: probability that the verdict may be wrong.", "1e-6"
        ),
        "seed": Flag("SEED", "Seed of all randomness.", "0", least=0),
        "audit.seed": Flag("SEED", "With --runs: seed of the runs.", "0", least=0),
        "demo.seed": Flag("SEED", "Show the same market and coins again.", least=0),
    },
    "Work": {
        "workers": Flag(
            "COUNT", "Number of processes. The result is the same.", "1", least=1, most=4096
        ),
        "dask": Flag("ADDRESS", "Address of a Dask scheduler for the work."),
        "memory": Flag(
            "COUNT",
            "Megabytes that all processes may use together.",
            "1024, or what the workers need",
            least=1,
        ),
        "jobs": Flag(
            "COUNT", "Number of commits to check at the same time.", least=1, names=("-j", "--jobs")
        ),
        "limit": Flag(
            "NUMBER", "Seconds after which the check is ended, and until which the job lasts."
        ),
        "no_wait": Flag("", "End with the check, which shows others how long it takes."),
    },
    "Output": {
        "to": Flag("FILE", "New file, which only you may read.", more=_FILE),
        "rotate.to": Flag(
            "FILE",
            "File of the new key, which is made if there is none.",
            "the key file, whose old key is replaced",
            more=_FILE,
        ),
        "data": Flag(
            "",
            "Keep the master key, and give every search a new data key: all of it is encrypted"
            " again.",
        ),
        "out": Flag("FILE", "Write the table to this file: .csv, .json or .parquet."),
        "reproduce.out": Flag("FOLDER", "Folder for pictures, tables and the page."),
        "only": Flag(
            "NAMES",
            "Make only these: bounds, strategies, dimensions, noise, privacy, price, remarks.",
            "all",
        ),
        "output": Flag("FILE", "The sealed file.", "COMMIT.sealed"),
        "plot": Flag("FILE", "Draw the result to this file, such as result.png."),
        "json": Flag("", "Print JSON."),
    },
}

FLAGS = {name: (panel, flag) for panel, flags in PANELS.items() for name, flag in flags.items()}
"""The panel and the declaration of every flag."""
