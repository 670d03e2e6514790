"""Every claim of proofs/ by enumeration, and every page names a test that exists."""

import math
import re
from collections import defaultdict
from fractions import Fraction
from itertools import accumulate, pairwise, product
from pathlib import Path
from pkgutil import resolve_name

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from tests.support.brute import runs
from tests.support.checks import cover, coverings, information
from tests.support.examples import examples
from tests.support.sequential import Small, Way
from tests.support.strategies import planted as made
from tests.support.strategies import staged_shape

from feint import Problem, Search
from feint.audit import measure
from feint.exact import ceil_div
from feint.interfaces import UNASKED
from feint.planning import plan
from feint.planning.noiseless.whole import success_bound
from feint.problem import SETTINGS, Setting
from feint.search.units import Asked
from feint.strategies import PlantedShape, Staged, Table

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "proofs").glob("[a-z]*.md"))
ANY = Problem("1/8", "1/4", 2)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_has_claim_assumptions_proof_and_a_test(page: Path) -> None:
    text = page.read_text("utf-8")
    for part in ("Certifies:", "## Claim", "## Assumptions", "## Proof", "## Test", "∎"):
        assert part in text
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert named
    for path, test in named:
        assert f"def {test}" in (ROOT / path).read_text("utf-8")
    for name in re.findall(r"`(feint\.[\w.]+)`", text):
        assert found(name), name


def test_the_list_of_pages_names_what_there_is() -> None:
    text = (ROOT / "proofs" / "README.md").read_text("utf-8")
    assert set(re.findall(r"\]\((\w+\.md)\)", text)) == {page.name for page in PAGES}
    for name in re.findall(r"`(planning[\w.]*)`", text):
        assert found(f"feint.{name}"), name


