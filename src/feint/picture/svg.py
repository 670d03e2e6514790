"""Draw pictures for notebooks as SVG, with a little HTML around them.

Colours are readable on light and dark pages. Text takes the page's own colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from feint.picture.rounds import KNOWS, SEES, Panel, Round, panels

_HEARD, _OWN, _NUMBER, _FAINT = "#4477aa", "#228833", "#c4511a", "#999999"
_LANE, _ROW, _NAME, _GAP = 300, 16, 44, 24


def lanes_svg(
    rounds: Sequence[Round], name: Callable[[float], str], *, number: float | None = None
) -> str:
    """Draw both lanes, side by side.

    Args:
        rounds: The rounds.
        name: Returns the label of a place.
        number: The place of the number; None: draw only the eavesdropper's lane.

    Returns:
        An SVG element. On the left, a bar shows where the number may lie, a tick on it shows a
        question that narrows it down, and the dashed line shows the number. On the right, every
        question is a tick, and earlier ones are faint.
    """
    right = _NAME if number is None else _NAME + _LANE + _GAP
    parts, top = [_text(right, 11, SEES)], 18
    last = rounds[-1].asked[-1] if rounds else 0.0
    for panel in panels(rounds, last if number is None else number):
        first = top
        for each, earlier in panel.lines():
            if each is None:
                parts.append(_text(_NAME - 10, top + 8, "…", "end"))
                top += _ROW // 2 + 4
                continue
            parts += [_text(_NAME - 10, top + 12, each.name, "end")]
            parts += [_ticks(earlier, right, top, _FAINT, 0.35)]
            parts += [_ticks(panel.within(each.asked), right, top)]
            parts += [] if number is None else [_known(each, panel, top)]
            top += _ROW
        ends = name(panel.low), name(panel.high)
        parts += _ruler(right, top, ends, _LANE)
        if number is not None:
            parts += [*_ruler(_NAME, top, ends, _LANE), _dashed(panel.at(number), first, top)]
        top += 24
    if number is None:
        return _svg(parts, right + _LANE, top, SEES)
    return _svg([_text(_NAME, 11, KNOWS), *parts], right + _LANE, top, f"{KNOWS}, and {SEES}")


def _known(each: Round, panel: Panel, top: int) -> str:
    """Draw the learner's interval before a round, and the questions that narrow it down."""
    ends = panel.at(each.known[0]), panel.at(each.known[1])
    telling = _ticks(panel.within(each.telling), _NAME, top, _OWN)
    return _bar(ends, _NAME, top + 3, _ROW - 6, _OWN, 0.35) + telling


def _dashed(share: float, first: int, last: int) -> str:
    """Draw the number as a dashed line through the rows."""
    path = f"M{_NAME + _LANE * share:.1f} {first}V{last}"
    return f'<path d="{path}" stroke="{_NUMBER}" stroke-dasharray="3 2" fill="none"/>'


def strip_svg(lanes: Sequence[tuple[str, str]], *, ends: tuple[str, str], title: str) -> str:
    """Draw lanes below each other, each with its name.

    Args:
        lanes: The name and the content of each lane: see `questions` and `bars`.
        ends: The labels of the ends of the range.
        title: The title of the picture.

    Returns:
        An SVG element.
    """
    parts, top, left = list[str](), 4, 150
    for name, drawn in lanes:
        parts.append(_text(left - 10, top + 12, name, "end"))
        parts.append(f'<g transform="translate({left} {top})">{drawn}</g>')
        top += _ROW + 2
    parts += _ruler(left, top, ends, 2 * _LANE)
    return _svg(parts, left + 2 * _LANE, top + 20, title)


def questions(asked: Iterable[float]) -> str:
    """Draw ticks at the questions, for `strip_svg`."""
    return _ticks(asked, 0, 0, lane=2 * _LANE)


def bars(ranges: Iterable[tuple[float, float]], *, guess: bool = False) -> str:
    """Draw bars over ranges, for `strip_svg`, such as a guess."""
    colour = _NUMBER if guess else _OWN
    return "".join(_bar(each, 0, 3, _ROW - 6, colour, 0.6, 2 * _LANE) for each in ranges)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table; the first column is aligned left, the others right."""
    head = "".join(_cell("th", word, index) for index, word in enumerate(header))
    body = "".join(
        f"<tr>{''.join(_cell('td', word, index) for index, word in enumerate(row))}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def paragraphs(lines: Iterable[str]) -> str:
    """Return sentences as HTML paragraphs."""
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _cell(tag: str, word: str, index: int) -> str:
    side = "right" if index else "left"
    return f'<{tag} style="text-align:{side}">{escape(word)}</{tag}>'


def _svg(parts: Sequence[str], width: int, height: int, title: str) -> str:
    """Return the SVG element."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + 4} {height}" role="img"'
        f' style="max-width:{width + 4}px;width:100%"><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg>"
    )


def _ruler(left: int, top: int, ends: tuple[str, str], lane: int) -> list[str]:
    """Draw the ends of the range below a lane."""
    line = f'<path d="M{left} {top + 2}h{lane}" stroke="{_FAINT}" fill="none"/>'
    return [line, _text(left, top + 15, ends[0]), _text(left + lane, top + 15, ends[1], "end")]


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    place = f'x="{x}" y="{y}" text-anchor="{anchor}"'
    return f'<text {place} font-size="12" fill="currentColor">{escape(words)}</text>'


def _bar(
    ends: tuple[float, float],
    left: int,
    top: int,
    height: int,
    colour: str,
    opacity: float,
    lane: int = _LANE,
) -> str:
    low, high = (min(max(each, 0.0), 1.0) for each in ends)
    wide = max(1.5, lane * (high - low))  # wide enough to see
    return (
        f'<rect x="{left + lane * low:.1f}" y="{top}" width="{wide:.1f}" height="{height}"'
        f' fill="{colour}" fill-opacity="{opacity}"/>'
    )


def _ticks(
    shares: Iterable[float],
    left: int,
    top: int,
    colour: str = _HEARD,
    opacity: float = 1.0,
    *,
    lane: int = _LANE,
) -> str:
    """Draw a tick at each place, and only one for places that would overlap."""
    places = sorted({round(left + lane * min(max(each, 0.0), 1.0), 1) for each in shares})
    lines = "".join(f"M{place} {top + 2}v{_ROW - 4}" for place in places)
    style = f'stroke="{colour}" stroke-opacity="{opacity}" stroke-width="1.5"'
    return f'<path d="{lines}" {style} fill="none"/>'
