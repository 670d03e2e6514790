"""State what is promised of a quantile of clients' numbers, in words and figures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from feint.errors import InvalidValue
from feint.exact import Number, plain, rational, text, whole

_DECIMALS = 10**6
_GREATER = "the greater one if two numbers qualify"


def vote_p(
    sample: Number, *, share: Number = "1/2", margin: Number, clients: int | None = None
) -> Fraction:
    """Return the probability that a sample of clients agrees with all clients about a number.

    Args:
        sample: The number of clients drawn. All clients are equally likely.
        share: The quantile.
        margin: The minimum distance between `share` and the share of all clients below the number.
        clients: The number of clients, each of whom is drawn at most once. None: so many that it
            makes no difference. For shares other than 1/2 it can make p smaller.

    Returns:
        The smaller probability of the two sides, rounded down to six decimals. With `clients`, the
        smaller one of drawing with and without replacement.

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
    """Return the quantiles of honest clients' numbers between which the result lies.

    At most a share m of n clients stays silent at a question, and the server asks whether at least
    (1 - τ) of the others reach the number. A yes then means that at least (1 - τ)(1 - m)·n say so.
    A no means that at least τ(1 - m)·n do not. All clients except the liars, a share λ, answer
    truly. This holds for every question separately, so different clients may be silent each time.

    Args:
        share: The quantile, τ.
        liars: The share of clients that may answer anything, λ; the same clients throughout.
        missing: The share of clients that may stay silent at a question, m; they may differ each
            time.

    Returns:
        The lower and the upper quantile, (τ(1 - m) - λ)/(1 - λ) and (τ(1 - m) + m)/(1 - λ). For the
        median with one liar in ten these are 4/9 and 5/9; with one in ten silent, 9/20 and 11/20.

    Raises:
        InvalidValue: There are so many liars or silent clients that the result may be anything.
    """
    sought, lying = rational(share, "share"), rational(liars, "liars")
    silent = rational(missing, "missing")
    if not 0 <= silent < 1:
        rule = "must be at least 0 and below 1"
        raise InvalidValue("missing", missing, rule, "0 waits for every client")
    most = (1 - silent) * min(sought, 1 - sought)
    if not 0 <= lying < most:
        rule = "with this share the result may be anything"
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
    """Return the promise about a quantile that is found to within a rank.

    Args:
        clients: The number of clients.
        share: The quantile, as given by the caller.
        rank: The allowed error of the rank.
        confidence: The probability.
        condition: A further condition of the promise.
        page: The name of the proof page.
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
    """Return the promise about the result, its conditions, and its certificate.

    Args:
        asked: The values that the answers depend on besides the plan, as the journal keeps them.
        share: The quantile, as given by the caller.
        confidence: The probability, with a sample.
        why: The name of the certificate.
    """
    name = "median" if asked["share"] == Fraction(1, 2) else f"quantile {share}"
    # two neighbours, and every number between them, are medians
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
            f" epsilon/2 of the {name} of all clients, {inside}, or else a question was asked for"
            f" which the share of clients below is within {plain(asked['margin'])} of {share}; if"
            " they answer truly"
        )
    silent, lying = asked["missing"], asked["liars"]
    if not silent + lying:
        return f"within epsilon/2 of the {name} of the clients, {inside} and they answer truly"
    low, high = band(share, lying, silent)
    whose = "the clients that never lie" if lying else "all clients, also those silent at times"
    truly = f"at most {plain(lying)} of all lie" if lying else "all who answer do so truly"
    waited = f"; in no round were more than {plain(silent)} of all silent" if silent else ""
    return (
        f"within epsilon/2 of the quantiles {text(low)} to {text(high)} of {whose}, if these lie"
        f" between low and high and {truly}{waited}"
    )
