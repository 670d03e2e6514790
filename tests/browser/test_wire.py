"""Whoever sees a browser's encrypted connections learns no answer: all that passes is alike."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from random import Random

import httpx
import pytest
from playwright.sync_api import Browser, Page, Request, expect
from tests.support.browsers import PATIENCE
from tests.support.pairs import Case, loose, plans, twins
from tests.support.wiretap import DOWN, UP, Tapped, tapped

from feint.journal.polls import Terms
from feint.server import static

Seen = tuple[list[tuple[str, str]], Counter[tuple[int, int]]]
"""The requests of a page, in order, and how long each request and its response were."""

Channel = Callable[[Browser, Tapped, Case], Seen]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tapped]:
    """A server on TLS whose streams say what they say first, and nothing by the clock."""
    monkeypatch.setattr("fastapi.routing._PING_INTERVAL", 1e6)
    with tapped(tmp_path, stream_every=3600) as found:
        yield found


@contextmanager
def browsing(browser: Browser, server: Tapped, *, scripts: bool = True) -> Iterator[Page]:
    """A page of somebody new, who has connections of their own."""
    server.tap.connections.clear()
    context = browser.new_context(ignore_https_errors=True, java_script_enabled=scripts)
    context.set_default_timeout(PATIENCE)
    try:
        yield context.new_page()
    finally:
        context.close()


def seat(page: Page, server: Tapped, cookie: str, token: str) -> None:
    page.context.add_cookies([{"name": cookie, "value": token, "url": server.url}])


def seen(server: Tapped, asked: list[Request]) -> Seen:
    """What passed, of requests that have their responses."""
    passed = [each for made in server.tap.connections for each in made.exchanges()]
    icon = _icon(server)
    found = [each for each in passed if each[1] not in icon]  # fetched whenever a browser likes
    # A page's own files come in any order, before anything is answered.
    ordered = [(each.method, each.url) for each in asked if "/static/" not in each.url]
    return ordered, Counter(found)


def _icon(server: Tapped) -> set[int]:
    """How long the response with the pages' icon is, whole and while some of it is on its way."""
    server.tap.connections.clear()
    httpx.get(f"{server.url}/static/{static.version()}/mark.svg", verify=server.trust)
    lengths = set[int]()
    for made in server.tap.connections:  # the browser may open one too, and fetch the icon by it
        ways = [way for way, _ in made.records]
        if ways[-1:] == [DOWN]:
            last = len(ways) - ways[::-1].index(UP) if UP in ways else 0
            lengths |= set(accumulate(size for _, size in made.records[last:]))
    return lengths


class Watched:
    """Every request of a page from now on, and those that have their response."""

    def __init__(self, page: Page) -> None:
        self.asked, self.page = list[Request](), page
        self._finished = list[str]()
        page.on("request", lambda each: self.asked.append(each))
        page.on("requestfinished", lambda each: self._finished.append(each.url))

    def loaded(self, times: int) -> None:
        """Wait until where the search stands and its story were fetched so many times."""
        for end in ("/searches/one", "/story"):
            while sum(url.endswith(end) and "/api/" in url for url in self._finished) < times:
                self.page.wait_for_event("requestfinished")


@contextmanager
def owning(browser: Browser, server: Tapped, case: Case) -> Iterator[tuple[Page, Watched]]:
    """The page of a search, for its owner; it has been loaded, and again by the stream's news."""
    server.polls.create("one", case.plan, terms=Terms(), key=case.key)
    with browsing(browser, server) as page:
        watched = Watched(page)
        seat(page, server, "feint", server.owner)
        page.goto(f"{server.url}/searches/one")
        watched.loaded(2)
        yield page, watched
    server.polls.delete("one")


def by_owner(browser: Browser, server: Tapped, case: Case) -> Seen:
    """The owner answers on the page; what cannot be right is said twice."""
    with owning(browser, server, case) as (page, watched):
        for number, (id, yes) in enumerate(case.answers.items()):
            button = page.locator(f'[data-id="{id}"] [data-yes="{str(yes).lower()}"]')
            button.click()
            if page.locator("#trouble").is_visible():
                button.click()
            watched.loaded(number + 3)
            left = len(case.answers) - number - 1  # wait until it is drawn, or a click may be lost
            said = ("#progress", f"{left} question") if left else ("#standing", "done")
            expect(page.locator(said[0])).to_contain_text(said[1])
        return seen(server, watched.asked)


def by_sheet(browser: Browser, server: Tapped, case: Case) -> Seen:
    """The owner brings a sheet of the first round, in words of various lengths."""
    random = Random(str(case.answers))
    with owning(browser, server, case) as (page, watched):
        filled = io.StringIO()
        writer = csv.writer(filled)
        writer.writerow(["id", "label", "value", "question", "answer", "note"])
        for query in server.polls.open("one"):
            words = (
                ("yes", "Y", " true", "1") if case.answers[query.id] else ("no", "n", "FALSE", "0")
            )
            row = [query.id, query.label or "", query.shown, query.text, random.choice(words)]
            writer.writerow([*row, 'x "y", z'])
        file = {"name": "a.csv", "mimeType": "text/csv", "buffer": filled.getvalue().encode()}
        page.locator("#up").set_input_files(file)  # type: ignore[arg-type]
        watched.loaded(3)
        expect(page.locator("#taken")).to_contain_text("answers taken")
        return seen(server, watched.asked)


def by_form(browser: Browser, server: Tapped, case: Case) -> Seen:
    """A respondent votes without scripts."""
    server.polls.create("one", case.plan, terms=Terms(quorum=1), key=case.key)
    token = server.polls.invite("one", id="a")[1]
    with browsing(browser, server, scripts=False) as page:
        watched = Watched(page)
        session = server.polls.tokens.sit(token, lasts=3600)[1]
        seat(page, server, "__Host-feint-respondent", session)
        page.goto(f"{server.url}/answer")
        for yes in case.answers.values():
            with page.expect_navigation():
                page.get_by_role("button", name="Yes" if yes else "No").click()
        expect(page.locator("h1")).to_contain_text("Thank you")
        page.wait_for_load_state("load")
        found = seen(server, watched.asked)
    server.polls.delete("one")
    return found


CHANNELS = [by_owner, by_sheet, by_form]


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda each: each.__name__)
def test_a_page_asks_alike_whatever_the_answers_are(
    channel: Channel, browser: Browser, server: Tapped
) -> None:
    """Seven questions in one round; but for the sheet, the answers contradict each other."""
    random = Random(3)
    alike = random.choice(twins(7)) if channel is by_sheet else loose(plans()[7], random)
    compare(channel, browser, server, alike)


@pytest.mark.long
@pytest.mark.parametrize("channel", CHANNELS, ids=lambda each: each.__name__)
def test_a_page_asks_alike_in_every_round(
    channel: Channel, browser: Browser, server: Tapped
) -> None:
    """Numbers that are asked about alike, of even and of whole values."""
    random = Random(4)
    for number in (9,) if channel is by_sheet else (0, 1):
        compare(channel, browser, server, random.choice(twins(number)))


def compare(channel: Channel, browser: Browser, server: Tapped, pair: tuple[Case, Case]) -> None:
    """See that requests come in the same order, and that lengths are equal on TLS."""
    (asked, lengths), (same, alike) = (channel(browser, server, case) for case in pair)
    assert asked == same
    assert lengths == alike
    assert lengths.total() >= len(asked) - 1  # all but the stream
