"""A browser and a server for each module: a browser keeps asyncio to itself while it is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from tests.support.browsers import Site, browsing, listening

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with listening() as found:
        yield found
