"""A quantile of the clients' numbers that no client can tell, and what is claimed for it."""

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
    """What was learned of the clients' numbers. Secret: never put it into a record.

    Printed, it says the claim and not the result, since Flower logs what a ServerApp prints.

    Attributes:
        result: What the search found, what it cost, and what an eavesdropping client can do. Its
            own words are about answers as they came: what is promised of the clients is `claim`.
        messages: The number of messages sent to clients.
        clients: The number of clients.
        claim: What is promised of the result, and on which condition.
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
    """Find a quantile of the clients' numbers, one bit a client a question.

    Where every client answers every question, nothing is random and the quantile of those clients
    is found. Of an even number of clients the median is the greater of the middle two.

    With `rank`, some clients are drawn once and answer every question. What is found then has a
    rank within `rank` of `share`, with the stated probability, however the numbers lie. Epsilon is
    only how finely numbers are told apart.

    With `local_epsilon` besides, each client answers one question only, and flips its answer with
    a known probability (`private_values` on the client): all that it sends is locally
    differentially private. A group of clients answers each question, decoys too, and the result
    has the rank.

    Where clients are drawn anew for each question, answers are noisy: how noisy depends on how many
    clients lie near the number asked about, so a margin must be stated, and the claim holds on its
    condition only.

    Args:
        grid: Flower's Grid, inside a ServerApp.
        share: Which quantile: the greatest number with at most this share of clients below it; 1/2
            is the median.
        delta: Full width within which a listening client must not come.
        level: L: she does with probability at most 1/L.
        count: The number of clients to wait for; None: those that are there.
        sample: The number of clients that are drawn: with `margin` anew for each question, with
            `rank` once. None: all of them, or with `rank` the fewest that suffice.
        margin: With a sample: how far from `share` the share of clients below a question is.
        rank: How far the rank of the result may be from `share`, such as 0.02. At most a share of
            `share + rank` of all clients then hold less, and at least `share - rank` hold it or
            less (proofs/ranks.md).
        local_epsilon: A client's privacy budget for the whole search, decoys and resends included;
            needs `rank`, and clients that flip their bits (proofs/bits.md).
        answers_each: With `local_epsilon`: how many questions a client may answer; the budget is
            shared among them. More than 1 helps only where the budget is large.
        confidence: With a sample or a rank: the probability that the result is right.
        missing: The share of clients that may stay silent in a round, others in each; what they
            hold counts all the same, and the claim states the band of quantiles that is left.
        liars: The share of clients that may say anything; the claim states what they can do.
        timeout: As in `Clients`.
        tries: As in `Clients`.
        journal: Where the search is kept, such as `feint.journal.Folder(path)`: a ServerApp that is
            killed goes on with the same questions; None: in this process.
        name: What the search is called there; another search needs another name. What was asked
            (share, number of clients, sample, margin, rank, missing, liars) is kept behind it, and
            with `rank` also which clients are there.
        progress: As in `find`.
        random: For experiments only: where samples are drawn; None: the system's own randomness.
        search: What else the problem is made of, as in `find`: low, high, epsilon, prior, dim,
            domains, method, max_rounds, certificate; and seed, for experiments only.

    Returns:
        What was learned. Nothing of it is put into a record or a log.

    Raises:
        OracleFailed: Too few clients were there or replied; with a journal the search goes on.
        BadState: The journal has another search of this name: another plan, another share, sample,
            margin, rank, missing or liars, or another number of clients. That they are the same
            clients is checked if only some are asked; that their numbers are the same never is.
        InvalidValue: The arguments do not fit.
        NoPlan: No plan keeps the promise, or the sample is too small for the rank; the error says
            how many clients it takes.
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
        panel = _panel(everybody, sample, _each(confidence, plan), **wanted)
        asked |= {"rank": rational(rank, "rank"), "sample": Fraction(panel)}
        if panel < everybody:  # another panel would have other numbers
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
    """Check that the arguments go together.

    Raises:
        InvalidValue: Two do not.
    """
    if silent + lying:
        band(share, lying, silent)  # or anything might be found
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
    """Check what comes with a privacy budget.

    Raises:
        InvalidValue: There is no rank, or something that does not go with flipped bits.
    """
    if rank is None:
        rule = "is needed with local_epsilon: flipped bits promise ranks alone"
        raise InvalidValue("rank", None, rule, "such as rank = 0.1")
    rule = "is not known together with local_epsilon: all bits of a group count"
    if sample is not None:
        raise InvalidValue("sample", sample, rule, "leave it out")
    if silent:
        raise InvalidValue("missing", plain(silent), rule, "leave it out")


def _each(confidence: Number, plan: Plan) -> Fraction:
    """Return the confidence for each coordinate, so that all are right together as often."""
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
    """Return how many clients to draw.

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
