"""Draw parts that several pictures share: bars of eavesdroppers, and the density of a prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from feint.problem import Domain, Prior
from feint.research.plot.looks import look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BESIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": 9}


class Bar(NamedTuple):
    """One eavesdropper.

    Attributes:
        thing: The thing that decides its look; see `look`.
        name: Its name.
        value: Its probability of winning.
        limits: The confidence interval of the value; None: the value is exact.
    """

    thing: str
    name: str
    value: float
    limits: tuple[float, float] | None = None


def draw_bars(axes: Axes, bars: Sequence[Bar], *, promise: float | None, label: str) -> None:
    """Draw one bar per eavesdropper, the first at the bottom, and a line at the promise.

    Each has the same colour and marker in every picture. Its figures are on the right.

    Args:
        axes: The axes to draw on.
        bars: The eavesdroppers.
        promise: The probability that none of them may exceed; None: no line is drawn.
        label: The name of the line.
    """
    for place, (thing, _, value, limits) in enumerate(bars):
        style = look(thing)
        axes.barh(place, value, height=0.5, color=style.colour, alpha=0.22, zorder=1)
        axes.errorbar(
            value,
            place,
            xerr=None if limits is None else [[value - limits[0]], [limits[1] - value]],
            capsize=4,
            **style.style() | {"ls": "none", "marker": style.marker or "|", "ms": 9, "zorder": 3},
        )
        figures = "" if limits is None else f" ({limits[0]:.3g} to {limits[1]:.3g})"
        axes.annotate(
            f"{value:.3g}{figures}",
            (1, place),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            va="center",
            **_BESIDE,
        )
    if promise is not None:
        axes.axvline(promise, zorder=2, **look("promise").style())
        axes.annotate(
            f"dashed: {label}",
            (promise, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 4),
            ha="center",
            va="bottom",
            **_BESIDE,
        )
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(bars) - 0.4)
    longest = max(bar.value if bar.limits is None else bar.limits[1] for bar in bars)
    axes.set_xlim(0, 1.06 * max(longest, promise or 0))
    axes.spines[["top", "right"]].set_visible(False)


def density(prior: Prior, domain: Domain, axes: Axes, *, by_value: bool = False) -> None:
    """Draw the density of a prior behind the other curves.

    Args:
        prior: The prior.
        domain: The user's units.
        axes: The axes to draw on.
        by_value: Whether heights are probabilities of whole values, if the prior has any.
    """
    low, width = float(domain.low), float(domain.width)
    edges = [low + width * place / prior.bins for place in range(prior.bins + 1)]
    whole = domain.values if by_value and domain.values is not None else width
    heights = [weight / prior.total * prior.bins / whole for weight in prior.weights]
    axes.stairs(heights, edges, fill=True, color="#dfe8ef", label="prior")
    axes.set_xlim(low, low + width)
    axes.set_ylim(0, 1.15 * max(heights))
