"""List the limits of planning: what is too large to run, and how far plans are searched.

A search limit saves time and seldom costs more than a few questions. Each line gives its reason.
"""

from __future__ import annotations

from fractions import Fraction

# Limits on what may run.
LONGEST = 1 << 24  # questions of a plan: more take hours to answer and gigabytes to simulate
LARGEST = 1 << 62  # cells of a lattice: sums of two places stay within 64 bits

# The programme on equal cells (noiseless/uniform.py). Cuts are tried for blocks up to MOST_SIZES
# cells. If that would exceed MOST_CUTS, the limit on blocks is lower, but at least SURE_SIZES.
MOST_SIZES = 1_200  # every cut of blocks up to this size is tried; 0.15 s, and more gains nothing
SURE_SIZES = 256  # the same for any number of questions: half a second at 400 questions
MOST_CUTS = 40_000_000  # cuts × questions × rounds: they take a quarter of a second
LIMIT_STEP = 16  # limits of questions are rounded up to a multiple, so that programmes are shared
MOST_RIDERS = 4  # more cells than that are cheaper as a separate block
TREE_QUERIES = 400  # with more, a programme takes seconds, and the closed form loses little
LATTICE_CELLS = 256  # cells of an interval's lattices: a dozen are tried, each with a programme
BOUND_ROOM = Fraction(21, 20)  # bounds up to this times too high are audited: few others hold
SINGLE_ROOM = Fraction(4, 3)  # the same for windows of one value, whose bounds are worse
TREES_AUDITED = 2  # shorter trees whose bound is too high: the third seldom keeps the promise
AUDITED_WORK = 1 << 18  # cells × questions of such a tree: an audit takes a tenth of a second
MEAN_CELLS = 400  # cells up to which the mean number of questions is lowered: a tenth of a second
FAR_FEWER = Fraction(19, 20)  # of the mean questions: smaller savings seldom outweigh more rounds
MEAN_PRICES = 8  # penalties on her success that are tried to lower it: doubled, then bisected
PRICES_KEPT = 8  # penalties kept per programme: each takes as much memory as the programme
TABLES_KEPT = 64  # tables kept per programme: a sweep over levels meets about half as many
PLANTED_QUERIES = 1 << 13  # questions of a table of guesses: more take minutes and gigabytes
TABLE_ENTRIES = 4_096  # entries for a staged shape: larger tables load slowly

# Finding one of several parts of one width (noiseless/tails.py).
GROUPS = range(
    2, 9
)  # groups that parts are split into at once: with more, telling them apart costs
SUBGROUPS = (2, 3, 4)  # and groups that each of those is split into, for the same reason
MOST_GROUPED = 64  # kept parts up to which groups are tried: with more there are too many windows

# The closed form on an interval (noiseless/staged.py, noiseless/steps.py).
MANY_KEPT = 1_024  # kept parts up to which every number is tried: a hundredth of a second
HIDE_TRIES = 24  # numbers of questions per part that are tried on either side of the likeliest
FACTOR_NODES = 400  # nodes of the search for factors: past them, a few questions may be lost
WIDE_PRODUCTS = 24  # largest products that are factored if halvings lose equally many questions
MOST_FACTORED = 1 << 20  # products that are factored: trial division takes a millisecond
CHEAP_LOSS = 6.0  # questions that a product of odd factors may lose against halvings

# The closed form on whole values (noiseless/whole.py, noiseless/planted.py).
PARTS_AT_ONCE = 1 << 16  # numbers of parts in one array: half a megabyte
WAYS_TRIED = 200_000  # ways to narrow and cut: all are tried in a tenth of a second
FREE_LEVEL = 100  # up to this level, with rounds to spare, all ways are tried: bounds prune
NEAR_PARTS = 32  # numbers of parts, and of narrowing questions, around the interval's own
NEAR_GUESSES = 8  # parts around the best trade-off of guesses and steps by a formula

# The optimum (optimal/).
MOST_SOLVED = 9  # cells on which the Bayesian optimum is solved: ten take minutes
MOST_SEARCHED = 12  # cells on which the deterministic optimum is searched for: more take minutes
QUICK_OPTIMUM = 6  # questions of "tight" up to which `compare` solves the optimum: a second

# Questions at decimals (ticks.py).
TICKS_TRIED = 64  # ticks, from the coarsest: the last is 10^-21 of the first
TICKS_PLANNED = 9  # ticks that each get a separate plan: three decimal places
TICK_CELLS = 1 << 16  # cells for such ticks: with more, a plan takes seconds
TICK_SHARES = 4  # epsilon and its half, third and fourth are tried if the tick divides them
NEAREST = 1e-12  # share of a cell: questions are never closer together than this

# Priors (priors/; BORROWED_*: borrowed.py).
UNEVEN_CELLS = 1 << 19  # cells of an uneven lattice: files contain the place of each
TICKS_PER_EPSILON = 10**6  # if no tick is given: rounding costs less than a millionth
PRIOR_PLACES = 1 << 33  # ticks in all, so that sums of masses stay within 64 bits
RANGE_PLACES = 1 << 61  # ticks of a range with long decimals: sums of two stay within 64 bits
PART_PIECES = 1 << 15  # pieces of a part: more are refused, since they take minutes
PRIOR_BINS = 256  # bins of the prior during the search; the exact prior decides at the end
STRETCHES = 8  # stretches whose ends bound the intervals: every pair is hidden in every way
STRETCH_HALVINGS = 6  # halvings of each: intervals much shorter than L windows hide nothing
GRID_PIECES = 16  # pieces of the last step: a wider grid costs more than one more halving
EVERY_LEVEL = 6  # the level up to which every number of parts is tried
ROUGH_TRANSCRIPTS = 16  # transcripts per interval: the others are checked at the end
PRIOR_TRIES = 3  # plans that are tried if rounding to ticks spoils the first
BORROWED_TICKS = 3  # ticks on which plans for a uniform number are tried, the coarsest first
BORROWED_CELLS = 1 << 12  # cells for such ticks: finer ones divide no more evenly
BORROWED_ROOM = Fraction(11, 10)  # past the limit by more, finer ticks never helped (31 tries)

# Several numbers (product.py).
FINE_OPTIONS = 64  # options of one number that lie close; further ones are a 32nd apart
NEAR_LEVELS = 2  # under noise, factor around equal levels: questions grow almost like the level
EXACT_NUMBERS = 6  # numbers up to which every mix of options is tried, if the work allows
EXACT_WORK = 60_000  # pairs of options × numbers: past it two kinds of options are mixed

# Enumeration (enumeration.py, plans.py, repetition.py).
PLAN_BRANCHES = 1 << 14  # branches enumerated for every plan: a few hundredths of a second
LINE_BRANCHES = 1 << 16  # the same for unequal cells, since no theorem is as close then
PLAN_WORK = 1 << 22  # maximum of cells × columns for both,
PLAN_LOOKS = 1 << 26  # and of cells × columns² for tables, or single branches take too long
WALKED_BRANCHES = 1 << 16  # branches of an unknown strategy before it is assumed to toss coins

# Simulated costs (costs.py).
COST_RUNS = 2_000  # means are then known to one percent, since runs usually differ by a third
COST_WORK = 1 << 23  # runs × questions of the longest: a second or two
COST_LEAST = 100  # with fewer runs a mean errs by more than three percent, so none is given

# Budgets (affordable.py).
HIGHEST_LEVEL = 10**18  # the highest level that is tried for a budget
DELTA_STEPS = 1 << 40  # relative precision of the largest delta without noise
NOISY_STEPS = 1 << 8  # its precision under noise, since each plan takes long
