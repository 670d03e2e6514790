"""A quantile of the clients' numbers that no client can tell, and what is claimed for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from feint.errors import InvalidValue
from feint.exact import Number, plain, rational, text, whole
from feint.integrations.flower.kept import kept
from feint.integrations.flower.server import Clients
from feint.interfaces import Journal, Progress
from feint.journal import Memory
from feint.problem import Result
from feint.search import prepared

_DECIMALS = 10**6


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
    is found. Where clients are sampled, answers are noisy: how noisy depends on how many clients
    lie near the number asked about, so a margin must be stated, and the claim holds on its
    condition only.

    Args:
        grid: Flower's Grid, inside a ServerApp.
        share: Which quantile: the share of clients below it; 1/2 is the median.
        delta: Full width within which a listening client must not come.
        level: L: she does with probability at most 1/L.
        count: The number of clients to wait for; None: those that are there.
        sample: The number of clients drawn anew for each question; None: all of them.
        margin: With a sample: how far from `share` the share of clients below a question is.
        confidence: With a sample: the probability that the result is right.
        missing: The share of clients that may stay silent in a round, others in each; what they
            hold counts all the same, and the claim states the band of quantiles that is left.
        liars: The share of clients that may say anything; the claim states what they can do.
        timeout: As in `Clients`.
        tries: As in `Clients`.
        journal: Where the search is kept, such as `feint.journal.Folder(path)`: a ServerApp that is
            killed goes on with the same questions; None: in this process.
        name: What the search is called there; another search needs another name. What was asked
            (share, number of clients, sample, margin, missing, liars) is kept behind it.
        progress: As in `find`.
        random: For experiments only: where samples are drawn; None: the system's own randomness.
        search: What else the problem is made of, as in `find`: low, high, epsilon, prior, dim,
            domains, method, max_rounds, certificate; and seed, for experiments only.

    Returns:
        What was learned. Nothing of it is put into a record or a log.

    Raises:
        OracleFailed: Too few clients were there or replied; with a journal the search goes on.
        BadState: The journal has another search of this name: another plan, another share, sample,
            margin, missing or liars, or another number of clients. That they are the same clients,
            with the same numbers, is not checked.
        InvalidValue: The arguments do not fit.
        NoPlan: No plan keeps the promise.
    """
    silent, lying = rational(missing, "missing"), rational(liars, "liars")
    if silent + lying:
        band(share, lying, silent)  # or anything might be found
    if sample is not None and silent + lying:
        named = ("liars", liars) if lying else ("missing", missing)
        rule = "what clients of a sample can do that lie or stay silent is not known"
        raise InvalidValue(*named, rule, "ask all clients: leave out sample and margin")
    more: dict[str, Any] = {} if random is None else {"random": random}
    clients = Clients(
        grid=grid,
        share=share,
        count=count,
        sample=sample,
        missing=missing,
        timeout=timeout,
        tries=tries,
        **more,
    )
    if "p" in search:
        rule = "follows from sample and margin, and is 1 where all clients answer"
        raise InvalidValue("p", search["p"], rule, "leave it out")
    if (sample is None) != (margin is None):
        rule = "a sample has a margin, and all clients have none"
        raise InvalidValue("margin", margin, rule, "give sample and margin, or neither")
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
    asked["clients"] = Fraction(len(clients.present()))
    where = Memory() if journal is None else journal
    with kept(where, name, plan, asked=asked, seed=seed, domains=domains) as lasting:
        clients.dim, clients.stepped = plan.problem.dim, plan.problem.values is not None
        clients.recall(lasting.search)
        result = lasting.finish(clients, progress=progress)
    return Learned(
        result=result,
        messages=clients.messages,
        clients=len(clients.present()),
        claim=_claim(asked, share, confidence, result.certificate),
    )


