"""Compute with exact numbers: rationals, logarithms and roots.

The package also has small modules that every package needs: `parsing`, `sheets`, `stability` and
`loading`. Import them by their own names.
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
