"""Plans when answers may be wrong.

`methods` names them; `claims` is what a member of the family claims (its privacy bound, what its
stages may lose); `sizing` and `search` find the cheapest; `certificates` says how many answers a
search needs, and why; `refusals` says why there is no plan.
"""

from feint.planning.noisy.methods import fewest_rounds, noisy_methods
from feint.planning.noisy.refusals import crowded, too_slow

__all__ = ["crowded", "fewest_rounds", "noisy_methods", "too_slow"]
