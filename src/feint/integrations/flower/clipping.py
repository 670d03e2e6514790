"""Find a clipping norm by questions that hide it from clients, and clip on the server.

Adaptive clipping (Andrew et al., 2021) sends the norm to every client in every round, and changes
it by a factor. Here clients are asked about the norm of the update they have just sent, one bit
per question. Only the server learns the quantile of these norms, and the server clips.

What is *not* hidden: the noise added to the model is in proportion to the norm, a client that sends
a very long update finds it in the model cut to the norm, and clients receive the model. What is
*not* protected by differential privacy: the norm itself, since bits are counted without noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from feint.audit import Motion, audit
from feint.errors import InvalidValue, MissingExtra, NoPlan, OutOfRegime
from feint.exact import Number, plain, rational, whole
from feint.interfaces import Journal
from feint.planning import Plan
from feint.search import prepared

if TYPE_CHECKING:
    from feint.integrations.flower.strategy import Clipping

_TIMES = 8  # how many stricter levels are planned for before the error that there is no plan


def private_clipping(
    strategy: Any,
    noise_multiplier: float,
    num_sampled_clients: int,
    *,
    target_clipped_quantile: Number = "1/2",
    high: Number,
    low: Number = 0,
    epsilon: Number,
    delta: Number,
    level: Number,
    searches: int = 1,
    every: int = 1,
    motion: Motion | str | None = None,
    max_rounds: int | None = None,
    journal: Journal | None = None,
    missing: Number = 0,
    timeout: float = 60.0,
    tries: int = 10,
) -> Clipping:
    """Wrap a strategy in server-side clipping by a norm that clients cannot tell.

    If the number of clients is even, the median norm is the greater of the two middle ones.

    The first three arguments, and the quantile, are those of Flower's own
    `DifferentialPrivacyServerSideAdaptiveClipping`. Its other arguments (`initial_clipping_norm`,
    `clip_norm_lr`, `clipped_count_stddev`) belong to the geometric update and are not accepted. Use
    `norm_client_app` on clients.

    Args:
        strategy: The strategy whose updates are clipped, such as FedAvg.
        noise_multiplier: The noise added to the mean, in multiples of the norm over the number of
            clients, as in Flower's strategy.
        num_sampled_clients: The number of clients that train in each round.
        target_clipped_quantile: The share of updates whose norm is below the clipping norm.
        high: The upper end of the norm. A norm above it is found as this.
        low: The lower end of the norm.
        epsilon: The full width of the accuracy.
        delta: The full width within which a client must not guess the norm.
        level: L. After all searches together a client guesses it with probability at most 1/L.
        searches: The number of searches for the norm, including those in the journal that another
            process began. After the last one its norm stays in use.
        every: The number of rounds of training from one search to the next. The first search is in
            the first round.
        motion: How the norm moves between searches, as in `feint.audit.audit`, such as
            "steps(0.5)". Several searches need it. The promise holds for norms that move in this
            way. If a norm moved further, the warning `feint.errors.MotionBroken` says so, but not
            how far.
        max_rounds: As in `plan`.
        journal: The journal for the searches, one per round. A ServerApp that is killed and
            continues with the same training then continues with the same questions. Another
            training needs another journal.
        missing: The share of the clients that have trained which may stay silent in a round of
            questions. The norm found is then one of the quantiles that `band` returns, over all
            clients that have trained. 0: the server waits for every client.
        timeout: As in `Clients`.
        tries: As in `Clients`.

    Returns:
        A strategy for Flower. Its `norms` are the norms found, which are secret.

    Raises:
        MissingExtra: Flower is not installed.
        InvalidValue: An argument is invalid, or the strategy clips on its clients, which broadcasts
            the norm and so the result.
        NoPlan: No plan keeps the promise for this number of searches.
    """
    try:
        from feint.integrations.flower.strategy import Clipping
    except ImportError:
        raise MissingExtra("flower", "flwr") from None
    plan = clipping_plan(
        low=low,
        high=high,
        epsilon=epsilon,
        delta=delta,
        level=level,
        searches=searches,
        motion=motion,
        max_rounds=max_rounds,
    )
    return Clipping(
        strategy=strategy,
        noise_multiplier=noise_multiplier,
        num_sampled_clients=num_sampled_clients,
        share=target_clipped_quantile,
        plan=plan,
        motion=None if motion is None else Motion.read(motion),
        searches=searches,
        every=whole(every, "every", least=1),
        journal=journal,
        missing=missing,
        timeout=timeout,
        tries=tries,
    )


def clipping_plan(
    *,
    high: Number,
    low: Number = 0,
    epsilon: Number,
    delta: Number,
    level: Number,
    searches: int = 1,
    motion: Motion | str | None = None,
    max_rounds: int | None = None,
) -> Plan:
    """Return a plan that keeps its promise over several searches for a number that moves.

    It is the plan for the smallest level that keeps it, and it is repeatable: only the number
    determines the questions. The best eavesdropper on all searches together is computed exactly.

    Args:
        high: As in `private_clipping`.
        low: As in `private_clipping`.
        epsilon: As in `private_clipping`.
        delta: As in `private_clipping`.
        level: As in `private_clipping`.
        searches: As in `private_clipping`.
        motion: As in `private_clipping`.
        max_rounds: As in `private_clipping`.

    Returns:
        The plan.

    Raises:
        InvalidValue: An argument is invalid.
        NoPlan: There is no plan for this number of searches.
        TooLarge: This number of searches has more outcomes than can be enumerated.
    """
    count = whole(searches, "searches", least=1)
    if (count > 1) != (motion is not None):
        rule = "several searches need a motion, and a single one takes none"
        raise InvalidValue("motion", motion, rule, 'say how it moves, such as "steps(0.5)"')
    first, promised = whole(level, "level", least=1), 1 / rational(level, "level")
    wanted: dict[str, Any] = {"low": low, "high": high, "epsilon": epsilon, "delta": delta}
    for planned in range(first, _TIMES * first + 1):
        try:
            found, _ = prepared(**wanted, level=planned, max_rounds=max_rounds, repeatable=True)
        except (OutOfRegime, NoPlan):
            if planned == first:
                raise
            break
        if count == 1 or audit(found, repeat=count, motion=motion).successes[-1] <= promised:
            return found
    rule = f"after this number of searches the best client's success is above {plain(promised)}"
    raise NoPlan("searches", searches, rule, "search in fewer rounds, or lower level or delta")
