"""Define `feint demo`, which shows a private price search on a simulated market."""

from __future__ import annotations

import os
import shutil
import sys
import time
from fractions import Fraction
from pathlib import Path
from random import Random, SystemRandom
from typing import TYPE_CHECKING, NamedTuple

from feint import picture
from feint.cli import show
from feint.exact import plain, rounded
from feint.problem import Domain

if TYPE_CHECKING:
    from rich.console import Console

    from feint.planning import Plan
    from feint.problem import Query
    from feint.search import Search

MARKET = Domain(20, 100, label="price")
EPSILON, DELTA, LEVEL = "0.5", 10, 8
HALF = plain(Fraction(DELTA, 2))
_MARKETS = 10_000  # enough for shares with an error of about one percent
_PACE, _PAUSE = 0.25, 0.7  # seconds after each round and each part: slow enough to follow
_WIDEST = 100  # columns; a wider picture is hard to read
_NARROW = 60  # columns below which the last table has short headings
_MARGIN = 11  # columns for the names on the left


class Stage(NamedTuple):
    """The terminal of the demo.

    Attributes:
        console: The terminal.
        width: Columns of the pictures.
        live: Whether a person watches, so that pauses make sense.
        dot: The sign of a price that is tried.
        line: The sign of prices that the competitor considers possible.
        mark: The sign that points at a place.
    """

    console: Console
    width: int
    live: bool
    dot: str
    line: str
    mark: str

    def say(self, line: str, style: str = "") -> None:
        """Print a paragraph."""
        self.console.print(line, style=style, markup=False, width=_WIDEST)

    def row(self, name: str, line: str, style: str) -> None:
        """Print one line of a picture."""
        from rich.text import Text

        drawn = Text(line, style)
        drawn.highlight_regex(f"{self.line}+", "dim")
        self.console.print(Text(name.ljust(_MARGIN), "dim") + drawn, no_wrap=True)

    def point(self, name: str, places: list[Fraction], word: str, style: str) -> None:
        """Print a line with marks at some places, and a word beside the last."""
        shares = [_share(place) for place in places]
        line = picture.marks(shares, self.width, self.mark)
        line = picture.beside(line, picture.column(shares[-1], self.width), word, self.width)
        self.row(name, line, style)

    def ruler(self) -> None:
        """Print the ends of the range."""
        self.row("", picture.ruler(plain(MARKET.low), plain(MARKET.high), self.width), "dim")

    def wait(self, seconds: float) -> None:
        """Pause if a person watches."""
        if self.live:
            time.sleep(seconds)


def demo(*, seed: int | None = None) -> None:
    """Find a price while a competitor watches every price that is tried."""
    from feint.planning import plan

    stage = _stage()
    random = SystemRandom() if seed is None else Random(seed)
    problem = MARKET.problem(epsilon=EPSILON, delta=DELTA, level=LEVEL)
    hidden = MARKET.low + MARKET.width * Fraction(random.randrange(1 << 30), 1 << 30)
    coins = random.randrange(1 << 62)
    naive = plan(problem, domain=MARKET, method="bisection")
    private = plan(problem, domain=MARKET)
    _introduce(stage)
    _bisection(naive, hidden, coins, stage)
    _feint(private, hidden, coins, stage)
    _compare((naive, private), random.randrange(1 << 30), stage)


def _stage() -> Stage:
    """Return the terminal, with signs that it can show."""
    console = show.console()
    signs = console.encoding.lower().startswith("utf")
    live = console.is_terminal and not os.environ.get("CI")
    width = max(20, min(console.width, _WIDEST) - _MARGIN)
    return Stage(console, width, live, *("●─▲" if signs else "o-^"))


def _introduce(stage: Stage) -> None:
    """Explain the story."""
    stage.say("Find a price while a competitor watches\n", "bold")
    stage.say(
        f"A shop looks for the most its customers will pay, somewhere from {plain(MARKET.low)} to "
        f"{plain(MARKET.high)}. The competitor sees every price it tries. Only the shop sees "
        "whether customers buy."
    )
    stage.wait(_PAUSE)


def _bisection(plan: Plan, hidden: Fraction, coins: int, stage: Stage) -> None:
    """Play a bisection, whose last price gives the number away."""
    stage.say(f"\n1. Bisection tries {show.count(plan.queries, 'price')}", "bold")
    search, _ = _played(plan, hidden, coins, stage, "red")
    found = search.result.estimate
    stage.point("shop", [found], f"{float(found):.2f}", "bold green")
    stage.point("competitor", [found], f"{float(found):.2f} too", "bold red")
    stage.ruler()
    stage.say("The prices close in on one place: the competitor ends where the shop does.", "red")
    stage.wait(_PAUSE)


