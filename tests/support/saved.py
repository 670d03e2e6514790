"""Read saved searches without feint, and list the stored searches of every version."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.support import uneven

from feint import Query, Search
from feint.interfaces import UNASKED

OWN = uneven.Forked
"""A strategy of one's own that a stored search follows: importing it registers its tag."""

SAVED = Path(__file__).parent.parent / "search" / "saved"


def two_fifths(search: Search, query: Query) -> bool:
    """Return the answer if X* lies two fifths into the range."""
    domain = search.domains[query.coordinate]
    above = domain.low + domain.width * Fraction(2, 5) >= query.value
    return above == (query.yes_means == "at least")


def holds(found: Any, stored: Any) -> bool:
    """Return True if a document has every field of a stored one; later versions may add some."""
    if isinstance(stored, dict):
        return all(name in found and holds(found[name], stored[name]) for name in stored)
    if isinstance(stored, list):
        return len(found) == len(stored) and all(map(holds, found, stored))
    return bool(found == stored)


def rounds(saved: str | Path) -> list[Any]:
    """Return the rounds in a text from `to_json`, or in a file."""
    if isinstance(saved, str):
        held: list[Any] = json.loads(saved)["rounds"]
        return held
    return [json.loads(line) for line in saved.read_bytes().splitlines()[1:]]


def asked(saved: str | Path) -> list[list[int]]:
    """Return the places asked about in each shown round."""
    shown = (each["ask"] for each in rounds(saved) if "-" not in each["check"])
    return [[UNASKED if "x" in place else int(place) for place in ask.split()] for ask in shown]


def told(saved: str | Path) -> dict[str, bool]:
    """Return every answer, by the id of its query."""
    return {
        f"q{number}.{column}": answer == "y"
        for number, each in enumerate(rounds(saved))
        for column, slot in enumerate(each["told"].split())
        if (answer := letter(slot))
    }


def letter(slot: str) -> str | None:
    """Return the answer in a slot of two copies of 18 characters, of which the later counts."""
    found = [each for each in (slot[:18], slot[18:]) if "-" not in each]
    if len(found) == 2 and (int(found[1][1], 16) - int(found[0][1], 16)) % 16 == 1:
        found.reverse()
    return found[0][0] if found else None
