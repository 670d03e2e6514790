"""Exact numbers: rationals, logarithms and roots.

Here is also what every package needs besides: `parsing`, `sheets`, `stability` and `loading`, which
are imported by their own names.
"""

from feint.exact.rationals import (
    FINEST_FLOAT,
    FLOAT_WIDTH,
    Number,
    bracket,
    brief,
    ceil_div,
    ceil_log2,
    ceil_root,
    chance,
    decimal,
    decimal_places,
    floor_log2,
    floor_log2_root,
    fraction,
    log2,
    near,
    near_places,
    plain,
    rational,
    root,
    rounded,
    text,
    text_width,
    whole,
)

__all__ = [
    "FINEST_FLOAT",
    "FLOAT_WIDTH",
    "Number",
    "bracket",
    "brief",
    "ceil_div",
    "ceil_log2",
    "ceil_root",
    "chance",
    "decimal",
    "decimal_places",
    "floor_log2",
    "floor_log2_root",
    "fraction",
    "log2",
    "near",
    "near_places",
    "plain",
    "rational",
    "root",
    "rounded",
    "text",
    "text_width",
    "whole",
]
