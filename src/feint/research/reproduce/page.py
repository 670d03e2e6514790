"""Render one HTML page with every exhibit and its numbers, without scripts or remote files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape

from feint.research.reproduce.exhibit import Cells, Chart, Exhibit, Listing, Number

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff; }
img { max-width: 100%; height: auto; }
section { margin: 3rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; }
.wide { overflow-x: auto; }
th, td { padding: 0.15rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #222; vertical-align: bottom; }
th:first-child, td:first-child, td.word, th.word { text-align: left; }
nav li { margin: 0.2rem 0; }
"""

STAMPS = ("Numbers", "Outline")
"""The entries of a PNG that have the digest and the outline of what was drawn."""


def page(exhibits: Sequence[Exhibit], version: str, part: Sequence[str] = ()) -> str:
    """Return the page as a whole HTML document.

    Args:
        exhibits: The exhibits, in order.
        version: The version of feint.
        part: The groups on the page; empty: all of them. A partial page says that it is one.
    """
    title = "The paper's figures, reproduced"
    about = ""
    if part:
        groups = ", ".join(part)
        title += f" in part: {groups}"
        about = (
            f"<p><b>This page is a part</b>, made with <code>--only {','.join(part)}</code>: "
            "<code>feint reproduce</code> without it makes all of them.</p>\n"
        )
    links = "".join(f'<li><a href="#{e.name}">{escape(e.title)}</a></li>' for e in exhibits)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{escape(title)}</h1>\n{about}"
        "<p>J. Xu, K. Xu and D. Yang, <i>Optimal query complexity for private sequential learning "
        "against eavesdropping</i>, 2021: its figures and its table from its theorems, with what "
        f"feint's own plans ask beside them. Made by <code>feint reproduce</code>, feint {version}."
        " Every table is here too as CSV, every picture as PNG and SVG.</p>\n"
        f"<nav><ul>{links}</ul></nav>\n" + "".join(map(_section, exhibits)) + "</body></html>\n"
    )


def _section(exhibit: Exhibit) -> str:
    name = exhibit.name
    picture = (
        f'<p><a href="{name}.svg"><img src="{name}.png" alt="{escape(exhibit.title)}"></a></p>'
    )
    numbers = f'<div class="wide">{_table(exhibit.header, exhibit.rows)}</div>'
    if isinstance(exhibit, Listing):
        picture = ""
    else:
        numbers = f"<details><summary>The numbers</summary>{numbers}</details>"
    source = f" In the paper: {exhibit.source}." if exhibit.source else ""
    return (
        f'<section id="{name}"><h2>{escape(exhibit.title)}</h2>\n{picture}\n'
        f"<p>{escape(_sentence(exhibit.parameters))}. {escape(exhibit.caption)}{source}</p>\n"
        f"{numbers}\n"
        f'<p><a href="{name}.csv">{name}.csv</a></p></section>\n'
    )


def _sentence(words: str) -> str:
    """Return the lines of a picture as one sentence with a capital."""
    line = "; ".join(words.splitlines())
    return line if line.startswith(("ε", "δ", "p =")) else line[0].upper() + line[1:]


def _table(header: Sequence[str], rows: Sequence[Cells]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def _cell(value: str | Number) -> str:
    if isinstance(value, str) and not value.replace(".", "").isdigit():
        return f'<td class="word">{escape(value)}</td>'
    return f"<td>{escape(short(value))}</td>"


def short(value: str | Number) -> str:
    """Return a number as a table shows it."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e6 else f"{value:.4g}"
    return str(value)


def digest(exhibit: Exhibit) -> str:
    """Return a hash of the exhibit's words and of its numbers as the page shows them."""
    words = [exhibit.title, exhibit.parameters]
    shown = [words, list(exhibit.header), *(map(short, row) for row in exhibit.rows)]
    return sha256("\n".join("\t".join(row) for row in shown).encode()).hexdigest()


def outline(exhibit: Exhibit) -> str:
    """Return the same hash without simulated values: it does not depend on runs and seed."""
    if not isinstance(exhibit, Chart):
        return digest(exhibit)
    curves, below = (
        tuple(each for each in some if not each.simulated)
        for some in (exhibit.curves, exhibit.below)
    )
    return digest(replace(exhibit, parameters="", curves=curves, below=below, more=()))


def to_csv(exhibit: Exhibit) -> str:
    """Return the exhibit's numbers as CSV, to the last digit."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(exhibit.header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in exhibit.rows)
    return out.getvalue()
