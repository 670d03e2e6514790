"""What members of the staged family under noise claim, against proofs/noisy.md worked out anew.

Each claim must not be below the proof's figure, however little, and not be above it by more than
rounding: a claim that is off in the unsafe direction fails, and so does one that wastes questions.
"""

from fractions import Fraction
from typing import Any

import pytest
from tests.support.fixed import plan
from tests.support.noisy import claims
from tests.support.strategies import noisy_shape
from tests.support.theory import largest, sizes, vote_law

from feint import NoPlan, Problem
from feint.interfaces import Rule
from feint.planning.noisy.claims import Division, Member, p_of
from feint.planning.noisy.search import NoisySearch
from feint.strategies import NoisyShape, Product, StagedNoisy

ROUNDING = 1e-10  # what is added to chances, in all

# Values, D, blocks, parts, repeats, kept: blocks of two sizes, parts of two sizes, either, neither.
UNEVEN = [
    (5, 2, 1, 2, 2, 2),
    (5, 1, 1, 3, 3, 2),
    (7, 1, 1, 4, 2, 3),
    (9, 1, 2, 3, 2, 3),
    (9, 1, 2, 3, 5, 2),
    (10, 2, 1, 4, 1, 3),
    (11, 1, 2, 3, 1, 3),
    (11, 2, 2, 2, 3, 2),
    (13, 1, 3, 3, 2, 2),
    (13, 2, 2, 3, 3, 3),
    (17, 1, 2, 5, 1, 4),
    (12, 2, 2, 3, 2, 2),
]
ODDS = ["0.55", "0.7", "0.9", "0.99"]


def whole(values: int, window: int, p: str, **more: Any) -> Problem:
    return Problem(Fraction(1, values), Fraction(window, values), 2, values=values, p=p, **more)


def member(values: int, blocks: int, parts: int, repeats: int, kept: int) -> Member:
    cells = max(max(sizes(block, parts)) for block in sizes(values, blocks))
    shape = noisy_shape(blocks, 0, parts, repeats, kept, 0)
    return Member(shape=shape, part_cells=cells)


def near(claimed: float | Fraction, proved: float | Fraction) -> bool:
    return float(proved) <= float(claimed) <= float(proved) + ROUNDING


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("case", UNEVEN)
def test_privacy_of_whole_values(case: tuple[int, ...], p: str) -> None:
    """B(b) = (C/L')[A₀⌈b/C⌉ + D(A₋+A₊)]/b, or (C/L')⌈b/C⌉/b, the largest over the blocks."""
    values, window, blocks, parts, repeats, kept = case
    here, before, after = largest(vote_law(parts, repeats, Fraction(p)))
    proved = max(
        Fraction(parts, kept) * max(longest, here * longest + window * (before + after)) / block
        for block in sizes(values, blocks)
        for longest in [Fraction(max(sizes(block, parts)))]
    )
    found, problem = member(values, blocks, parts, repeats, kept), whole(values, window, p)
    assert near(claims(problem, found).success, proved)
    for level in (Fraction(3, 2), 2, 3):  # the fewest that bring the bound to 1/L
        fewest = Division.of(problem, found).least_kept(repeats, level)
        assert proved * kept / fewest <= Fraction(1) / level
        assert proved * kept / (fewest - 1) > Fraction(1) / level


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("ratio", ["1", "9/10", "2/3", "1/2", "1/5"])
@pytest.mark.parametrize(("blocks", "parts", "repeats"), [(1, 2, 3), (4, 3, 2), (3, 5, 1)])
def test_privacy_of_an_interval(blocks: int, parts: int, repeats: int, ratio: str, p: str) -> None:
    """B = [A₀ + (δ/w)(A₋ + A₊)]/L', or 1/L' where that is more; `ratio` is δ/w."""
    delta = Fraction(ratio) / (blocks * parts)
    problem = Problem(delta / 4, delta, 2, p=p)
    found = Member(shape=noisy_shape(blocks, 0, parts, repeats, 2, 0), part_cells=4)
    here, before, after = largest(vote_law(parts, repeats, Fraction(p)))
    proved = max(Fraction(1), here + Fraction(ratio) * (before + after)) / 2
    assert near(claims(problem, found).success, proved)


