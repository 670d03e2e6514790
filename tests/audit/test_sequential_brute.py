"""Small sequential noisy searches, every answer and coin: within the claim, and as audited.

The members are drawn once and for all: p' = p and p' ≠ p, spare parts, uneven parts, priors, caps
that are reached, several questions at once. Brute force shares no code with feint.
"""

from fractions import Fraction
from itertools import pairwise
from math import lcm
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from tests.support.sequential import Small, wins

from feint import Problem
from feint.audit import noisy_exact
from feint.branches import Right, noisy_branches
from feint.problem import UNIFORM, Line, Prior
from feint.strategies import SequentialNoisy, SequentialShape


class Case(NamedTuple):
    """A small member, what a window covers, and how wide cells are in units (priors)."""

    small: Small
    width: int
    units: tuple[int, ...]


def drawn(number: int) -> Case:
    """Case number so-and-so: every third has uneven parts, every fourth a prior."""
    random = Random(number)
    blocks, parts = random.choice([(1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (3, 2)])
    odds = random.choice([2, 3, 4, 9])
    p = Fraction(odds, odds + 1)
    truth = random.choice([p, p, Fraction(1, 2), (1 + 3 * p) / 4, (1 + p) / 2, Fraction(99, 100)])
    tilted = int(odds in (4, 9) and random.random() < 0.4)
    cells = blocks * parts * random.randint(1, 6)
    if number % 3 == 0:
        cells = random.randint(blocks * parts, 6 * blocks * parts)
    small = Small(
        cells=cells,
        odds=odds,
        truth=truth,
        blocks=blocks,
        narrow_error=random.choice([Fraction(1, 10), Fraction(1, 5), Fraction(1, 3)]),
        narrow_cap=(random.randint(0, 4), tilted),
        parts=parts,
        repeats=random.randint(1, 3 if parts < 4 else 1),
        kept=random.randint(max(2, parts - 2), parts),
        hide_error=random.choice([Fraction(1, 12), Fraction(1, 5), Fraction(2, 5)]),
        hide_cap=(random.randint(1, 4), tilted),
        at_once=random.choice([1, 1, 1, 2]),
    )
    shortest = min(high - low for low, high in parts_of(small))
    units = tuple(random.randint(1, 3) for _ in range(cells)) if number % 4 == 3 else (1,) * cells
    return Case(small, random.randint(1, shortest), units)


def parts_of(small: Small) -> list[tuple[int, int]]:
    """Where every part of every block begins and ends."""
    found = []
    for block in range(small.blocks):
        low, high = (small.cells * each // small.blocks for each in (block, block + 1))
        cuts = [low + (high - low) * each // small.parts for each in range(small.parts + 1)]
        found += list(pairwise(cuts))
    return found


def strategy_of(case: Case) -> SequentialNoisy:
    small = case.small
    delta = Fraction(case.width, small.cells)
    p = Fraction(small.odds, small.odds + 1)
    problem = Problem(delta / 4, delta, 1, p=p, confidence="0.6")
    shape = SequentialShape(
        blocks=small.blocks,
        narrow_error=small.narrow_error,
        narrow_cap=small.narrow_cap,
        parts=small.parts,
        repeats=small.repeats,
        kept=small.kept,
        hide_error=small.hide_error,
        hide_cap=small.hide_cap,
        at_once=small.at_once,
    )
    return SequentialNoisy(problem, small.cells, shape)


def test_the_cases_are_of_every_kind() -> None:
    cases = [drawn(number) for number in range(240)]
    smalls = [case.small for case in cases]
    assert sum(each.truth != Fraction(each.odds, each.odds + 1) for each in smalls) > 80
    assert sum(each.kept < each.parts for each in smalls) > 60
    assert sum(len({high - low for low, high in parts_of(each)}) > 1 for each in smalls) > 40
    assert sum(len(set(case.units)) > 1 for case in cases) > 40
    assert sum(each.hide_cap[1] for each in smalls) > 30
    assert sum(each.at_once > 1 for each in smalls) > 40
    assert sum(len(case.small.heard()) > 8 for case in cases[:60]) > 10


def always(truth: Fraction) -> Right:
    """Answers that are right with one probability."""
    return lambda points, cells: np.full(
        np.broadcast_shapes(points.shape, cells.shape), float(truth)
    )


def claim(small: Small, width: Fraction) -> Fraction:
    """proofs/sequential.md for a window that covers so many cells: the worse of the block sizes."""
    lost, found = small.lost(), Fraction(0)
    for block in range(small.blocks):
        low, high = (small.cells * each // small.blocks for each in (block, block + 1))
        size, longest = high - low, -(-(high - low) // small.parts)
        lean = Fraction(small.parts * longest, size * small.kept)
        found = max(found, lean * (1 + (2 * width / longest - 1) * lost))
    return found


@pytest.mark.parametrize("number", range(240))
def test_brute_force_stays_within_the_claim_and_the_audit_agrees(number: int) -> None:
    case = drawn(number)
    small, units = case.small, case.units
    total, scale = sum(units), lcm(*units)
    # Every cell is as likely as any other, however wide: so it is where a prior is planned for.
    density = [scale // each for each in units for _ in range(each)]
    heard = small.heard()
    spread = {
        asked: [chance for chance, each in zip(chances, units, strict=True) for _ in range(each)]
        for asked, chances in heard.items()
    }
    even = len(set(units)) == 1
    window = case.width * (units[0] if even else 1)
    won = wins(spread, window, [Fraction(each) for each in density])
    most = max(sum(density[at : at + window]) for at in range(total - window + 1))
    assert won <= claim(small, Fraction(most, scale))

    strategy, marks, at = strategy_of(case), [], 0
    for each in units[:-1]:
        at += each
        marks.append(at)
    line = Line(Fraction(0), Fraction(total), small.cells, Fraction(1), None, tuple(marks), None)
    found = noisy_exact(
        strategy,
        delta=Fraction(window, total),
        right=always(small.truth),
        prior=UNIFORM if even else Prior(density),
        scale=None if even else line,
    )
    assert found.success == pytest.approx(float(won), abs=1e-12)
    assert found.transcripts >= len(heard)  # a coin that must fall on one side may miss by 1e-16


@pytest.mark.parametrize("number", range(0, 240, 6))
def test_every_transcript_has_the_same_chance_in_every_cell(number: int) -> None:
    case = drawn(number)
    walked = noisy_branches(
        strategy_of(case),
        right=always(case.small.truth),
    )
    mine = {
        tuple(row[row >= 0].tolist()): chance
        for row, chance in zip(walked.transcripts, walked.chance, strict=True)
        if chance.max() > 1e-12  # or a coin had to fall on the other side
    }
    theirs: dict[tuple[int, ...], list[Fraction]] = {}
    for asked, chances in case.small.heard().items():
        flat = tuple(point for each in asked for point in each)
        before = theirs.get(flat, [Fraction(0)] * len(chances))
        theirs[flat] = [a + b for a, b in zip(before, chances, strict=True)]
    assert mine.keys() == theirs.keys()
    for flat, chance in mine.items():
        assert chance == pytest.approx([float(each) for each in theirs[flat]], abs=1e-12)


@pytest.mark.parametrize("number", range(0, 240, 3))
def test_who_is_sure_is_right_as_often_as_was_said(number: int) -> None:
    """Where answers are right as often as promised, or oftener; for blocks, and cells of a part."""
    small = drawn(number - number % 3 + 1).small  # with equal blocks and parts
    p = Fraction(small.odds, small.odds + 1)
    for truth in (p, (1 + p) / 2):
        each = Small(**{**small.__dict__, "truth": truth})
        wide = each.cells // each.blocks
        sure = right = Fraction(0)
        for way in each.narrowed():
            if way.sure:
                sure += sum(way.chances)
                right += sum(way.chances[way.found * wide : (way.found + 1) * wide])
        assert right >= (1 - each.narrow_error) * sure
        alone = Small(**{**each.__dict__, "cells": wide, "blocks": 1})
        part = wide // each.parts
        cuts = [part * place for place in range(each.parts + 1)]
        sure = right = Fraction(0)
        for way in alone.hidden(cuts, 0):
            if way.sure:
                sure += sum(way.chances[:part])
                right += way.chances[way.found]
        assert right >= (1 - each.hide_error) * sure
