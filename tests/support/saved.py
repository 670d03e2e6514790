"""What a saved search holds, read without feint."""

import json
from pathlib import Path
from typing import Any


def rounds(saved: str | Path) -> list[Any]:
    """The rounds of what `to_json` gave, or of a file."""
    if isinstance(saved, str):
        held: list[Any] = json.loads(saved)["rounds"]
        return held
    return [json.loads(line) for line in saved.read_bytes().splitlines()[1:]]


def asked(saved: str | Path) -> list[list[int]]:
    """The places that each round asked about, of those that were shown."""
    shown = (each["ask"] for each in rounds(saved) if "-" not in each["check"])
    return [[int(place) for place in ask.split()] for ask in shown]


def told(saved: str | Path) -> dict[str, bool]:
    """Every answer, by its query's id."""
    return {
        f"q{number}.{column}": answer == "y"
        for number, each in enumerate(rounds(saved))
        for column, answer in enumerate(each["told"])
        if answer != "."
    }
