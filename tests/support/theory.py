"""Compute the figures of proofs/noisy.md from its text, without feint's code."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, product
from math import comb

Law = tuple[tuple[Fraction, ...], ...]


def sizes(total: int, pieces: int) -> list[int]:
    """Return the sizes of near-equal pieces, cut at ⌊j·total/pieces⌋."""
    cuts = [j * total // pieces for j in range(pieces + 1)]
    return [after - before for before, after in pairwise(cuts)]


@lru_cache(maxsize=64)
def vote_law(parts: int, repeats: int, p: Fraction) -> Law:
    """Return P{k̂ = j | k* = k} by every count of yes answers; a fair coin breaks ties."""
    yes, no = (
        [comb(repeats, n) * q**n * (1 - q) ** (repeats - n) for n in range(repeats + 1)]
        for q in (p, 1 - p)
    )
    rows = [[Fraction(0)] * parts for _ in range(parts)]
    for counts in product(range(repeats + 1), repeat=parts - 1):
        agree = [
            sum(counts[:part]) + sum(repeats - each for each in counts[part:])
            for part in range(parts)
        ]
        best = [part for part, each in enumerate(agree) if each == max(agree)]
        for true, row in enumerate(rows):
            chance = Fraction(1)
            for boundary, count in enumerate(counts):
                chance *= (yes if boundary < true else no)[count]
            row[best[0]] += chance / 2
            row[best[-1]] += chance / 2
    return tuple(tuple(row) for row in rows)


def largest(law: Law) -> tuple[Fraction, Fraction, Fraction]:
    """Return A₀, A₋, A₊: the largest probabilities of the true part, one before, one after."""
    here = max(row[k] for k, row in enumerate(law))
    before = max(sum(row[:k], Fraction(0)) for k, row in enumerate(law))
    after = max(sum(row[k + 1 :], Fraction(0)) for k, row in enumerate(law))
    return here, before, after
