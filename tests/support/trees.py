"""The tree of blocks with the fewest questions, which several tests look at."""

from fractions import Fraction

from feint.planning.noiseless.uniform import Tree, Wanted, trees


def cheapest_tree(cells: int, level: Fraction | int, wanted: Wanted, *, below: int) -> Tree | None:
    """Return the tree with the fewest questions, or None if it has `below` questions or more."""
    if below < 2 or level * wanted.window > cells:
        return None
    return next(trees(cells, Fraction(cells) / level, wanted, below=below), None)
