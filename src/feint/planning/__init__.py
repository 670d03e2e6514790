"""From a problem to the cheapest strategy with a certificate.

How a plan is found, without noise, for one number (`planner.plan`):

1. `noiseless/methods.py` lists the methods by setting; "tight" is the recommended one. Each gives
   an `Option`: a strategy, its questions, and what it claims.
2. The closed form gives a first plan: `noiseless/staged.py` on an interval, `whole.py` on given
   cells (`lattice.py`: whole values, or ticks). `steps.py` divides.
3. `programme.py` looks for a shorter one: V(interval, questions, rounds), the least mass that the
   best eavesdropper catches, is that of the best way to hide the interval, or of the best cut in
   two. `noiseless/uniform.py` hides equal cells; `priors/weighted.py` hides under a prior.
4. Of equally long plans, one with fewer questions on average is taken: `frugal` of
   `noiseless/uniform.py` pays for what is caught, by `Programme.priced` (up to MEAN_CELLS cells).
5. `noiseless/emitted.py` turns the result into a `Table`, in which a run that is done stops.
6. `ticks.py` puts questions at decimals.
7. `planner._noiseless_plan` decides the certificate: "theorem" if the bound of the family
   (`proofs/`) keeps the promise, "exact" if `enumeration.enumerated`, which plays every branch of
   the strategy, says so: for whole values, or if no theorem gives her exact success.
   `ticks.keeps` is what keeping a promise means. A `Plan` (`plans.py`)
   states cost and promise, and `least.py` how close the plan is to the best possible.

Under a prior `priors/plans.py` does the same: it takes the cheapest of the programme (`single.py`,
laid out by `layout.py`), of closed forms along the prior (`stretched.py`) and of plans for a
uniform number (`borrowed.py`). What she wins with is enumerated, or bounded if the plan is too
large for that. Several numbers share a level in `product.py`; under a prior only the programme is
tried for them. Under noise see `noisy`; the optimum of small problems is in `optimal`. `trades.py`,
`affordable.py` and `samples.py` make several plans. `ranks.py` says how many people to ask if only
ranks are promised.

To change something, edit:

- *How an interval is hidden (the kinds of leaf)*: offer it in `noiseless/uniform.py`, build it in
  `noiseless/emitted.py`, and prove its bound in `proofs/`.
- *How far is searched*: `limits.py`. Limits interact: MOST_SIZES bounds the blocks that are cut
  everywhere, and MOST_CUTS shrinks that further if there are many questions and rounds.
- *The mean number of questions*, with max_rounds too: `frugal` and `cut_further` in
  `noiseless/uniform.py`; the MEAN_* limits.
- *How many rounds there may be* (max_rounds): the layers of `programme.py`, and the argument
  `rounds` of each method's search.
- *A method*: a row of `_METHODS` in `noiseless/methods.py`, and its name in `registry.BUILT_IN`.
- *A plan for a uniform number that is tried under a prior*: `priors/borrowed.py`. *Another kind of
  candidate under a prior*: a file in `priors/`, which `Single.cheapest` in `single.py` calls.
- *What keeping the promise means, up to rounding*: `keeps` in `ticks.py`.
- *The order of questions in a round*: `feint/strategies/table.py`, `Table.ask` with `tell`, which
  must read answers in the same order; for the closed form `strategies/closed.py`.
- *The largest lattice*: LARGEST in `limits.py`, and `checks.py`, which refuses more in words and
  says which epsilon always fits.
- *What an audit reports*: `feint/audit/report.py` for the fields, `verdict.py` for the claims.

Words: to *narrow* is to divide publicly until a block is left. A *cut* divides an interval in two,
also publicly. *Parts* of a block look alike to the eavesdropper; the *kept* ones are searched at
the same time. Each part is divided into the same *pieces* by *steps*, a round each; a piece is what
the learner must find. A *share* is what she wins with against one number; shares multiply over
numbers, and must come to at most 1/level.
"""

from feint.planning import optimal
from feint.planning.affordable import Affordable, afford
from feint.planning.flipped import COIN, PrivateBits, bisected, flip_chance, private_bits
from feint.planning.limits import LARGEST as MOST_CELLS
from feint.planning.limits import LONGEST as MOST_QUERIES  # the most questions a plan may have
from feint.planning.planner import methods, plan
from feint.planning.plans import Phase, Plan
from feint.planning.ranks import panel_miss, panel_size
from feint.planning.registry import register_method
from feint.planning.repetition import repeatable
from feint.planning.samples import Sample, Samples, sample_sizes
from feint.planning.sentences import deal, promise
from feint.planning.ticks import EXCESS, finest, keeps, rounding, scale_for
from feint.planning.trades import compare, frontier, with_short_questions

__all__ = [
    "COIN",
    "EXCESS",
    "MOST_CELLS",
    "MOST_QUERIES",
    "Affordable",
    "Phase",
    "Plan",
    "PrivateBits",
    "Sample",
    "Samples",
    "afford",
    "bisected",
    "compare",
    "deal",
    "finest",
    "flip_chance",
    "frontier",
    "keeps",
    "methods",
    "optimal",
    "panel_miss",
    "panel_size",
    "plan",
    "private_bits",
    "promise",
    "register_method",
    "repeatable",
    "rounding",
    "sample_sizes",
    "scale_for",
    "with_short_questions",
]
