"""Find a quantile of the clients' numbers that no client can tell, and state its guarantees."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from feint.errors import InvalidValue, NoPlan
from feint.exact import Number, plain, rational, whole
from feint.integrations.flower.claims import band, claim, vote_p
from feint.integrations.flower.groups import Groups, bits_claim
from feint.integrations.flower.kept import kept
from feint.integrations.flower.server import Clients
from feint.interfaces import Journal, Progress
from feint.journal import Memory
from feint.planning import Plan, panel_miss, panel_size, private_bits
from feint.problem import Result
from feint.search import prepared


@dataclass(frozen=True, kw_only=True)
class Learned:
    """The result of a search over clients. Secret: never put it into a record.

    Its repr shows the claim and not the result, because Flower logs everything that a ServerApp
    prints.

    Attributes:
        result: The number found, the cost, and the success of an eavesdropping client. Its text
            takes the answers as they came. The guarantee about the clients' numbers is `claim`.
        messages: The number of messages sent to clients.
        clients: The number of clients.
        claim: The guarantee for the result, with its condition.
    """

    result: Result = field(repr=False)
    messages: int
    clients: int
    claim: str


def private_quantile(
    grid: Any,
    *,
    share: Number = "1/2",
    delta: Number,
    level: Number,
    count: int | None = None,
    sample: int | None = None,
    margin: Number | None = None,
    rank: Number | None = None,
    local_epsilon: Number | None = None,
    answers_each: int = 1,
    confidence: Number = "0.95",
    missing: Number = 0,
    liars: Number = 0,
    timeout: float = 60.0,
    tries: int = 10,
    journal: Journal | None = None,
    name: str = "quantile",
    progress: Progress | None = None,
    random: Random | None = None,
    **search: Any,
) -> Learned:
    """Find a quantile of the clients' numbers, with one bit per client and question.

    If every client answers every question, nothing is random, and the result is the quantile of
    those clients. If the number of clients is even, the median is the greater of the middle two.

    With `rank`, some clients are drawn once and answer every question. The rank of the result is
    then within `rank` of `share` with the stated probability, for every distribution of the
    numbers. Epsilon only decides how finely numbers are distinguished.

    With `rank` and `local_epsilon`, each client answers a single question, and flips its answer
    with a known probability (`private_values` on the client). So its messages are locally
    differentially private. A group of clients answers each question, including decoys, and the
    result has the stated rank.

    With `sample` and `margin`, clients are drawn anew for each question, so answers are noisy. The
    noise depends on how many clients lie near the number asked about. So a margin must be stated,
    and the claim holds only if that margin is right.

    Args:
        grid: Flower's Grid, inside a ServerApp.
        share: The quantile: the greatest number with at most this share of clients below it; 1/2
            is the median.
        delta: The full width of the interval that a listening client must hit.
        level: L. She hits with probability at most 1/L.
        count: The number of clients to wait for; None: those that are connected.
        sample: The number of clients to draw: with `margin` anew for each question, with `rank`
            once. None: all clients, or with `rank` the fewest that suffice.
        margin: With a sample: the least distance from `share` of the share of all clients below
            the number of a question.
        rank: The largest distance from `share` of the rank of the result, such as 0.02. A share of
            at most `share + rank` of all clients then have a smaller number, and at least
            `share - rank` have it or a smaller one (proofs/ranks.md).
        local_epsilon: A client's privacy budget for the whole search, including decoys and
            resends. It needs `rank`, and clients that flip their bits (proofs/bits.md).
        answers_each: With `local_epsilon`: the number of questions that a client may answer, which
            share the budget. More than 1 helps only if the budget is large.
        confidence: With a sample or a rank: the probability that the result is right.
        missing: The share of clients that may stay silent in a round; they may differ from round to
            round. Their numbers count too, and the claim states the possible range of quantiles.
        liars: The share of clients that may answer anything; the claim states their influence.
        timeout: As in `Clients`.
        tries: As in `Clients`.
        journal: The journal that keeps the search, such as `feint.journal.Folder(path)`. A
            ServerApp that is killed then continues with the same questions. None: the search ends
            with this process.
        name: The name of the search in the journal. Another search needs another name. The
            settings (share, number of clients, sample, margin, rank, missing, liars) are stored
            with it; with `rank`, so is the set of clients.
        progress: As in `find`.
        random: For experiments only: the source of samples; None: the system's randomness.
        search: Further arguments of the problem, as in `find`: low, high, epsilon, prior, dim,
            domains, method, max_rounds, certificate; and seed, for experiments only.

    Returns:
        The result with its guarantee. No part of it is put into a record or a log.

    Raises:
        OracleFailed: Too few clients connected or replied; with a journal the search can continue.
        BadState: The journal has a search of this name with another plan, share, sample, margin,
            rank, missing or liars, or another number of clients. If only some clients are asked,
            they must also be the same clients. Their numbers are not checked.
        InvalidValue: The arguments do not fit.
        NoPlan: No plan keeps the promise, or the sample is too small for the rank. The error then
            says how many clients are needed.
    """
    silent, lying = rational(missing, "missing"), rational(liars, "liars")
    _check(share, silent=silent, lying=lying, sample=sample, margin=margin, rank=rank)
    if local_epsilon is not None:
        _check_bits(rank, sample, silent)
    if "p" in search:
        rule = "follows from sample and margin, and is 1 where all clients answer"
        raise InvalidValue("p", search["p"], rule, "leave it out")
    more: dict[str, Any] = {} if random is None else {"random": random}
    clients = (Clients if local_epsilon is None else Groups)(
        grid=grid,
        share=share,
        count=count,
        sample=None if rank is not None else sample,
        missing=missing,
        timeout=timeout,
        tries=tries,
        **more,
    )
    noise: dict[str, Any] = {}
    asked = {"share": rational(share, "share"), "missing": silent, "liars": lying}
    if sample is not None and margin is not None:
        p = vote_p(sample, share=share, margin=margin, clients=len(clients.present()))
        noise = {"p": p, "confidence": confidence}
        # Majorities are more reliable far from the quantile than near it, so the length of a search
        # that stops when it is sure would tell where the quantile is.
        search.setdefault("method", "fixed")
        asked |= {"sample": Fraction(sample), "margin": rational(margin, "margin")}
    seed = search.pop("seed", None)
    plan, domains = prepared(delta=delta, level=level, progress=progress, **noise, **search)
    everybody = len(clients.present())
    asked["clients"] = Fraction(everybody)
    panel, flipped = everybody, None
    if rank is not None and local_epsilon is not None:
        flipped = private_bits(
            plan,
            everybody,
            rank=rank,
            local_epsilon=local_epsilon,
            share=share,
            confidence=confidence,
            answers_each=answers_each,
        )
        asked |= {"rank": flipped.rank, "local epsilon": flipped.local_epsilon}
        asked |= {"answers each": Fraction(answers_each), "nodes": Fraction(clients.fingerprint())}
    elif rank is not None:
        wanted: dict[str, Any] = {"share": share, "rank": rank, "missing": missing}
        panel = _panel(everybody, sample, _confidence_each(confidence, plan), **wanted)
        asked |= {"rank": rational(rank, "rank"), "sample": Fraction(panel)}
        if panel < everybody:  # a continued search must ask the same clients
            asked["nodes"] = Fraction(clients.fingerprint())
    where = Memory() if journal is None else journal
    with kept(where, name, plan, asked=asked, seed=seed, domains=domains) as lasting:
        if panel < everybody:
            clients.draw(panel, bytes.fromhex(lasting.search.header()["key"]))
        if isinstance(clients, Groups) and flipped is not None:
            clients.begin(flipped, lasting)
        clients.dim, clients.stepped = plan.problem.dim, plan.problem.values is not None
        clients.recall(lasting.search)
        result = lasting.finish(clients, progress=progress)
    return Learned(
        result=result,
        messages=clients.messages,
        clients=everybody,
        claim=bits_claim(flipped, share, confidence, result.promised)
        if flipped is not None
        else claim(asked, share, confidence, result.certificate),
    )


def _check(
    share: Number,
    *,
    silent: Fraction,
    lying: Fraction,
    sample: int | None,
    margin: Number | None,
    rank: Number | None,
) -> None:
    """Check that the arguments fit together.

    Raises:
        InvalidValue: Two of them do not.
    """
    if silent + lying:
        band(share, lying, silent)  # refuses shares with which the result may be anything
    worse = ("liars", plain(lying)) if lying else ("missing", plain(silent))
    if rank is not None and (margin is not None or lying):
        named = worse if lying else ("margin", margin)
        rule = "is not known together with rank"
        raise InvalidValue(*named, rule, "leave one of them out")
    if sample is not None and rank is None and silent + lying:
        rule = "nothing is proved for samples of clients that lie or stay silent"
        raise InvalidValue(*worse, rule, "ask all clients: leave out sample and margin")
    if rank is None and (sample is None) != (margin is None):
        rule = "a sample needs a margin, and asking all clients has none"
        raise InvalidValue("margin", margin, rule, "give sample and margin, or rank, or neither")


def _check_bits(rank: Number | None, sample: int | None, silent: Fraction) -> None:
    """Check the arguments beside a privacy budget.

    Raises:
        InvalidValue: There is no rank, or an argument does not fit flipped bits.
    """
    if rank is None:
        rule = "is needed with local_epsilon: flipped bits promise ranks alone"
        raise InvalidValue("rank", None, rule, "such as rank = 0.1")
    rule = "is not known together with local_epsilon: all bits of a group count"
    if sample is not None:
        raise InvalidValue("sample", sample, rule, "leave it out")
    if silent:
        raise InvalidValue("missing", plain(silent), rule, "leave it out")


def _confidence_each(confidence: Number, plan: Plan) -> Fraction:
    """Return the confidence for each coordinate with which all are right together this often."""
    return 1 - (1 - rational(confidence, "confidence")) / plan.problem.dim


def _panel(
    everybody: int,
    sample: int | None,
    confidence: Fraction,
    *,
    share: Number,
    rank: Number,
    missing: Number,
) -> int:
    """Return the number of clients to draw.

    Raises:
        NoPlan: The sample is too small, or too many may stay silent.
    """
    wanted: dict[str, Any] = {"rank": rank, "share": share}
    most = everybody if sample is None else whole(sample, "sample", least=1, most=everybody)
    silent = math.floor(rational(missing, "missing") * most)
    if (
        sample is not None
        and panel_miss(everybody, most, silent=silent, **wanted) <= 1 - confidence
    ):
        return most
    fewest = panel_size(everybody, confidence=confidence, missing=missing, **wanted)
    if sample is None:
        return fewest
    rule = f"is too few for a rank within {plain(rational(rank, 'rank'))} with that confidence"
    raise NoPlan("sample", sample, rule, f"ask {fewest} of these {everybody} clients")
