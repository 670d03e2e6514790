"""Limits of planning, all in one table: what is too large to run, and how far plans are searched.

A search limit trades questions, seldom many, for time. Each line says why it is what it is.
"""

from __future__ import annotations

from fractions import Fraction

# What may be run.
LONGEST = 1 << 24  # questions of a plan: more take hours to answer and gigabytes to simulate
LARGEST = 1 << 62  # cells of a lattice: sums of two places stay within 64 bits

# The programme on equal cells (noiseless/uniform.py). Cuts are tried of blocks up to MOST_SIZES, or
# up to fewer if MOST_CUTS would be exceeded with so many questions and rounds, but of SURE_SIZES.
MOST_SIZES = 1_200  # every cut of blocks up to this size is tried; 0.15 s, and more gains nothing
SURE_SIZES = 256  # the same however many questions there are: half a second at 400 of them
MOST_CUTS = 40_000_000  # cuts × questions × rounds that are tried: a quarter of a second
LIMIT_STEP = 16  # limits of questions are rounded up to a multiple, so that programmes are shared
MOST_RIDERS = 4  # more cells than that are cheaper as a block of their own
TREE_QUERIES = 400  # with more, a programme takes seconds, and the closed form loses little
LATTICE_CELLS = 256  # of an interval's lattices: a dozen are tried, and each takes a programme
BOUND_ROOM = Fraction(21, 20)  # bounds are seldom more than a twentieth too high
SINGLE_ROOM = Fraction(4, 3)  # those for windows of one value seldom more than a third
TREES_AUDITED = 2  # shorter trees whose bound is too high: the third seldom holds
AUDITED_WORK = 1 << 18  # cells × questions of such a tree: an audit takes a tenth of a second
MEAN_CELLS = 400  # up to which the mean number of questions is lowered: a tenth of a second
MEAN_PRICES = 8  # of what is caught that are tried to lower it: doubled, then halved between
PRICES_KEPT = 8  # of those, of one programme: each takes as much memory as the programme
PLANTED_QUERIES = 1 << 13  # of a table of guesses: larger ones take minutes and gigabytes to build
TABLE_ENTRIES = 4_096  # of a staged shape: larger tables load slowly, and the closed form is short

# Finding one of several parts of one width (noiseless/tails.py).
GROUPS = range(
    2, 9
)  # groups that parts are split into at once: with more, telling them apart costs
SUBGROUPS = (2, 3, 4)  # and groups that each of those is split into, for the same reason
MOST_GROUPED = 64  # kept parts up to which groups are tried: with more there are too many windows

# The closed form on an interval (noiseless/staged.py, noiseless/steps.py).
MANY_KEPT = 1_024  # numbers of kept parts up to which all are tried: a hundredth of a second
HIDE_TRIES = 24  # numbers of questions per part that are tried on either side of the likeliest
FACTOR_NODES = 400  # nodes of the search for factors: past them, a few questions may be lost
WIDE_PRODUCTS = 24  # largest products that are factored when halvings lose as many questions
MOST_FACTORED = 1 << 20  # products that are factored: trial division takes a millisecond
CHEAP_LOSS = 6.0  # questions that a product of odd factors may lose against halvings

# The closed form on whole values (noiseless/whole.py, noiseless/planted.py).
PARTS_AT_ONCE = 1 << 16  # numbers of parts in one array: half a megabyte
WAYS_TRIED = 200_000  # ways to narrow and cut that are all tried, in a tenth of a second;
FREE_LEVEL = 100  # with rounds to spare and up to this level, any number of them: bounds prune
NEAR_PARTS = 32  # numbers of parts, and of narrowing questions, around the interval's own
NEAR_GUESSES = 8  # parts around the best trade of guesses for steps, which a formula finds

# The optimum (optimal/).
MOST_SOLVED = 9  # cells on which the Bayesian optimum is solved: ten take minutes
MOST_SEARCHED = 12  # cells on which the deterministic optimum is searched for: more take minutes
QUICK_OPTIMUM = 6  # questions of `tight` up to which `compare` solves it: a second

# Questions at decimals (ticks.py).
TICKS_TRIED = 64  # ticks, from the coarsest: the last is 10^-21 of the first
TICKS_PLANNED = 9  # ticks on which a plan of their own is made: three decimal places
TICK_CELLS = 1 << 16  # cells of such ticks: with more, a plan takes seconds
TICK_SHARES = 4  # epsilon and its half, third and fourth are tried if the tick divides them
NEAREST = 1e-12  # of a cell: questions are put no nearer than this

# Priors (priors/; the last two: borrowed.py).
UNEVEN_CELLS = 1 << 19  # of an uneven lattice: each has its own place, and files hold all of them
TICKS_PER_EPSILON = 10**6  # where no tick is given: rounding then costs less than a millionth
PRIOR_PLACES = 1 << 33  # and no more in all, so that sums of masses stay within 64 bits
RANGE_PLACES = 1 << 61  # of ranges whose ends have many digits: sums of two stay within 64 bits
PART_PIECES = 1 << 15  # pieces of a part: more are refused rather than laid out for minutes
PRIOR_BINS = 256  # of the prior that is searched with; the exact one has the last word
STRETCHES = 8  # between whose ends intervals lie: all pairs of them are hidden in all ways
STRETCH_HALVINGS = 6  # of each of them: intervals much shorter than L windows hide nothing
GRID_PIECES = 16  # of a last step: a wider grid is dearer than one more halving
EVERY_LEVEL = 6  # the level up to which every number of parts is tried
ROUGH_TRANSCRIPTS = 16  # of an interval: what they say of the others is checked at the end
PRIOR_TRIES = 3  # plans that are laid out if ticks spoil the first
BORROWED_TICKS = 3  # ticks on which plans for a uniform number are tried, the coarsest first
BORROWED_CELLS = 1 << 12  # of such ticks: finer ones divide no more evenly
BORROWED_ROOM = Fraction(11, 10)  # shorter plans and finer ticks saved 6 % at most, in 31 tries

# Several numbers (product.py).
FINE_OPTIONS = 64  # options of one number that are a hair apart; further ones are a 32nd apart
EXACT_NUMBERS = 6  # numbers up to which every mix of options is tried, if the work allows;
EXACT_WORK = 60_000  # pairs of options × numbers: past it two kinds of options are mixed

# Enumeration (enumeration.py, plans.py, repetition.py).
PLAN_BRANCHES = 1 << 14  # that are enumerated for every plan: a few hundredths of a second;
LINE_BRANCHES = 1 << 16  # the same if cells are not alike, since no theorem is as close then;
PLAN_WORK = 1 << 22  # either only if cells × columns are no more than this,
PLAN_LOOKS = 1 << 26  # and of a table cells × columns², or single branches take too long
WALKED_BRANCHES = 1 << 16  # of a strategy of unknown kind, before it is taken to toss coins

# Simulated costs (costs.py).
COST_RUNS = 2_000  # means are then known to one percent: runs differ by a third as a rule
COST_WORK = 1 << 23  # runs × questions of the longest: a second or two
COST_LEAST = 100  # with fewer runs a mean would be off by more than three percent: none is given

# Budgets (affordable.py).
HIGHEST_LEVEL = 10**18  # that a budget is asked about
DELTA_STEPS = 1 << 40  # to which the largest delta is found, relatively;
NOISY_STEPS = 1 << 8  # under noise, where each plan takes its time
