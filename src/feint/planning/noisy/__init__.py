"""Methods for answers that may be wrong.

`methods` lists them. `claims` computes the claims of a member of the family: its privacy bound and
the losses of its stages. `sure` finds the member that stops when it is sure and asks the fewest
questions on average, and `stopping` estimates the length of such searches. `search` tries ways to
divide and numbers of repeats; `sure` is a subclass of its search. `sizing` finds the cheapest
member of fixed length with it, and `certificates` gives the number of answers it needs. `refusals`
explains why there is no plan.
"""

from feint.planning.noisy.methods import FIXED, MAJORITY, fewest_rounds, noisy_methods
from feint.planning.noisy.refusals import crowded, too_slow

__all__ = ["FIXED", "MAJORITY", "crowded", "fewest_rounds", "noisy_methods", "too_slow"]
