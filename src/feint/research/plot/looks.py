"""Define looks: each thing has the same colour and marker in every picture.

Things that appear in one picture also differ in line or marker, not only in colour.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

INK = "#222222"
"""The colour of text, questions and promises."""
PALE = "#dddddd"
"""The colour of the grid."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """The look of one thing.

    Attributes:
        colour: Its colour, as "#rrggbb".
        marker: The marker at each value, as matplotlib names it; empty: a line alone.
        size: The size of the marker in points.
        filled: Whether the marker is filled. Small filled ones show inside large open ones.
        dashes: The lengths of dashes and gaps, in widths of the line; empty: a solid line.
        width: The width of the line in points.
    """

    colour: str
    marker: str = ""
    size: float = 6
    filled: bool = False
    dashes: tuple[float, ...] = ()
    width: float = 1.6

    def style(self) -> dict[str, Any]:
        """Return the keyword arguments for a line in matplotlib."""
        line: dict[str, Any] = {"color": self.colour, "lw": self.width}
        if self.dashes:
            line["dashes"] = self.dashes
        if self.marker:
            line |= {"marker": self.marker, "ms": self.size, "ls": ":", "lw": 0.8}
            line["mfc"] = self.colour if self.filled else "none"
        return line


_UPPER = Look(colour="#1f3b57", width=2.2)
_LOWER = Look(colour="#4a7c59")
_EARLIER = (5.0, 2.5)
_LOOKS = {
    # Theorems.
    "upper bound": _UPPER,
    "lower bound": _LOWER,
    "earlier upper bound": replace(_UPPER, dashes=_EARLIER, width=1.6),
    "earlier lower bound": replace(_LOWER, dashes=_EARLIER, width=1.2),
    "feint lower bound": Look(colour="#2f9e57", width=2.2),
    # Limits: 1/L, misses, a mean error.
    "promise": Look(colour=INK, dashes=(2.0, 1.5)),
    # Methods.
    "tight": Look(colour="#c4511a", marker="^", size=5, filled=True),
    "paper": Look(colour="#7a4b8c", marker="s", size=7.5),
    "fixed": Look(colour="#3a5f0b", marker="p", size=6.5),
    "tight, deterministic": Look(colour="#1d7a8c", marker="o", size=6),
    "replicated": Look(colour="#b08a1e", marker="o", size=8),
    "opportunistic": Look(colour="#8a5a2b", marker="8", size=8),
    "bisection": Look(colour="#888888", dashes=(1.0, 1.2)),
    # Eavesdroppers.
    "best eavesdropper": Look(colour="#a11d33"),
    "without listening": Look(colour="#999999", marker="|", size=8),
    "blind": Look(colour="#999999", marker="|", size=8),
    "uniform": Look(colour="#666666", marker="v", size=6.5),
    "last": Look(colour="#0f7f8f", marker="D", size=6.5),
    "proportional": Look(colour="#8f7a00", marker="P", size=5, filled=True),
    "truncated": Look(colour="#b0326d", marker="h", size=8.5),
    "learned": Look(colour="#3d5fc4", marker="x", filled=True),
    # Places: the number, and the eavesdropper's guess.
    "the number": Look(colour="#c4511a", dashes=(2.0, 2.0), width=1),
    "possible": Look(colour="#1f3b57"),
    # Errors of runs.
    "missed": Look(colour="#7b3f00", marker="d", size=6, filled=True),
    "mean error": Look(colour="#7b3f00", marker="p", size=7),
}
_OTHER = Look(colour="#2b2b2b", marker="*", size=7)


def look(thing: str) -> Look:
    """Return the look of a thing, which is the same in every picture.

    Args:
        thing: A method, an eavesdropper, "upper bound", "lower bound", either after "earlier",
            "feint lower bound", "promise" (a limit), "missed" or "mean error".

    Returns:
        Its look; a black star for any other thing, such as your own eavesdropper.
    """
    return _LOOKS.get(thing, _OTHER)
