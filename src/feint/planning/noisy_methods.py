"""The methods under noise: from one coordinate's level to a strategy and what it claims."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from feint.errors import InvalidValue, TooLarge
from feint.planning import noisy
from feint.planning.calibrated import Calibrated, Progress
from feint.planning.methods import Method
from feint.planning.noisy import Misses, NoisyShape
from feint.planning.product import Option
from feint.problem import Problem
from feint.simulate import Executor
from feint.strategies.staged_noisy import StagedNoisy

_LARGEST = 1 << 62
_LONGEST = 1 << 24

CERTIFICATES = ("theorem", "calibrated")


def noisy_methods(
    problem: Problem,
    certificate: str,
    seed: int,
    progress: Progress | None,
    executor: Executor | None,
) -> dict[str, Method]:
    """The methods under noise, the recommended one first.

    Args:
        problem: What is wanted.
        certificate: "theorem" or "calibrated".
        seed: Where a calibrated plan's simulation begins.
        progress: Told how far its simulation is.
        executor: Who simulates; None: this process.

    Returns:
        One method a name.

    Raises:
        InvalidValue: There is no such certificate.
    """
    if certificate not in CERTIFICATES:
        rule = f"must be one of {', '.join(CERTIFICATES)}"
        raise InvalidValue("certificate", certificate, rule, "pick one of them")
    p = noisy.odds(problem)
    misses: Misses = noisy.Theorem(p)
    if certificate == "calibrated":
        misses = Calibrated(p, seed, progress, executor)
    known = NoisyMethods(misses)
    found: dict[str, Method] = {"tight": known.tight}
    if problem.values is None:
        found["paper"] = known.paper
    return found | {"bz": known.bz, "bisection": known.bisection}


class NoisyMethods:
    """One method a name, the recommended one first.

    Attributes:
        misses: The certificate behind every figure.
    """

    def __init__(self, misses: Misses) -> None:
        """Every method sizes its searches by the same certificate."""
        self.misses = misses

    def tight(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """The fewest queries of the whole family."""
        known = noisy.Theorem(noisy.odds(problem))
        if isinstance(self.misses, Calibrated):
            return _option(problem, noisy.near(problem, level, known, self.misses), rounds)
        return _option(problem, noisy.tight(problem, level, known), rounds)

    def paper(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """The paper's own constants."""
        return _option(problem, noisy.paper(problem, level), rounds)

    def bz(self, problem: Problem, level: Fraction | int, rounds: int | None) -> Option | None:
        """BZ search of everything: no privacy."""
        return _option(problem, noisy.alone(problem, noisy.Theorem(noisy.odds(problem))), rounds)

    def bisection(
        self, problem: Problem, level: Fraction | int, rounds: int | None
    ) -> Option | None:
        """Probabilistic bisection with as many answers as BZ: no privacy, nothing proved."""
        shape = noisy.alone(problem, noisy.Theorem(noisy.odds(problem)))
        return _option(problem, replace(shape, rules=("posterior", "posterior"), budget=()), rounds)


def _option(problem: Problem, shape: NoisyShape | None, rounds: int | None) -> Option | None:
    if shape is None or (rounds is not None and shape.rounds > rounds):
        return None
    size = problem.values or shape.size
    if size > _LARGEST:
        rule = "the lattice may have at most 2^62 cells, each no wider than epsilon"
        raise TooLarge("epsilon", f"one of {size} cells", rule, "epsilon = 2^-50 always fits")
    if shape.queries > _LONGEST:
        rule = "a plan may ask at most 2^24 questions"
        raise TooLarge("queries", shape.queries, rule, "raise epsilon, or find a higher p")
    strategy = StagedNoisy(
        problem,
        size,
        shape.blocks,
        shape.narrow,
        shape.parts,
        shape.repeats,
        shape.kept,
        shape.hide,
        shape.rules,
    )
    return Option(shape.queries, shape.success, strategy, shape.success, shape.budget)
