"""Print the tables of docs/research/optimum.md that take a while: half-spaces, norms, noise.

`python scripts/optima.py planes` has every lattice up to 3 by 3, in seconds; with `--large` 2 by 4
and 4 by 4 too, in about ten minutes. `python scripts/optima.py noise` has the noisy optimum beside
`tight`, in about a minute.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction

from feint import Problem, plan
from feint.errors import NoPlan, TooLarge
from feint.exact import ceil_log2
from feint.planning.optimal import Bracket, FiniteGame, Norm, Questions, plane_game, solve_finite

KINDS: tuple[Questions, ...] = ("axis", "half-space")
NORMS: tuple[Norm, ...] = ("sup", "euclidean")

SHAPES = ((2, 2), (2, 3), (3, 3))
LARGE = ((2, 4), (4, 4))
# Points, window, level, p, confidence.
NOISY = (
    (3, 1, 2, "9/10", "4/5"),
    (3, 1, 2, "9/10", "9/10"),
    (3, 1, 2, "3/4", "3/4"),
    (4, 1, 2, "9/10", "4/5"),
    (4, 1, 2, "9/10", "9/10"),
    (5, 1, 2, "9/10", "4/5"),
)


def main(words: list[str]) -> None:
    """Print one table."""
    head: tuple[str, ...]
    if words[:1] == ["planes"]:
        head = ("points", "norm", "epsilon", "delta", "questions", "blind", "axis", "half-spaces")
        rows = planes(SHAPES + (LARGE if "--large" in words else ()))
    elif words[:1] == ["noise"]:
        head = ("values", "D", "L", "p", "confidence", "tight", "optimum", "she wins with", "width")
        rows = noise()
    else:
        raise SystemExit(__doc__)
    print(f"| {' | '.join(head)} |")
    print(f"|{'---:|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def planes(shapes: tuple[tuple[int, int], ...]) -> Iterator[tuple[str, ...]]:
    """Compare axis-parallel questions with half-spaces, until nothing more can be gained."""
    for shape in shapes:
        for epsilon, delta in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2)):
            for norm in NORMS:
                yield from plane(shape, epsilon, delta, norm)


def plane(
    shape: tuple[int, int], epsilon: int, delta: int, norm: Norm
) -> Iterator[tuple[str, ...]]:
    """Return the rows of one lattice, with more questions in each row."""
    for queries in range(1, 1 + sum(shape)):
        both: list[Bracket] = []
        for questions in KINDS:
            game = plane_game(
                *shape,
                queries=queries,
                delta=delta,
                epsilon=epsilon,
                questions=questions,
                norm=norm,
            )
            if game.blind == 1:
                return
            both += [bracket(game, both)]
        axis, half = both
        if half.upper <= 1 and (axis.upper < 2 or half.upper < 2):
            size = f"{shape[0]} × {shape[1]}"
            numbers = (epsilon, delta, queries, game.blind)
            yield (size, norm, *map(str, numbers), *map(shown, both))
        if axis.upper == game.blind:
            return


def bracket(game: FiniteGame, smaller: list[Bracket]) -> Bracket:
    """Return the optimum; skip the programme if fewer kinds of questions already reach the best."""
    upper = min((each.upper for each in smaller), default=Fraction(2))
    if upper == game.blind:
        return Bracket(upper, upper, 0)
    try:
        return solve_finite(game)
    except NoPlan:
        return Bracket(Fraction(2), Fraction(2), 0)
    except TooLarge:
        return Bracket(game.blind, upper, 0)


def shown(found: Bracket) -> str:
    """Show a fraction if the bracket closes; − if X* cannot be found at all."""
    if found.upper == 2:
        return "−" if found.lower == 2 else f"at least {found.lower}"
    return str(found.value or f"{found.lower} to {found.upper}")


def noise() -> Iterator[tuple[str, ...]]:
    """Compare the fewest questions under noise with ours, for the same whole values."""
    for values, window, level, p, confidence in NOISY:
        problem = Problem(
            Fraction(1, values),
            Fraction(window, values),
            level,
            values=values,
            p=p,
            confidence=confidence,
        )
        ours = plan(problem).queries
        queries, found = noisy_optimum(values, window, level, Fraction(p), Fraction(confidence))
        yield (
            *map(str, (values, window, level, p, confidence, ours, queries)),
            f"{float(found.lower):.6f}",
            f"{float(found.upper - found.lower):.0e}",
        )


def noisy_optimum(
    values: int, window: int, level: int, p: Fraction, confidence: Fraction
) -> tuple[int, Bracket]:
    """Return the fewest questions that hold her to 1/level, and her success with them."""
    queries = ceil_log2(values)
    while True:
        try:
            found = solve_finite(line(values, window, queries, p, confidence))
            if found.upper * level <= 1:
                return queries, found
        except NoPlan:
            pass
        queries += 1


def line(values: int, window: int, queries: int, p: Fraction, confidence: Fraction) -> FiniteGame:
    """Return the game on whole values: questions between values, windows of neighbouring ones."""
    everything = (1 << values) - 1
    return FiniteGame(
        points=values,
        questions=tuple(everything ^ ((1 << place) - 1) for place in range(1, values)),
        windows=tuple(((1 << window) - 1) << place for place in range(values - window + 1)),
        queries=queries,
        p=p,
        confidence=confidence,
        symmetries=(tuple(range(values)), tuple(range(values - 1, -1, -1))),
    )


if __name__ == "__main__":
    main(sys.argv[1:])
