"""Build strategies from integers in the order of the theory: (K₁…, C, L_p, K₂…)."""

from typing import Any

from feint.interfaces import Rule
from feint.problem import Problem
from feint.strategies import NoisyShape, Staged, StagedNoisy, StagedShape, Table
from feint.strategies import planted as build_planted

Steps = tuple[int, ...]


def staged_shape(narrow: Steps, parts: int, kept: int, hide: Steps) -> StagedShape:
    return StagedShape(narrow=narrow, parts=parts, kept=kept, hide=hide)


def staged(
    problem: Problem,
    size: int,
    narrow: Steps,
    parts: int,
    kept: int,
    hide: Steps,
    kind: type[Staged] = Staged,
) -> Staged:
    return kind(problem, size, staged_shape(narrow, parts, kept, hide))


def planted(
    problem: Problem,
    size: int,
    left: bool,
    right: bool,
    bisected: int,
    parts: int,
    steps: Steps,
    *,
    printed: bool = False,
) -> Table:
    return build_planted(
        problem,
        size,
        left=left,
        right=right,
        bisected=bisected,
        parts=parts,
        steps=steps,
        printed=printed,
    )


def noisy_shape(
    blocks: int,
    narrow: int,
    parts: int,
    repeats: int,
    kept: int,
    hide: int,
    rules: tuple[Rule, Rule] = ("tilted", "tilted"),
) -> NoisyShape:
    return NoisyShape(
        blocks=blocks,
        narrow=narrow,
        parts=parts,
        repeats=repeats,
        kept=kept,
        hide=hide,
        rules=rules,
    )


def staged_noisy(problem: Problem, size: int, *shape: Any) -> StagedNoisy:
    return StagedNoisy(problem, size, noisy_shape(*shape))