def strays(values: int, blocks: int, parts: int, repeats: int, p: str) -> list[tuple[float, float]]:
    """For each block: the true chance of a wrong part, and that by t₂ and equally likely parts."""
    law = vote_law(parts, repeats, Fraction(p))
    wrong = [1 - row[k] for k, row in enumerate(law)]
    found = []
    for block in sizes(values, blocks):
        lengths = sizes(block, parts)
        truth = sum(Fraction(a, block) * b for a, b in zip(lengths, wrong, strict=True))
        uneven = Fraction(parts * max(lengths), block)
        found.append((float(truth), float(min(max(wrong), uneven * sum(wrong) / parts))))
    return found


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("case", UNEVEN)
def test_wrong_parts_of_whole_values(case: tuple[int, ...], p: str) -> None:
    """e₂ is t₂ times the mean over equally likely parts, or the largest 1 − a_k if that is less."""
    values, window, blocks, parts, repeats, kept = case
    problem = whole(values, window, p, confidence="0.5")
    claimed = dict(claims(problem, member(values, blocks, parts, repeats, kept)).losses)
    told = strays(values, blocks, parts, repeats, p)
    assert max(truth for truth, _ in told) <= claimed["cut"]
    assert near(claimed["cut"], max(bound for _, bound in told))
    assert claimed["total"] == pytest.approx(claimed["cut"], rel=1e-12)


def test_uneven_parts_are_missed_more_often_than_equal_ones() -> None:
    """Five values in parts of 1, 2, 2: the middle one is the likelier to be missed, and long."""
    law = vote_law(3, 3, Fraction("0.9"))
    wrong = [1 - row[k] for k, row in enumerate(law)]
    ((truth, _),) = strays(5, 1, 3, 3, "0.9")
    assert truth > sum(wrong) / 3


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("case", UNEVEN)
def test_mean_errors_of_whole_values(case: tuple[int, ...], p: str) -> None:
    """gε·t₂·Σ_j (j+1)P{|k̂ − k*| = j}, and nothing for the cell."""
    values, window, blocks, parts, repeats, kept = case
    law = vote_law(parts, repeats, Fraction(p))
    far = sum(
        (abs(j - k) + 1) * chance
        for k, row in enumerate(law)
        for j, chance in enumerate(row)
        if j != k
    )
    found = member(values, blocks, parts, repeats, kept)
    uneven = max(Fraction(parts * max(sizes(b, parts)), b) for b in sizes(values, blocks))
    proved = uneven * far / parts * Fraction(found.part_cells, values)
    claimed = dict(claims(whole(values, window, p), found, 0.25, 0.125).losses)
    assert proved <= claimed["cut"] * (1 + 1e-12)
    assert claimed["cut"] <= proved * Fraction("1.0001") + Fraction(1, 10**12)
    assert (claimed["narrow"], claimed["cell"]) == (0.25, 0)
    assert claimed["hide"] == pytest.approx(0.125 * found.part_cells / values)
    assert claimed["total"] == pytest.approx(0.25 + claimed["cut"] + claimed["hide"])
    assert claimed["allowed"] == pytest.approx(0.5 / values)


@pytest.mark.parametrize(("blocks", "parts", "repeats"), [(1, 2, 3), (4, 3, 2), (3, 5, 1)])
def test_mean_errors_on_an_interval(blocks: int, parts: int, repeats: int) -> None:
    """e₁ + w·Σ_j (j+1)P{|k̂ − k*| = j} + w·e₃ + cell/4, against ε/2."""
    delta = Fraction(1, blocks * parts)
    problem = Problem(delta / 5, delta, 2, p="0.8")
    found = Member(shape=noisy_shape(blocks, 0, parts, repeats, 2, 0), part_cells=7)
    law = vote_law(parts, repeats, Fraction("0.8"))
    far = sum(
        (abs(j - k) + 1) * chance
        for k, row in enumerate(law)
        for j, chance in enumerate(row)
        if j != k
    )
    proved = float(delta * far / parts)
    claimed = dict(claims(problem, found, 0.25, 0.125).losses)
    assert proved <= claimed["cut"] * (1 + 1e-12)
    assert claimed["cut"] <= proved * 1.0001 + 1e-12
    assert claimed["cell"] == pytest.approx(float(delta) / 7 / 4)
    assert claimed["hide"] == pytest.approx(float(delta) * 0.125)
    assert claimed["total"] == pytest.approx(sum(list(claimed.values())[:4]))
    assert claimed["allowed"] == pytest.approx(float(delta) / 10)


