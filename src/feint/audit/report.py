"""Show the report of an audit: claim, method, assumptions, measured values and verdict."""

from __future__ import annotations

import html
import json
import textwrap
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from feint.audit.lemma import Lemma
from feint.audit.tally import Exhibit
from feint.branches import Window
from feint.exact import plain, text
from feint.picture import bars, marks, paragraphs, questions, ruler, spans, strip_svg
from feint.problem import Domain, Problem
from feint.simulate import Success

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

_WIDTH = 79
_NAMES = 13  # columns for the names of lanes in a picture
_DRAWN = 3  # the most coordinates that are drawn


@dataclass(frozen=True, kw_only=True)
class Report:
    """The result of an audit.

    Attributes:
        problem: The audited problem.
        domain: The user's units.
        claim: The guarantee in words.
        method: A description of the audit's method.
        theorem: The theorem behind the guarantee; empty if nothing is proved.
        assumptions: The assumptions of the audit.
        exact: Whether every branch was walked.
        queries: The most queries of a run.
        accuracy: Twice the worst error, as a share of the interval; sampled: twice the worst
            error in the runs.
        adversary_success: The best eavesdropper's success; sampled: the best rate in the runs.
        successes: Over several searches, her success after one, after two, and so on; empty if
            there is one search.
        limits: Sampled: the lower and upper limit of her success, after each search if there are
            several. All hold at once except with the failure probability. Exact: empty.
        blind: The success of the best guess without listening.
        covering_number: The fewest windows of length δ that cover all possible places; None if not
            every branch was walked.
        transcripts: The number of different transcripts of one search; None if they were not all
            walked, or not all of them are heard.
        branches: The number of possible courses of a run; None if `transcripts` is None.
        private: Whether the guarantee of privacy holds; None: samples cannot decide it.
        accurate: Whether the estimate is within ε/2; None: samples cannot decide it.
        verdict: A conclusion from `private` and `accurate`, in a few words.
        counterexample: A description of a case that violates the guarantee; empty: none.
        notes: Further statements about the figures.
        adversaries: The adversaries that were measured on runs, with limits.
        exhibits: For each coordinate, one transcript as it is heard, with the posterior given it.
        lemmas: The measurements of the theory's lemmas.
    """

    problem: Problem
    domain: Domain
    claim: str
    method: str
    theorem: str
    assumptions: tuple[str, ...]
    exact: bool
    queries: int
    accuracy: Fraction
    adversary_success: Fraction | None
    blind: Fraction
    successes: tuple[Fraction, ...] = ()
    limits: tuple[tuple[float, float], ...] = ()
    covering_number: int | None = None
    transcripts: int | None = None
    branches: int | None = None
    private: bool | None
    accurate: bool | None
    verdict: str
    counterexample: str = ""
    notes: tuple[str, ...] = ()
    adversaries: tuple[Success, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    lemmas: tuple[Lemma, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the audit found no contradiction to the claim or to a lemma."""
        broken = any(not lemma.holds for lemma in self.lemmas)
        return self.private is not False and self.accurate is not False and not broken

    def to_dict(self) -> dict[str, Any]:
        """Return the report for JSON: rationals as strings, sampled figures as decimals."""
        success, written = self.adversary_success, text if self.exact else _sampled
        return {
            "problem": self.problem.to_dict(),
            "domain": self.domain.to_dict(),
            "claim": self.claim,
            "method": self.method,
            "theorem": self.theorem,
            "assumptions": list(self.assumptions),
            "exact": self.exact,
            "queries": self.queries,
            "accuracy": text(self.accuracy),
            "adversary_success": None if success is None else written(success),
            "successes": list(map(written, self.successes)),
            "limits": [list(each) for each in self.limits],
            "blind": text(self.blind),
            "covering_number": self.covering_number,
            "private": self.private,
            "accurate": self.accurate,
            "transcripts": self.transcripts,
            "branches": self.branches,
            "verdict": self.verdict,
            "counterexample": self.counterexample,
            "notes": list(self.notes),
            "adversaries": [_measured(each) for each in self.adversaries],
            "lemmas": [each.to_dict() for each in self.lemmas],
        }

    def to_json(self) -> str:
        """Return the report as a JSON document."""
        return json.dumps(self.to_dict(), indent=2)

    def save(self, path: str | Path) -> None:
        """Write the JSON document to a file.

        Args:
            path: The file. An existing file is replaced.
        """
        Path(path).write_text(self.to_json() + "\n", "utf-8")

    def rows(self) -> list[tuple[str, str]]:
        """Return the names and values of the measured figures."""
        found = [("questions", str(self.queries))]
        found += [(self._winner, self._success(self.adversary_success, -1))]
        for number, success in enumerate(self.successes, 1):
            searches = "1 search" if number == 1 else f"{number} searches"
            found += [(f"  after {searches}", self._success(success, number - 1))]
        found += [("a guess without listening wins", percent(self.blind))]
        if self.covering_number is not None:
            found += [("places left, at least", str(self.covering_number))]
        wide = plain(self.accuracy * self.domain.width)
        if self.accurate is None:  # the audit was sampled
            wide = f"{float(self.accuracy * self.domain.width):.6g}"
        aim = plain(self.problem.epsilon * self.domain.width)
        found += [("accuracy, full width", f"{wide} (epsilon is {aim})")]
        if self.transcripts is not None:
            found += [("transcripts", f"{self.transcripts:,}"), ("branches", f"{self.branches:,}")]
        for each in self.adversaries:
            wins = f"{each.wins:,} of {each.runs:,}"
            found += [(each.name, f"{wins} runs: {each.low:.4f} to {each.high:.4f}")]
        return found + [(each.name, each.words) for each in self.lemmas]

    def __str__(self) -> str:
        """Return the report as plain text."""
        parts = [self._opening(), self._table(), self._picture()]
        parts += [self._verdict(), self._closing()]
        return "\n".join(line for part in parts for line in part)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the report for a rich terminal, at its width and with a coloured verdict."""
        from rich.text import Text

        width = min(_WIDTH, options.max_width)
        head, rest = self._verdict(width), self._closing(width)
        yield Text("\n".join([*self._opening(width), *self._table(width), *self._picture(width)]))
        yield Text("\n".join(head), style="bold green" if self.holds else "bold red")
        if rest:
            yield Text("\n".join(rest))

    def _repr_html_(self) -> str:
        """Return the report for a notebook."""
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for name, value in self.rows()
        )
        parts = [f"<p>{html.escape(line)}</p>" for line in self._said()]
        head, rest = f"Verdict: {self.verdict}", self._closing()
        parts += [f"<table>{cells}</table>", *self._drawings()]
        parts += [f"<p><strong>{html.escape(head)}</strong></p>"]
        parts += [f"<pre>{html.escape(chr(10).join(rest))}</pre>"] if rest else []
        return "".join(parts)

    @property
    def _winner(self) -> str:
        if self.exact:
            return "best eavesdropper wins"
        return "best eavesdropper won" if self.adversaries else "best eavesdropper wins, about"

    def _success(self, success: Fraction | None, place: int) -> str:
        """Return a success in words: exact, or with its limits if it was sampled."""
        if self.exact or success is None:
            return percent(success)
        words = f"{float(success):.4f}"
        if not self.limits:
            return words
        low, high = self.limits[place]
        return f"{words} (between {low:.4f} and {high:.4f})"

    def _opening(self, width: int = _WIDTH) -> list[str]:
        return [line for text in self._said() for line in _wrapped(text, width)]

    def _said(self) -> list[str]:
        """Return sentences that state the claim, the method, the theorem and the assumptions."""
        lines = [f"Claim: {self.claim}", f"Method: {self.method}"]
        lines += [f"Theorem: {self.theorem}"] if self.theorem else []
        return lines + [f"Assumes: {each}" for each in self.assumptions]

    def _table(self, width: int = _WIDTH) -> list[str]:
        """Return one line per figure, or two if the terminal is too narrow."""
        rows = self.rows()
        column = max(len(name) for name, _ in rows)
        if column + 4 + max(len(value) for _, value in rows) > width:
            pairs = [(f"  {name}", f"    {value}") for name, value in rows]
            return [part for pair in pairs for line in pair for part in _wrapped(line, width)]
        return [f"  {name:{column}}  {value}" for name, value in rows]

    def _picture(self, width: int = _WIDTH) -> list[str]:
        """Draw the questions, the possible places and the best guess of a transcript as text."""
        lines, lane = list[str](), width - _NAMES
        for caption, exhibit in self._exhibits():
            ends = [_share(each) for each in exhibit.pieces]
            drawn = [
                ("questions", marks(exhibit.shares, lane, "?")),
                ("possible", spans(ends, (), lane, "-", "-")),
                ("her guess", spans([_share(exhibit.window)], (), lane, "=", "=")),
                ("", ruler(*self._ends, lane)),
            ]
            lines += [*_wrapped(caption, width)]
            lines += [f"  {name:{_NAMES - 2}}{line}".rstrip() for name, line in drawn]
        return lines

    def _drawings(self) -> list[str]:
        """Draw the transcripts for a notebook."""
        found = []
        for caption, exhibit in self._exhibits():
            lanes = [
                ("questions she heard", questions(exhibit.shares)),
                ("still possible", bars(map(_share, exhibit.pieces))),
                ("her best guess", bars([_share(exhibit.window)], guess=True)),
            ]
            found.append(paragraphs([caption]))
            found.append(strip_svg(lanes, ends=self._ends, title=caption))
        return found

    def _exhibits(self) -> list[tuple[str, Exhibit]]:
        """Return the transcripts to draw, each with its heading."""
        which = "The transcript that tells her most"
        if self.problem.setting == "deterministic":
            which = "The transcript that leaves the fewest places"
        if self.successes:
            which = which.replace("The transcript that", "What, of all searches together,")
        several = len(self.exhibits) > 1
        return [
            (f"{which}{f', number {index + 1}' if several else ''}:", exhibit)
            for index, exhibit in enumerate(self.exhibits[:_DRAWN])
        ]

    @property
    def _ends(self) -> tuple[str, str]:
        return plain(self.domain.low), plain(self.domain.high)

    def _verdict(self, width: int = _WIDTH) -> list[str]:
        return _wrapped(f"Verdict: {self.verdict}", width)

    def _closing(self, width: int = _WIDTH) -> list[str]:
        lines = [
            line for told in self.counterexample.splitlines() for line in _wrapped(told, width)
        ]
        return lines + [line for note in self.notes for line in _wrapped(f"Note: {note}", width)]


def percent(probability: Fraction | None) -> str:
    """Return a probability as a percentage, and exactly if that is short."""
    if probability is None:
        return "not known"
    words = f"{100 * float(probability):.4g} %"
    exact = text(probability)
    return f"{words} ({exact})" if len(exact) <= 40 else words


def _sampled(probability: Fraction) -> str:
    """Return a sampled probability in decimals, because it is not known exactly."""
    return f"{float(probability):.6f}"


def _share(window: Window) -> tuple[float, float]:
    """Return the ends of a window as shares of the range."""
    return float(window.low), float(window.high)


def _measured(each: Success) -> dict[str, Any]:
    """Return an adversary's share of wins for JSON."""
    row = {"name": each.name, "wins": each.wins, "runs": each.runs, "rate": text(each.rate)}
    return row | {"low": each.low, "high": each.high}


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="    ", drop_whitespace=True) or [""]