def _feint(plan: Plan, hidden: Fraction, coins: int, stage: Stage) -> None:
    """Play a private search, which leaves the competitor `LEVEL` places."""
    stage.say(f"\n2. feint tries {plan.length.replace('question', 'price')}", "bold")
    search, last = _played(plan, hidden, coins, stage, "cyan")
    found, odds = search.result.estimate, show.chance(search.result.adversary_success)
    stage.point("shop", [found], f"{float(found):.2f}", "bold green")
    each = len(last) // LEVEL
    values = [query.value for query in last]
    places = [sum(values[i : i + each]) / each for i in range(0, len(values), each)]
    stage.point("competitor", [Fraction(place) for place in places], "", "bold yellow")
    stage.ruler()
    stage.say(
        f"The shop has its price. The competitor has {LEVEL} places, each as likely as the others: "
        f"she comes within {HALF} of it with odds of {odds}, though she knows the method.",
        "green",
    )
    stage.wait(_PAUSE)


def _played(
    plan: Plan, hidden: Fraction, coins: int, stage: Stage, style: str
) -> tuple[Search, tuple[Query, ...]]:
    """Play a search in the simulated market, drawn round by round; return it and its last round."""
    from feint.search import Search
    from feint.simulate.oracles import Hidden

    search, market = Search(plan, seed=coins), Hidden(hidden)
    queries: tuple[Query, ...] = ()
    width = 1.0
    while not search.done:
        queries = search.ask()
        hiding = plan.private and queries[0].phase in ("hide", "finish")
        shares = [_share(query.value) for query in queries]
        each = len(shares) // (LEVEL if hiding else 1)
        width /= each + 1  # n cuts make n + 1 pieces
        starts = range(0, len(shares), each)
        spans = [(shares[i] - width, shares[i + each - 1] + width) for i in starts]
        line = picture.spans(spans, shares, stage.width, stage.line, stage.dot)
        stage.row(f"round {search.round + 1}", line, style)
        for query, bought in zip(queries, market.answer(queries), strict=True):
            search.tell(query.id, bought)
        stage.wait(_PACE)
    return search, queries


def _compare(plans: tuple[Plan, Plan], seed: int, stage: Stage) -> None:
    """Measure both on many markets, and print the command for the user's own search."""
    from rich.table import Table

    stage.say(f"\n3. {_MARKETS:,} more markets, each searched both ways", "bold")
    narrow = stage.console.width < _NARROW
    table = Table(box=None, pad_edge=False, collapse_padding=narrow)
    table.add_column("method", no_wrap=True)
    gap, error = ("\n", "worst\nerror") if narrow else (" ", "shop is off by at most")
    for title in ("prices", "rounds", error, f"competitor{gap}within {HALF}"):
        table.add_column(title, justify="right")
    for name, each, style in zip(("bisection", "feint"), plans, ("red", "green"), strict=True):
        worst, caught = _measured(each, seed)
        share = "always" if caught == 1 else f"{100 * caught:.1f} %"
        off = rounded(worst, Fraction(1, 100))
        table.add_row(name, str(each.queries), str(each.rounds), off, share, style=style)
    stage.console.print(table)
    best = show.chance(plans[-1].adversary_success)
    stage.say(
        "Here the competitor names the last price she saw. Against feint no competitor does"
        f" better than {best}: this is proved, not measured."
    )
    flags = f"--low {plain(MARKET.low)} --high {plain(MARKET.high)} --epsilon {EPSILON}"
    stage.say("\nNow yours, with your own answers:", "bold")
    called = _called(sys.argv[0])
    command = f"{called} run {flags} --delta {DELTA} --level {LEVEL} --label price"
    stage.console.print(command, style="bold cyan", soft_wrap=True)
    stage.say("\nOr watch such an attack in a browser, at the link that this prints:", "bold")
    stage.console.print(f"{called} serve", style="bold cyan")


def _called(program: str) -> str:
    """Return the command that runs this program: its name, or its path from here."""
    path = Path(program)
    found = shutil.which("feint")
    if path.name != "feint" or (found is not None and Path(found).resolve() == path.resolve()):
        return "feint"
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else program


def _measured(plan: Plan, seed: int) -> tuple[Fraction, float]:
    """Return the shop's worst error on `_MARKETS` markets, and how often the last price is near."""
    import numpy as np

    from feint.interfaces import UNASKED
    from feint.simulate import play

    cells, random = plan.cells[0], np.random.default_rng(seed)
    targets = random.integers(cells, size=(_MARKETS, 1))
    hidden = targets[:, 0] + random.random(_MARKETS)
    played = play(plan.strategy, targets, random)
    worst = np.abs(played.estimate.point[:, 0] - hidden).max()
    points = played.transcript.points
    # A run may leave its last columns out, so look for its last question.
    last = points.shape[1] - 1 - np.argmax(points[:, ::-1] != UNASKED, axis=1)
    off = np.abs(points[np.arange(_MARKETS), last] - hidden)
    near = off <= float(plan.problem.delta) * cells / 2
    return Fraction(float(worst)) * MARKET.width / cells, float(near.mean())


def _share(value: Fraction) -> float:
    """Return the place of a price in the range, from 0 to 1."""
    return float((value - MARKET.low) / MARKET.width)