class Fussy:
    """A certificate by which some numbers of cells need more answers than larger ones do.

    After n answers a search of c cells is said to miss with c·2^−n, a thousand times that if c is
    fussy.
    """

    def __init__(self, fussy: set[int], rules: dict[int, Rule] | None = None) -> None:
        self.fussy, self.rules = fussy, rules or {}

    def answers(self, cells: int, miss: float) -> tuple[int, float, Rule]:
        if cells <= 1:
            return 0, 0.0, "tilted"
        count = 1
        while self.missed(cells, count) > miss:
            count += 1
        return count, self.missed(cells, count), self.rules.get(cells, "tilted")

    def missed(self, cells: int, answers: int) -> float:
        more = 1000.0 if cells in self.fussy else 1.0
        return 0.0 if cells <= 1 else min(1.0, more * cells / 2**answers)


def divided(problem: Problem, misses: Fussy, blocks: int, parts: int) -> Member | None:
    search = NoisySearch(problem, 2, misses, rounds=None)
    search.divide(blocks, parts)
    return search.best


# Values, blocks, parts: the longest parts of the two sizes of block have two lengths.
LENGTHS = [(25, 2, 3), (33, 2, 4), (97, 4, 4), (37, 2, 3), (7, 2, 3), (100, 3, 3)]


@pytest.mark.parametrize("confidence", ["0.9", None])
@pytest.mark.parametrize(("values", "blocks", "parts"), LENGTHS)
def test_both_lengths_of_part_are_vouched_for(
    values: int, blocks: int, parts: int, confidence: str | None
) -> None:
    """What is claimed of the searches holds in blocks of either size, by t₁ and t₃."""
    problem, held = whole(values, 1, "0.9", confidence=confidence), sizes(values, blocks)
    lengths = {max(sizes(block, parts)) for block in held}
    shortest = min(min(sizes(block, parts)) for block in held)
    weight = 1.0 if confidence else max(lengths) / values
    for fussy in (set[int](), {min(lengths)}, {max(lengths)}, {blocks}):
        misses = Fussy(fussy)
        found = divided(problem, misses, blocks, parts)
        assert found is not None
        assert isinstance(found.shape, NoisyShape)
        told = dict(found.losses)
        hidden = max(lengths) / shortest * max(misses.missed(c, found.shape.hide) for c in lengths)
        assert weight * hidden <= told["hide"] * (1 + 1e-9)
        narrowed = blocks * max(held) / values * misses.missed(blocks, found.shape.narrow)
        assert narrowed <= told["narrow"] * (1 + 1e-9)
        assert told["total"] <= told["allowed"]


@pytest.mark.parametrize(("values", "blocks", "parts"), LENGTHS)
def test_both_lengths_of_part_are_searched_by_one_rule(
    values: int, blocks: int, parts: int
) -> None:
    """A certificate that has another rule for the shorter parts does not vouch for such blocks."""
    problem = whole(values, 1, "0.9", confidence="0.9")
    lengths = {max(sizes(block, parts)) for block in sizes(values, blocks)}
    found = divided(problem, Fussy(set(), {min(lengths): "posterior"}), blocks, parts)
    assert (found is None) == (len(lengths) == 2 and min(lengths) > 1)


@pytest.mark.parametrize("confidence", ["0.9", None])
@pytest.mark.parametrize("dim", [2, 3])
def test_coordinates_share_what_may_be_lost(dim: int, confidence: str | None) -> None:
    """Misses add, and so do mean errors: 1 − confidence, or ε/2, is for all of them together."""
    problem = Problem("0.02", "0.1", 4, p="0.9", confidence=confidence, dim=dim)
    found = plan(problem)
    assert found.certificate == "theorem"
    assert found.losses is not None
    allowed = float(problem.epsilon) / 2 if confidence is None else 0.1
    assert found.losses["allowed"] == pytest.approx(allowed)
    assert found.losses["total"] <= allowed
    assert isinstance(found.strategy, Product)
    alone = []
    for factor in found.strategy.factors:
        assert isinstance(factor, StagedNoisy)
        assert factor.problem.dim == 1
        if confidence is None:  # the estimate that is given is best for this
            assert factor.problem.epsilon == problem.epsilon / dim
        else:
            assert factor.problem.confidence == 1 - (1 - Fraction(confidence)) / dim
        single = Member(
            shape=factor.shape,
            part_cells=factor.size // factor.shape.blocks // factor.shape.parts,
        )
        alone.append(dict(claims(factor.problem, single).losses)["cut"])
    assert found.losses["cut"] == pytest.approx(sum(alone))


def test_what_needs_p_says_so() -> None:
    with pytest.raises(NoPlan, match="answers that may be wrong need it; give p"):
        p_of(Problem("1/64", "1/12", 3))
