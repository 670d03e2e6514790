"""Clip updates on the server by a norm that stays secret from clients.

Adaptive clipping (Andrew et al., 2021) sends the norm to every client in every round, and changes
it by a factor. Here clients are asked about the norm of the update they have just sent, one bit per
question. Only the server learns the quantile of these norms, and the server clips.

Clients receive the model, which reveals something about the norm. The noise in the model is in
proportion to it, and a client that sends a very long update finds it there, clipped to the norm.
Differential privacy does *not* protect the norm itself, because the bits are not flipped.
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

_TIMES = 8  # the most attempts with a higher level before the error that there is no plan


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
    """Wrap a strategy in server-side clipping by a norm that stays secret from clients.

    If the number of clients is even, the median norm is the greater of the middle two.

    The first three arguments, and the quantile, are those of Flower's own
    `DifferentialPrivacyServerSideAdaptiveClipping`. Its other arguments (`initial_clipping_norm`,
    `clip_norm_lr`, `clipped_count_stddev`) belong to the geometric update and are not accepted. On
    clients use `norm_client_app`.

    Args:
        strategy: The strategy whose updates are clipped, such as FedAvg.
        noise_multiplier: The noise added to the mean, in multiples of the norm over the number of
            clients, as in Flower.
        num_sampled_clients: The number of clients that train in a round.
        target_clipped_quantile: The share of updates whose norm is below the clipping norm.
        high: The largest possible norm; larger norms are found as this one.
        low: The smallest possible norm.
        epsilon: The full width of the accuracy.
        delta: The full width of the interval that a client must hit.
        level: L. After all searches together a client hits with probability at most 1/L.
        searches: The number of searches for the norm, including those in the journal that another
            process began. After them, the last norm stays in use.
        every: The number of rounds of training from one search to the next. The first is in the
            first round.
        motion: The movement of the norm from one search to the next, as in `feint.audit.audit`,
            such as "steps(0.5)"; required for several searches. The promise holds for norms that
            move in this way. If a norm moves further, the warning `feint.errors.MotionBroken` is
            issued, without the distance.
        max_rounds: As in `plan`.
        journal: The storage of the searches, one for each round. A ServerApp that is killed and
            continues the same training then continues with the same questions. Another training
            needs another journal.
        missing: The share of the clients in training that may stay silent in a round of questions.
            The norm is then one of the quantiles that `band` returns. 0: wait for every client.
        timeout: As in `Clients`.
        tries: As in `Clients`.

    Returns:
        A strategy for Flower. Its attribute `norms` has the norms, which are secret.

    Raises:
        MissingExtra: Flower is not installed.
        InvalidValue: An argument is wrong, or the strategy lets clients clip, which would broadcast
            the secret norm.
        NoPlan: No plan meets the requirements for that many searches.
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
    """Plan searches that keep their promise together for a number that moves.

    The plan has the least level that keeps the promise, and is repeatable: its questions depend
    only on the number. The success of the best eavesdropper on all searches together is exact.

    Args:
        high: As in `private_clipping`, and so are the others.
        low: As there.
        epsilon: As there.
        delta: As there.
        level: As there.
        searches: As there.
        motion: As there.
        max_rounds: As there.

    Returns:
        The plan.

    Raises:
        InvalidValue: An argument is wrong.
        NoPlan: There is no plan for that many searches.
        TooLarge: That many searches have more outcomes than can be enumerated.
    """
    count = whole(searches, "searches", least=1)
    if (count > 1) != (motion is not None):
        rule = "several searches need a motion, and one search has none"
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
    rule = f"after that many searches the best client wins with probability above {plain(promised)}"
    raise NoPlan("searches", searches, rule, "search in fewer rounds, or lower level or delta")
