"""Define the search for a price that many tests run: its plan, its flags, and its shop."""

from fractions import Fraction
from typing import Any

from feint import Domain, Search
from feint.planning import Plan, plan

PRICE = Domain(10, 110, label="price")
KEY = bytes(range(32))
FLAGS = ["--low", "10", "--high", "110", "--epsilon", "0.05", "--delta", "2", "--level", "8"]
TARGET = Fraction("73.4181")
SHOP = "awk 'BEGIN {{ exit !({target} >= {{q}}) }}'"
ORACLE = SHOP.format(target="73.4181")


def price_plan(**options: Any) -> Plan:
    return plan(PRICE.problem(epsilon="0.05", delta=2, level=8), domain=PRICE, **options)


def advance(search: Search, target: float, rounds: int) -> None:
    """Answer whole rounds."""
    for _ in range(rounds):
        for query in search.ask():
            search.tell(query.id, target >= query.value)
