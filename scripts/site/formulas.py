"""Render the formulas of the proofs: raised and lowered parts, and formulas on lines of their own.

The proofs are plain text, so that they can be read in the repository without a program. There
2^K is a power, x_i an index, and an indented line a displayed formula. The site renders these as
HTML, because it loads no script from elsewhere.
"""

from __future__ import annotations

import re

# Links, code and fenced blocks hold no formulas, and their underscores must stay.
_KEPT = re.compile(r"(^```.*?^```$|`[^`\n]*`|\]\([^)]*\))", re.DOTALL | re.MULTILINE)
# What may carry an index: a letter, with a star or a prime, a bracket, or a word such as max.
_BASE = (
    r"((?:(?<![^\W\d_])(?:max|min|log|[^\W\d_])|[)\]}|])[\u0300-\u036f]?(?:\\?\*)?[\u2032']?"
    r"|[ΣΠ∏∫])"
)
_LOWERED = (re.compile(_BASE + r"_([\w½]+)"), re.compile(_BASE + r"_\{([^{}]*)\}"))
_RAISED = (
    re.compile(r"\^\{([^{}]*)\}"),
    re.compile(r"\^\(((?:[^()]|\([^()]*\))*)\)"),
    re.compile(r"\^([−-]\((?:[^()]|\([^()]*\))*\))"),
    re.compile(r"\^([−-]?[\w½⁻]+)"),
)
_DISPLAYED = re.compile(r"(?:(?<=\n\n)|\A)((?: {2,5}\S.*\n)+)(?=\n|\Z)")
_TAG = re.compile(r"(<[^<>]*>)")
# A single letter; "a" before a word is an article.
_VARIABLE = re.compile(r"(?<![A-Za-z])(?!a [a-z]{2})([^\W\d_])(?![A-Za-z])")


def rendered(text: str) -> str:
    """Return a page of the proofs with its formulas as HTML.

    >>> print(rendered("n ≥ 2^(K − 1), x_i and `near_lower`"))
    n ≥ 2<sup>K − 1</sup>, x<sub>i</sub> and `near_lower`
    """
    displayed = _DISPLAYED.sub(_display, text)
    parts = _KEPT.split(displayed)
    return "".join(part if index % 2 else _marked(part) for index, part in enumerate(parts))


def _display(match: re.Match[str]) -> str:
    """Return an indented formula as a block, one line each; text in a list stays as it is."""
    lines = match[1].splitlines()
    indents = {len(line) - len(line.lstrip()) for line in lines}
    before = match.string[: match.start()].rstrip("\n").rpartition("\n\n")[2]
    is_in_list = before.lstrip().startswith(("- ", "* ")) or min(indents) == 3
    if is_in_list or not re.search("[=≤≥<>]", match[1]) or "`" in match[1]:
        return match[0]
    margin = " " * (min(indents) - 2)  # of the list that the formula belongs to
    body = [margin + _italic(_marked(line.strip())) for line in lines]
    return f"{margin}:::{{container}} formula\n" + "\\\n".join(body) + f"\n{margin}:::\n"


def _italic(text: str) -> str:
    parts = _TAG.split(text)
    return "".join(
        part if index % 2 else _VARIABLE.sub(r"<i>\1</i>", part) for index, part in enumerate(parts)
    )


def _marked(text: str) -> str:
    for pattern in _LOWERED:
        text = pattern.sub(r"\1<sub>\2</sub>", text)
    for pattern in _RAISED:
        text = pattern.sub(r"<sup>\1</sup>", text)
    return text
