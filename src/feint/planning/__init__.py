"""From a problem to the cheapest strategy with a certificate.

How a plan is found, without noise, for one number (`planner.plan`):

1. `noiseless/methods.py` lists the methods by setting; "tight" is the recommended one.
2. The closed form gives a first plan: `noiseless/staged.py` on an interval, `whole.py` on given
   cells (`lattice.py`: whole values, or ticks). `steps.py` divides.
3. `programme.py` looks for a shorter one: V(interval, questions, rounds), the least mass that the
   best eavesdropper catches, is that of the best way to hide the interval, or of the best cut in
   two. `noiseless/uniform.py` hides equal cells, also in parts that divide; `priors/weighted.py`
   hides under a prior.
4. `noiseless/emitted.py` turns what was found into a `Table`, in which a run that is done stops.
5. `ticks.py` puts questions at decimals; `plans.py` states what the plan costs and promises, by a
   theorem (`proofs/`) or by enumerating it.

Under a prior `priors/plans.py` takes the cheapest of the programme (`single.py`, laid out by
`layout.py`) and of plans for a uniform number that pass the exact audit (`uniform.py`,
`raised.py`). Under noise see `noisy`; the optimum of small problems is in `optimal`. Several
numbers share a level in `product.py`. `limits.py` is the table of all limits, with reasons;
`checks.py` refuses what exceeds them. `trades.py`, `affordable.py` and `samples.py` make several
plans.

To add a way to hide an interval, offer it in `noiseless/uniform.py`, build it in `emitted.py`, and
prove its bound. To add a method, add a row to `noiseless/methods.py`.
"""

from feint.planning import optimal
from feint.planning.affordable import Affordable, afford
from feint.planning.limits import LARGEST as MOST_CELLS
from feint.planning.limits import LONGEST as MOST_QUERIES
from feint.planning.planner import methods, plan
from feint.planning.plans import Phase, Plan
from feint.planning.registry import register_method
from feint.planning.repetition import repeatable
from feint.planning.samples import Sample, Samples, sample_sizes
from feint.planning.ticks import EXCESS, finest, rounding, scale_for
from feint.planning.trades import compare, frontier, with_short_questions

__all__ = [
    "EXCESS",
    "MOST_CELLS",
    "MOST_QUERIES",
    "Affordable",
    "Phase",
    "Plan",
    "Sample",
    "Samples",
    "afford",
    "compare",
    "finest",
    "frontier",
    "methods",
    "optimal",
    "plan",
    "register_method",
    "repeatable",
    "rounding",
    "sample_sizes",
    "scale_for",
    "with_short_questions",
]
