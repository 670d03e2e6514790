"""Plans when answers may be wrong.

`methods` names them; `claims` is what a member of the family claims (its privacy bound, what its
stages may lose). `sure` finds the member that stops when it is sure and asks the fewest questions
on average, `stopping` says how long such searches take. `sizing` and `search` find the cheapest of
fixed length; `certificates` says how many answers those need, and why. `refusals` says why there is
no plan.
"""

from feint.planning.noisy.methods import FIXED, MAJORITY, fewest_rounds, noisy_methods
from feint.planning.noisy.refusals import crowded, too_slow

__all__ = ["FIXED", "MAJORITY", "crowded", "fewest_rounds", "noisy_methods", "too_slow"]
