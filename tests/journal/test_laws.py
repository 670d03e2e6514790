"""The laws of journals and ledgers over every one there is, and over broken ones."""

from collections.abc import Mapping
from typing import Any

import pytest
from tests.support.journals import KEY

from feint.errors import LawBroken
from feint.journal import SQL, Memory
from feint.testing import check_ledger


def test_the_laws_hold_in_memory() -> None:
    memory = Memory()
    check_ledger(lambda: memory)


def test_the_laws_hold_in_sql(url: str) -> None:
    check_ledger(lambda: SQL(url, key=KEY))


class Forgetful(Memory):
    """Takes a number that is taken."""

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        return super().append(name, len(self.events(name)), event, id=id)


class Loose(Memory):
    """Lists its office."""

    def names(self) -> list[str]:
        return [*super().names(), "*"]


@pytest.mark.parametrize("broken", [Forgetful, Loose])
def test_a_broken_journal_is_caught(broken: type[Memory]) -> None:
    memory = broken()
    with pytest.raises(LawBroken, match="journal: "):
        check_ledger(lambda: memory)
