"""What was found in words, and as a picture for a notebook; of plain values."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from html import escape

from feint.exact import near, plain, rounded

_WIDTH, _LANE, _EDGE, _WORDS = 640, 26, 8, 100  # of a picture
_HEARD, _KNOWN, _RULE = "#4477aa", "#228833", "#bbbbbb"


def found(
    name: str,
    estimate: Fraction,
    ends: tuple[Fraction, Fraction],
    *,
    step: Fraction | None,
    sure: Fraction | None,
) -> tuple[str, ...]:
    """What is known of one number: what it is, and from where to where if that says more.

    Args:
        name: What it is called.
        estimate: What it is.
        ends: From where to where.
        step: Of values a step apart, the step.
        sure: Under noise, with what probability it lies there.
    """
    chance = "" if sure is None else f" with probability {plain(sure)}"
    given = "" if sure is None else f"{chance} or more, given your answers"
    if step is not None:
        line = f"The {name} is {near(estimate, step)}"
        if sure is None:
            return (f"{line}.",)
        low, high = (near(end, step) for end in ends)
        where = f"It is {low}" if low == high else f"From {low} to {high}"
        return f"{line}, most likely.", f"{where}{given}."
    unit = (ends[1] - ends[0]) / 50  # what is shown is rounded by at most this
    half = max(ends[1] - estimate, estimate - ends[0])
    middle, about, low, high = (_decimal(each, unit) for each in (estimate, half, *ends))
    line = f"The {name} is {middle}, give or take {about}{chance}."
    return line, f"Between {low} and {high}{given}."


def alike(name: str, yes: bool, end: str) -> str:
    """That every answer about a number was the same, which may be a mistake.

    Args:
        name: What it is called.
        yes: The answer.
        end: Which end of its range it is at: "low" or "high".
    """
    said = f"Every answer about the {name} was {'yes' if yes else 'no'}"
    check = "see that the range holds it, and that yes and no are not swapped"
    return f"{said}, so it is at the {end} end of its range: {check}."


def table(titles: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table for a notebook."""
    head = "".join(f"<th>{escape(title)}</th>" for title in titles)
    body = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in body)}</table>"


def paragraphs(lines: Iterable[str]) -> str:
    """Sentences for a notebook."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def lanes(
    title: str, ends: tuple[float, float], heard: Iterable[float], known: float | None = None
) -> str:
    """Two lanes over a range, as SVG: what was overheard, and what only the owner knows.

    Args:
        title: What the range is of.
        ends: The range.
        heard: Where the questions were put.
        known: What was found; None: one lane.
    """
    low, high = ends

    def at(value: float) -> str:
        share = min(max((value - low) / (high - low), 0), 1)
        return f"{_EDGE + (_WIDTH - 2 * _EDGE) * share:.1f}"

    count = 1 if known is None else 2
    below = count * _LANE + 14
    rules = (
        f'<line x1="{_EDGE}" x2="{_WIDTH - _EDGE}" y1="{y}" y2="{y}" stroke="{_RULE}"/>'
        for y in (_LANE // 2 + _LANE * lane for lane in range(count))
    )
    ticks = "".join(f"M{at(value)} 4v{_LANE - 8}" for value in sorted(set(heard)))
    drawn = [*rules, f'<path d="{ticks}" stroke="{_HEARD}" fill="none"/>']
    if known is not None:
        mark = f"M{at(known)} {_LANE + 4}v{_LANE - 8}"
        drawn.append(f'<path d="{mark}" stroke="{_KNOWN}" stroke-width="4" fill="none"/>')
    drawn.append(_text(f'x="{_WIDTH / 2}" y="{below}" text-anchor="middle"', title))
    for value, anchor in ((low, "start"), (high, "end")):
        place = f'x="{at(value)}" y="{below}" text-anchor="{anchor}"'
        drawn.append(_text(place, f"{value:.6g}"))
    for lane, word in enumerate(("overheard", "only you know")[:count]):
        place = f'x="{_WIDTH}" y="{_LANE // 2 + _LANE * lane + 4}"'
        drawn.append(_text(place, word))
    whole = _WIDTH + _WORDS
    size = f'viewBox="0 0 {whole} {below + 6}" style="max-width:{whole}px;width:100%"'
    return f"<svg {size}>{''.join(drawn)}</svg>"


def _text(place: str, words: str) -> str:
    return f'<text {place} font-size="12" fill="currentColor">{escape(words)}</text>'


def _decimal(value: Fraction, unit: Fraction) -> str:
    return rounded(value, unit) if unit else plain(value)
