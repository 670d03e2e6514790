"""Bars of eavesdroppers: how often each wins, with limits where it was sampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from feint.research.plot.looks import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Bar(NamedTuple):
    """One eavesdropper.

    Attributes:
        thing: Which thing it looks like; see `look`.
        name: What it is called.
        value: How often it wins.
        limits: From where to where that may lie; None: it is exact.
    """

    thing: str
    name: str
    value: float
    limits: tuple[float, float] | None = None

    @property
    def words(self) -> str:
        """Its figures."""
        if self.limits is None:
            return f"{self.value:.3g}"
        return f"{self.value:.3g} ({self.limits[0]:.3g} to {self.limits[1]:.3g})"


def draw_bars(axes: Axes, bars: Sequence[Bar], *, promise: float | None, label: str) -> None:
    """Draw one bar an eavesdropper, the first below, and a line at what was promised.

    Each has the colour and the marker that it has in every picture; its figures stand on the right.

    Args:
        axes: Where to draw.
        bars: The eavesdroppers.
        promise: What none of them may win with more often; None: there is no such line.
        label: What the line is called.
    """
    for place, bar in enumerate(bars):
        drawn = look(bar.thing)
        axes.barh(place, bar.value, height=0.5, color=drawn.colour, alpha=0.22, zorder=1)
        axes.errorbar(
            bar.value,
            place,
            xerr=None if bar.limits is None else _margins(bar.value, bar.limits),
            capsize=4,
            **drawn.style() | {"ls": "none", "marker": drawn.marker or "|", "ms": 9, "zorder": 3},
        )
        axes.annotate(
            bar.words,
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    if promise is not None:
        axes.axvline(promise, zorder=2, **look("promise").style())
        axes.annotate(
            f"dashed: {label}",
            (promise, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            va="bottom",
            fontsize=9,
        )
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(bars) - 0.4)
    longest = max(bar.value if bar.limits is None else bar.limits[1] for bar in bars)
    axes.set_xlim(0, 1.06 * max(longest, promise or 0))
    axes.spines[["top", "right"]].set_visible(False)


def _margins(value: float, limits: tuple[float, float]) -> list[list[float]]:
    """How far limits lie below and above a value."""
    return [[value - limits[0]], [limits[1] - value]]
