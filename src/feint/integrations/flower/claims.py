"""State the guarantees for a quantile of clients' numbers, in words and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from feint.errors import InvalidValue
from feint.exact import Number, plain, rational, text, whole

_DECIMALS = 10**6
_GREATER = "of two numbers that are it the greater"


def vote_p(
    sample: Number, *, share: Number = "1/2", margin: Number, clients: int | None = None
) -> Fraction:
    """Return the probability that a sample of clients gives the same answer as all clients.

    Args:
        sample: The number of clients in a uniform sample.
        share: The quantile.
        margin: The least distance from `share` of the share of all clients below the number.
        clients: The number of clients, from which the sample is drawn without replacement; None:
            with replacement. For shares other than 1/2, it can make p smaller.

    Returns:
        The smaller probability of the two sides, rounded down to six decimals; with `clients`, the
        smaller of drawing with and without replacement.

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
    """Return the range of quantiles of honest clients' numbers that contains the result.

    Let at most a share m of n clients be silent at a question, and let the answer be yes if at
    least a share 1 - τ of the others reach it. A yes then means that at least (1 - τ)(1 - m)·n
    clients say so, and a no that at least τ(1 - m)·n do not. All clients except the liars, a share
    λ, answer truly. This holds for each question separately, so different clients may be silent at
    each.

    Args:
        share: The quantile, τ.
        liars: The share of clients that may give any answer, λ. They are always the same clients.
        missing: The share of clients that may stay silent at a question, m. They may differ.

    Returns:
        The least and the greatest share, (τ(1 - m) - λ)/(1 - λ) and (τ(1 - m) + m)/(1 - λ): of 1/2
        with one liar in ten, 4/9 and 5/9; with one in ten silent, 9/20 and 11/20.

    Raises:
        InvalidValue: The shares are so large that the result may be anything.
    """
    sought, lying = rational(share, "share"), rational(liars, "liars")
    silent = rational(missing, "missing")
    if not 0 <= silent < 1:
        rule = "must be at least 0 and below 1"
        raise InvalidValue("missing", missing, rule, "0 waits for every client")
    most = (1 - silent) * min(sought, 1 - sought)
    if not 0 <= lying < most:
        rule = "with that many the result may be anything"
        raise InvalidValue("liars", liars, rule, f"fewer than {plain(most)}")
    below = sought * (1 - silent)
    return (below - lying) / (1 - lying), (below + silent) / (1 - lying)


def ranked_claim(
    clients: int,
    *,
    share: Number,
    rank: Number,
    confidence: Number,
    condition: str = "they answer truly",
    page: str = "ranks",
) -> str:
    """Return the guarantee for a quantile that is found to within a rank.

    Args:
        clients: The number of clients.
        share: The quantile, as it was given.
        rank: The largest error of the rank.
        confidence: The probability.
        condition: A further condition.
        page: The page with the proof.
    """
    aim, off = rational(share, "share"), rational(rank, "rank")
    low, high = max(Fraction(0), aim - off), min(Fraction(1), aim + off)
    return (
        f"with probability at least {confidence} (certificate: theorem, proofs/{page}.md) within"
        f" epsilon/2 of a number whose rank among all {clients} clients is within {plain(off)} of"
        f" {share}: at most a share {plain(high)} of them hold less, and at least {plain(low)} hold"
        f" it or less; if it lies between low and high and {condition}"
    )


def claim(asked: Mapping[str, Fraction], share: Number, confidence: Number, why: str | None) -> str:
    """Return the guarantee for the result, its condition and its certificate.

    Args:
        asked: The stored values that answers depend on besides the plan.
        share: The quantile, as it was given.
        confidence: With a sample, the probability.
        why: The certificate's name.
    """
    name = "median" if asked["share"] == Fraction(1, 2) else f"quantile {share}"
    # two neighbours, and all numbers between them, are possible results
    if asked["share"] * asked["clients"] % 1 == 0:
        name += f" ({_GREATER})"
    inside = "if it lies between low and high"
    if "rank" in asked and (asked["sample"] < asked["clients"] or asked["missing"]):
        quiet = f"; in no round were more than {plain(asked['missing'])} of those asked silent"
        truly = "they answer truly" + (quiet if asked["missing"] else "")
        count, rank = int(asked["clients"]), asked["rank"]
        return ranked_claim(count, share=share, rank=rank, confidence=confidence, condition=truly)
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
    truly = f"at most {plain(lying)} of all lie" if lying else "all who answer do so truly"
    waited = f"; in no round were more than {plain(silent)} of all silent" if silent else ""
    return (
        f"within epsilon/2 of the quantiles {text(low)} to {text(high)} of {whose}, if these lie"
        f" between low and high and {truly}{waited}"
    )
