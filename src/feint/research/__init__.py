"""Research: the paper's figures, sweeps over many problems, and plots."""

from typing import TYPE_CHECKING

from feint.exact.loading import on_first_use

if TYPE_CHECKING:
    from feint.research import plot, reproduce, sweep
else:
    __getattr__ = on_first_use(__name__, "plot", "reproduce", "sweep")

__all__ = ["plot", "reproduce", "sweep"]