def vote_p(
    sample: Number, *, share: Number = "1/2", margin: Number, clients: int | None = None
) -> Fraction:
    """How likely a sample of clients says of a number what all of them would.

    Args:
        sample: How many clients are drawn, each alike.
        share: The quantile that is sought.
        margin: How far the share of all clients below the number is from `share`, at least.
        clients: The number of clients they are drawn from, none of them twice; None: so many that
            it makes no difference. For shares other than 1/2 it can make p smaller.

    Returns:
        The lesser chance of the two sides, rounded down to six decimals; with `clients`, the lesser
        of drawing with and without putting back.

    Raises:
        InvalidValue: The sample is too small to be better than a coin, or larger than `clients`.
    """
    from scipy.stats import binom, hypergeom

    drawn = whole(sample, "sample", least=1)
    least, off = 1 - rational(share, "share"), rational(margin, "margin")
    if not 0 < off < min(least, 1 - least) + Fraction(1, 10**12):
        rule = "must be positive and leave room on both sides of the share"
        raise InvalidValue("margin", margin, rule, "give a smaller one, such as 0.1")
    needed = math.ceil(least * drawn)
    chances = [
        float(binom.sf(needed - 1, drawn, float(least + off))),
        float(binom.cdf(needed - 1, drawn, float(least - off))),
    ]
    if clients is not None:
        there = whole(clients, "clients", least=drawn)
        above, below = math.ceil((least + off) * there), math.floor((least - off) * there)
        chances.append(float(hypergeom.sf(needed - 1, there, above, drawn)))
        chances.append(float(hypergeom.cdf(needed - 1, there, below, drawn)))
    found = Fraction(math.floor((min(chances) - 1e-12) * _DECIMALS), _DECIMALS)
    if found <= Fraction(1, 2):
        rule = f"at a margin of {plain(off)} a sample of it is no better than a coin"
        raise InvalidValue("sample", sample, rule, "draw more clients, or an odd number of them")
    return found


def band(share: Number, liars: Number, missing: Number = 0) -> tuple[Fraction, Fraction]:
    """Between which quantiles of the honest clients' numbers the result lies, whatever others do.

    Where at most a share m of n clients is silent at a question, and the others are asked whether
    at least (1 - τ) of them reach it, yes says that at least (1 - τ)(1 - m)·n say so, and no that
    at least τ(1 - m)·n do not. All but the liars, a share λ, say what is so. This holds for every
    question by itself, so others may be silent at each.

    Args:
        share: The quantile that is sought, τ.
        liars: The share of clients that may say anything, λ; they are the same throughout.
        missing: The share of clients that may stay silent at a question, m; others at each.

    Returns:
        The least and the greatest share, (τ(1 - m) - λ)/(1 - λ) and (τ(1 - m) + m)/(1 - λ): of 1/2
        with one liar in ten, 4/9 and 5/9; with one in ten silent, 9/20 and 11/20.

    Raises:
        InvalidValue: There are so many that the result may be anything.
    """
    sought, lying = rational(share, "share"), rational(liars, "liars")
    silent = rational(missing, "missing")
    if not 0 <= silent < 1:
        rule = "must be at least 0 and below 1"
        raise InvalidValue("missing", missing, rule, "0 waits for every client")
    most = (1 - silent) * min(sought, 1 - sought)
    if not 0 <= lying < most:
        rule = "with as many the result may be anything"
        raise InvalidValue("liars", liars, rule, f"fewer than {plain(most)}")
    below = sought * (1 - silent)
    return (below - lying) / (1 - lying), (below + silent) / (1 - lying)


def _claim(
    asked: Mapping[str, Fraction], share: Number, confidence: Number, why: str | None
) -> str:
    """What is promised of the result, on which condition, and by which certificate.

    Args:
        asked: What the answers depend on besides the plan, as it is kept.
        share: The quantile, as it was given.
        confidence: With a sample, the probability.
        why: The certificate's name.
    """
    name = "median" if asked["share"] == Fraction(1, 2) else f"quantile {share}"
    inside = "if it lies between low and high"
    if "margin" in asked:
        return (
            f"with probability at least {confidence} (certificate: {why or 'none'}) within"
            f" epsilon/2 of the {name} of all clients, {inside}, or else a question was asked where"
            f" the share of clients below is within {plain(asked['margin'])} of {share}; if they"
            " answer truly"
        )
    silent, lying = asked["missing"], asked["liars"]
    if not silent + lying:
        return f"within epsilon/2 of the {name} of the clients, {inside} and they answer truly"
    low, high = band(share, lying, silent)
    whose = "the clients that never lie" if lying else "all clients, silent at times or not"
    truly = f"at most {plain(lying)} of all lie" if lying else "whoever answers does so truly"
    waited = f"; in no round were more than {plain(silent)} of all silent" if silent else ""
    return (
        f"within epsilon/2 of the quantiles {text(low)} to {text(high)} of {whose}, if these lie"
        f" between low and high and {truly}{waited}"
    )
