"""From a problem to the cheapest strategy with a certificate.

How `planner.plan` finds a plan for one uniform number, if answers are right:

1. `noiseless/methods.py` lists the methods by setting. Each gives an `Option`: a strategy, its
   questions, and what it claims. "tight" is the recommended one; the others are formulas, or the
   optimum (`optimal`). Steps 2 to 4 are those of "tight" in the Bayesian setting. In the
   deterministic setting it is `noiseless/planted.py`.
2. A closed form gives a first plan: `noiseless/staged.py` on an interval, `whole.py` on given cells
   (`lattice.py`: whole values, or ticks). `steps.py` divides.
3. `programme.py` looks for a plan with fewer questions. V(interval, questions, rounds) is the least
   mass that the best eavesdropper catches, over all ways to hide the interval or to cut it.
   `noiseless/uniform.py` offers ways to hide equal cells, and `emitted.py` turns the result, a tree
   of blocks, into a `Table`. The programme is skipped if it would take too long: at levels above
   TREE_QUERIES/2, and on an interval that needs more than LATTICE_CELLS cells. (On an interval step
   5 may run it after all, on ticks.)
4. `_fewer_on_average` in `noiseless/methods.py` replaces the plan by an equally long tree if that
   asks far fewer questions on average (FAR_FEWER). `frugal` in `noiseless/uniform.py` lowers the
   mean of trees of up to MEAN_CELLS cells: it lets the eavesdropper win more often, up to 1/L.
5. If the user states a range, `ticks.py` puts questions at multiples of a tick. If the user states
   the tick too, steps 2 to 4 are done on that tick and on multiples of it. Otherwise decimal ticks
   are tried, the coarsest first: for the shape that was found, and for a new plan by steps 2 to 4,
   which is taken if it asks no more. If no tick fits, all is planned again for a smaller epsilon.
6. `planner._noiseless_plan` decides the certificate. It is "theorem" if a proof (`proofs/`) gives
   her exact success. Otherwise, and for whole values, `enumeration.enumerated` plays every branch,
   and the certificate is "exact". If there are too many branches, the bound of the proof counts,
   and the certificate is "theorem". Plans for the worst case are always "theorem".
7. A `Plan` (`plans.py`) states the cost (`costs.py`) and the promise (`sentences.py`), and
   `least.py` how close the plan is to the best possible.

Other problems:

- *Several numbers*: `planner._choose` plans one of them at many levels, and `product.py` shares the
  level. `planner._frugal` then lowers the mean of the plans that were chosen.
- *A prior*: if it is uniform up to a small distance, `planner._nearly_uniform_plan` plans as above
  for a slightly higher level. Otherwise `priors/plans.py` takes the shortest of the programme
  (`single.py`; `weighted.py` hides cells of unequal mass, `layout.py` puts questions at ticks), of
  closed forms along the prior (`stretched.py`), of plans for a uniform number (`borrowed.py`) and
  of the grid. For several numbers it tries the programme and the grid only. `priors/plans._plan`
  decides the certificate.
- *Noise*: see `noisy`, and with a prior `priors/noisy.py`.
- *Several plans*: `trades.py`, `affordable.py` and `samples.py`. `ranks.py` says how many people to
  ask if only ranks are promised.

To change something, edit:

- *How an interval is hidden (the kinds of leaf)*: offer it in `noiseless/uniform.py`, build it in
  `noiseless/emitted.py` with a builder of `feint.strategies`, and prove its bound in `proofs/`.
  Under a prior, offer it in `priors/weighted.py`.
- *How far is searched*: `limits.py`. TREE_QUERIES, LATTICE_CELLS and TICK_CELLS decide if the
  programme runs. In blocks of up to MOST_SIZES cells every cut is tried. MOST_CUTS lowers that
  limit if many questions, or many values of max_rounds, are looked at; SURE_SIZES is the least.
- *The mean number of questions*: step 4; with max_rounds also `cut_further` in
  `noiseless/uniform.py`.
- *How many rounds there may be* (max_rounds): the layers of `programme.py`, `cut_further`, and the
  argument `rounds` of each closed form and of `steps.py`.
- *A method*: a row of `_METHODS` in `noiseless/methods.py`, and its name in `registry.BUILT_IN`;
  under a prior also in `METHODS` of `priors/plans.py`.
- *A plan for a uniform number that is tried under a prior*: `priors/borrowed.py`. *Another kind of
  candidate under a prior*: a file in `priors/`, which `Single.cheapest` in `single.py` calls.
- *Several numbers*: `product.py`; under a prior also `_cheapest` in `priors/plans.py`.
- *Under noise, how often each boundary of the cut is asked about (m)*:
  `NoisySearch._repeat_counts` in `noisy/search.py`; for answers that depend on the distance,
  `fewest_repeats` in `noisy/responses.py`.
- *The certificate*: step 6. *What keeping the promise means, up to rounding*: `keeps` in
  `ticks.py`.
- *The order of questions in a round*: `feint/strategies/table.py`, `Table.ask` with `tell`, which
  must read answers in the same order; for the closed form `strategies/closed.py`.
- *The largest lattice*: LARGEST in `limits.py`, FAR in `feint/strategies/nodes.py`, and the
  messages that say 2^62, most of them in `checks.py`.
- *What an audit reports*: `feint/audit/report.py` for the fields, `verdict.py` for the claims.

Words: to *narrow* is to divide publicly until a block is left. In the programme a *cut* divides an
interval in two, or if rounds are few in more, also publicly. In a closed form and under noise the
*cut* divides a block into its parts. *Parts* of a block look alike to the eavesdropper; the *kept*
ones are searched at the same time. Each part is divided into the same *pieces* by *steps*, a round
each; a piece is what the learner must find. If the number is in one cell and the search asks what
it would ask for another cell, it *acts* that cell. A few cells may *ride*: public questions
separate them from a block, and then they act cells of its first part. A *share* is what she wins
with against one number; shares multiply over numbers, and must come to at most 1/level.
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
