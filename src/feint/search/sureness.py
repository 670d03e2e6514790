"""Tell the owner how sure a search is so far."""

from __future__ import annotations

import math

from feint.exact import plain, rational
from feint.interfaces import Sureness

_DIGITS = 9  # the most decimals of a percentage; more would mean nothing in a posterior


def sureness_words(found: Sureness) -> str:
    """Return a sentence that says how sure a search is, and how sure is enough. Secret.

    The probability is rounded down, so that a search that goes on never seems to be sure enough.

    Args:
        found: The probability and its target.

    >>> sureness_words(Sureness("hide", 0.9, 0.97))
    '90 % sure so far which place in its part is right; sure enough at 97 %.'
    >>> sureness_words(Sureness("narrow", 0.5, 0.994))
    '50 % sure so far which region holds the number; sure enough at 99.4 %.'
    """
    what = {"narrow": "which region holds the number", "hide": "which place in its part is right"}
    if found.sure >= found.enough:  # narrowing can stop only after some of its rounds
        return f"Sure enough {what[found.phase]}; the next phase begins soon."
    doubt = max(1 - found.enough, 10.0**-_DIGITS)
    digits = min(_DIGITS, max(0, math.ceil(-math.log10(doubt)) - 1))
    scale: int = 10**digits
    sure = math.floor(round(found.sure * 100 * scale, 6))  # so that 1/5 is not shown as 19.99 %
    enough = math.ceil(round(found.enough * 100 * scale, 6))
    words = [plain(rational(each, "sure") / scale) for each in (sure, enough)]
    return f"{words[0]} % sure so far {what[found.phase]}; sure enough at {words[1]} %."