def found(name: str) -> bool:
    """Whether there is a module, or something in one, of this whole name."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


factors = st.lists(st.integers(2, 4), max_size=2).map(tuple)


@given(factors, st.integers(1, 5), factors, st.integers(2, 5), st.data())
@examples(200)
def test_staged(
    narrow: tuple[int, ...], parts: int, hide: tuple[int, ...], grid: int, data: st.DataObject
) -> None:
    shape = staged_shape(narrow, parts, data.draw(st.integers(1, parts)), (*hide, grid))
    assume(shape.size <= 600)
    width = Fraction(1, math.prod(narrow) * parts)
    most = width if parts > 1 else Fraction(1)
    delta = data.draw(st.fractions(Fraction(1, 100), most, max_denominator=200))
    assume(0 < delta <= most)
    strategy = Staged(ANY, shape.size, shape)
    found = measure(strategy, delta)
    piece = width / math.prod(hide)
    assert found.success == min(piece, delta) / (piece * shape.kept)
    assert found.accuracy == Fraction(1, shape.size)


def splits(number: int) -> list[tuple[int, ...]]:
    """Every way to write a number as an ordered product of factors of at least 2."""
    found: list[tuple[int, ...]] = [()] if number == 1 else []
    for factor in range(2, number + 1):
        if number % factor == 0:
            found += [(factor, *rest) for rest in splits(number // factor)]
    return found


@pytest.mark.parametrize(
    ("blocks", "pieces", "spare"), [(8, 4, 0), (6, 6, 1), (4, 12, 7), (1, 8, 3)]
)
def test_rounds(blocks: int, pieces: int, spare: int) -> None:
    """The same products, split in every way; `spare` cells that do not divide make it uneven."""
    size = blocks * 3 * pieces * 2 + spare
    shapes = [
        staged_shape(narrow, 3, 2, (*hide, 3))
        for narrow, hide in product(splits(blocks), splits(pieces))
    ]
    assert len(shapes) > 3
    reach = size // (3 * blocks)
    found = {
        measure(
            Staged(ANY, size, each),
            Fraction(reach, size),
        ).success
        for each in shapes
    }
    bounds = {success_bound(each, size, reach) for each in shapes}
    assert len(bounds) == 1
    assert max(found) <= bounds.pop()
    assert spare or len(found) == 1


@given(st.integers(2, 90), factors, st.integers(1, 6), factors, st.data())
@examples(300)
def test_whole(
    values: int, narrow: tuple[int, ...], parts: int, hide: tuple[int, ...], data: st.DataObject
) -> None:
    least = values // math.prod(narrow) // parts
    assume(least >= 1)
    longest = ceil_div(ceil_div(values, math.prod(narrow)), parts)
    grid = max(2, ceil_div(longest, math.prod(hide)))
    shape = staged_shape(narrow, parts, data.draw(st.integers(1, parts)), (*hide, grid))
    reach = data.draw(st.integers(1, least))
    strategy = Staged(ANY, values, shape)
    found = measure(strategy, Fraction(reach, values))
    assert found.success <= success_bound(shape, values, reach)
    assert found.accuracy == Fraction(1, values)


def test_the_bound_on_whole_numbers_is_met() -> None:
    """97 values, D = 7, two blocks, five parts, all kept: (10 + 10)/97, attained."""
    shape = staged_shape((2,), 5, 5, (2, 2, 2, 2))
    strategy = Staged(ANY, 97, shape)
    exact = measure(strategy, Fraction(7, 97)).success
    assert exact == success_bound(shape, 97, 7) == Fraction(20, 97)


shapes = st.tuples(st.booleans(), st.booleans(), st.integers(0, 3), st.integers(1, 5))


def shape_of(size: int, guesses: tuple[bool, bool, int, int]) -> PlantedShape:
    """The guesses are left, right, bisected and parts; halvings end in single cells."""
    left, right, bisected, parts = guesses
    block = ceil_div(size, 1 << bisected)
    steps = (ceil_div(block, parts) - 1).bit_length()
    return PlantedShape(left=left, right=right, bisected=bisected, parts=parts, steps=(2,) * steps)


def planted(size: int, guesses: tuple[bool, bool, int, int]) -> Table:
    return made(ANY, size, *guesses, shape_of(size, guesses).steps)


def guessed(rounds: list[list[int]], size: int, shape: PlantedShape) -> tuple[list[int], bool]:
    """Return the cells that a transcript guesses, and whether these are all.

    The questions of a round lie inside the piece that it cuts, so they tell which piece that is. A
    run that has ended is in a piece of one cell; which one is not told.
    """
    cells = [0] * shape.left + [size - 1] * shape.right
    ways = [2] * shape.bisected + [shape.parts] * (shape.parts > 1)
    low, high = 0, size
    for number, k in enumerate(ways):
        ends = [low + (high - low) * j // k for j in range(k + 1)]
        cells += ends[1:-1]
        if number + 1 < len(ways):
            if number + 1 >= len(rounds) or not rounds[number + 1]:
                return cells, False
            asked = rounds[number + 1][0]
            low, high = next((a, b) for a, b in pairwise(ends) if a < asked < b)
    return cells, True


@given(st.integers(2, 70), shapes)
@examples(150)
def test_planted(size: int, guesses: tuple[bool, bool, int, int]) -> None:
    strategy, shape = planted(size, guesses), shape_of(size, guesses)
    ends = [0, *accumulate(len(each.coordinates) for each in strategy.rounds)]
    gap = size
    for transcript, boxes in information(strategy).items():
        rounds = [
            [point for point in transcript[first:last] if point != UNASKED]
            for first, last in pairwise(ends)
        ]
        cells, complete = guessed(rounds, size, shape)
        possible = {cell for low, high in boxes for cell in range(int(low[0]), int(high[0]))}
        assert possible.issuperset(cells)
        gap = min([gap, *np.diff(sorted(cells)).tolist()]) if complete else 0
    found = measure(strategy, Fraction(max(gap, 1), size))
    assert found.accuracy == Fraction(1, size)
    if gap >= 1 and shape.guesses:
        assert found.covering >= shape.guesses


@pytest.mark.parametrize("guesses", [(False, False, 2, 1), (True, False, 1, 2), (True, True, 0, 3)])
@pytest.mark.parametrize("reach", [2, 3, 5])
def test_the_worst_case_is_a_game(guesses: tuple[bool, bool, int, int], reach: int) -> None:
    """Maximise over random windows the least chance over possible points: 1/covering number.

    Windows begin anywhere in steps of 1/64 of a cell, points are tried in steps of 1/8 and just
    before a cell ends, where closed windows and half-open cells matter.
    """
    problem = Problem(Fraction(1, 20), Fraction(reach, 20), 2, setting="deterministic")
    strategy = made(problem, 20, *guesses, shape_of(20, guesses).steps)
    numbers = coverings(strategy)
    for transcript, boxes in list(information(strategy).items())[::5]:
        cells = {cell for low, high in boxes for cell in range(int(low[0]), int(high[0]))}
        points = np.array([64 * cell + step for cell in sorted(cells) for step in (0, 8, 32, 63)])
        starts = np.arange(-64 * reach, 64 * 21)
        wins = (points[:, None] >= starts) & (points[:, None] <= starts + 64 * reach)
        columns = np.unique(wins, axis=1)
        rows = np.hstack((np.ones((len(points), 1)), -columns.astype(float)))
        best = linprog(
            [-1.0] + [0.0] * columns.shape[1],
            A_ub=rows,
            b_ub=np.zeros(len(points)),
            A_eq=[[0.0] + [1.0] * columns.shape[1]],
            b_eq=[1.0],
        )
        assert best.fun is not None
        assert -best.fun == pytest.approx(1 / numbers[transcript], abs=1e-7)


@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("truth", ["1/2", "3/5", "4/5", "19/20"])
@pytest.mark.parametrize(
    ("cells", "parts", "cap"), [(12, 3, (6, 0)), (14, 3, (6, 1)), (5, 2, (5, 1))]
)
def test_sequential(cells: int, parts: int, cap: tuple[int, int], truth: str, at_once: int) -> None:
    """The joint distribution of place, questions and length is the same in every part.

    If another part is searched, it depends on neither part nor place. Both for uneven parts too, up
    to the places that a shorter part has, and for any truth.
    """
    small = Small(
        cells=cells,
        odds=4,
        truth=Fraction(truth),
        blocks=1,
        narrow_error=Fraction(1, 2),
        narrow_cap=(0, 0),
        parts=parts,
        repeats=1,
        kept=parts,
        hide_error=Fraction(2, 5),
        hide_cap=cap,
        at_once=at_once,
    )
    cuts = [cells * each // parts for each in range(parts + 1)]
    found = [_by_questions(small.hidden(cuts, part), cells) for part in range(parts)]
    lengths = {len(asked) for each in found for asked in each}
    assert len(lengths) > 1
    for part in range(parts):
        assert found[part].keys() == found[0].keys()
        for asked, chances in found[part].items():
            for other in range(parts):
                both = min(cuts[part + 1] - cuts[part], cuts[other + 1] - cuts[other])
                theirs = found[other][asked][cuts[other] : cuts[other] + both]
                assert chances[cuts[part] : cuts[part] + both] == theirs
            assert len({*chances[: cuts[part]], *found[-1][asked][: cuts[-2]]}) == 1
            assert len({*chances[cuts[part + 1] :], *found[0][asked][cuts[1] :]}) == 1


def _by_questions(ways: list[Way], cells: int) -> dict[tuple[tuple[int, ...], ...], list[Fraction]]:
    """What is asked, how often, and the probability of that for every cell."""
    found: dict[tuple[tuple[int, ...], ...], list[Fraction]] = {}
    for way in ways:
        here = found.setdefault(way.asked, [Fraction(0)] * cells)
        found[way.asked] = [a + b for a, b in zip(here, way.chances, strict=True)]
    return found


@pytest.mark.parametrize(("epsilon", "delta", "level"), [("1/39", "1/7", 3), ("1/51", "1/9", 5)])
@pytest.mark.parametrize("setting", SETTINGS)
def test_rounding(epsilon: str, delta: str, level: int, setting: Setting) -> None:
    """Every transcript, with cells that end where people are asked."""
    found = plan(Problem(epsilon, delta, level, setting=setting))
    cells, wide, near = found.cells[0], found.problem.delta, Fraction(1, 10**6)
    units = Search(found)._units
    inner = [Fraction(units.query(Asked(0, 0, point)).shown) for point in range(1, cells)]
    ends = [Fraction(0), *inner, Fraction(1)]
    assert any(end * cells != i for i, end in enumerate(ends))
    heard: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for points, cell, chance, *_ in runs(found.strategy):
        heard[points][cell] += chance
    exact = measure(found.strategy, wide)

    def success(width: Fraction) -> Fraction:
        return sum((_caught(each, ends, width) for each in heard.values()), Fraction(0))

    assert success(wide) != exact.success
    assert success(wide) <= (1 + 2 * near) ** 2 * exact.success
    narrower = wide - 2 * near / cells
    assert success(narrower) <= (1 + 2 * near) * exact.success
    for each in heard.values():
        possible = [(ends[i], ends[i + 1]) for i in sorted(each)]
        assert cover(possible, narrower) >= exact.covering


def _caught(weights: dict[int, Fraction], ends: list[Fraction], width: Fraction) -> Fraction:
    """The most that a window catches: one of its ends is where a cell ends."""

    def mass(low: Fraction) -> Fraction:
        pieces = ((w, max(ends[i], low), min(ends[i + 1], low + width)) for i, w in weights.items())
        return sum((w * max(Fraction(0), b - a) for w, a, b in pieces), Fraction(0))

    edges = {ends[i + k] for i in weights for k in (0, 1)}
    return max(mass(low) for edge in edges for low in (edge, edge - width))
