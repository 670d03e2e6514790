"""A whole poll in a real browser: owner and respondents, tabs, keys, a server that is killed."""

import csv
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browsers import PHONE, Site, Visitor, visitor
from tests.support.forked import Forked, Parent
from tests.support.journals import KEY

from feint import Domain, Search, plan
from feint.journal import SQL, write_key
from feint.journal.polls import Polls, Terms

PRICES = Domain(20, 100, label="price")
BELIEF = PRICES.prior("normal(60, 40)", warn=False)  # a third of it lies outside
PLAN = plan(PRICES.problem(epsilon=20, delta=30, level=2, prior=BELIEF), domain=PRICES)
HIDDEN = Fraction(143, 2)
START = "/plan?epsilon=20&delta=30&level=2&belief=bump&mean=60&spread=40"


def begin(owner: Visitor, name: str, who: str) -> Page:
    """Plan, start, and come to the page of the search."""
    page = owner.open(START)
    page.wait_for_selector("[data-ready=planned]")
    page.fill("#name", name)
    page.select_option("#who", who)
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector("[data-ready=open]")
    return page


def answer(page: Page) -> bool:
    """One truthful answer on a respondent's page; False: nothing is open."""
    if page.locator(".choice").count() == 0:
        return False
    value = Fraction(page.locator("h1 strong").inner_text().rstrip("?"))
    with page.expect_navigation():
        page.get_by_role("button", name="Yes" if value <= HIDDEN else "No").click()
    return True


def test_from_a_plan_to_the_result_with_three_respondents(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    """The owner's page follows; a respondent's traffic holds no answer but their own."""
    with visitor(browser, site.url, token=site.owner) as owner:
        page = begin(owner, "with three", "3")
        page.fill("#quota", "none")
        page.get_by_role("button", name="Make a link").click()
        expect(page.locator("#trouble")).to_contain_text("must be a whole number")
        page.fill("#quota", "3")
        page.get_by_role("button", name="Make a link").click()
        page.fill("#person", "anna")
        page.get_by_role("button", name="Invite").click()
        expect(page.locator("#linked")).to_contain_text("for anna alone")
        expect(page.locator("#turnout")).to_contain_text("anna")
        page.get_by_role("button", name="Make another").click()
        expect(page.locator("#linked")).to_contain_text("Everybody who opens this link")
        link = page.locator("#link").inner_text()
        expect(page.get_by_role("img", name="The link as a QR code")).to_be_visible()
        people = [recorded(browser, site.url, tmp_path / f"{n}.har") for n in range(3)]
        tabs = [each.open(link.removeprefix(site.url)) for each in people]
        for tab in tabs:
            tab.wait_for_selector(".ask")
        answer(tabs[0])
        expect(page.locator("#turnout")).to_contain_text(
            f"1 of {len(PLAN.strategy.rounds[0].coordinates)}"
        )
        for number in range(PLAN.rounds):
            for tab in tabs:
                tab.wait_for_selector(f"[data-round='{number}']")
                while answer(tab):
                    if tab.locator(f"[data-round='{number}']").count() == 0:
                        break
            if number + 1 < PLAN.rounds:
                expect(page.locator("#where")).to_have_text(f"Round {number + 2} of {PLAN.rounds}")
        expect(tabs[0].locator("main")).to_contain_text("That was all")
        page.wait_for_selector("[data-ready=done]")
        expect(page.locator("#result")).to_contain_text("The price is about")
        expect(page.locator("#result")).to_contain_text("places left, and her odds are 1 in")
        check_result(page)
        scrub_and_export(page, tmp_path)
        for number, person in enumerate(people):
            person.check()
            person.context.close()  # which writes what it recorded
            check_traffic(person, tmp_path / f"{number}.har")


def recorded(browser: Browser, url: str, har: Path) -> Visitor:
    """Somebody with a phone, whose traffic is recorded."""
    return Visitor(
        browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, record_har_path=har),
        url,
    )


def check_result(page: Page) -> None:
    found = re.findall(r"\d+(?:\.\d+)?", page.locator("#result").inner_text())
    about, low, high = map(Fraction, found[:3])
    assert low <= HIDDEN < high
    assert about == (low + high) / 2


def check_traffic(person: Visitor, har: Path) -> None:
    """Whatever was sent to a respondent, no tally and nobody's vote is in it."""
    entries = json.loads(har.read_text())["log"]["entries"]
    bodies = [each["response"]["content"].get("text", "") for each in entries]
    pages = [each for each in bodies if "<title>" in each]
    assert len(pages) > PLAN.queries
    for text in bodies:
        assert not re.search(r'"(yes|no|vote|votes|result|key)"\s*:', text), text
    for text in pages:
        assert len(re.findall(r"Is the price at least", text)) <= 1
    sent = [body for method, url, body in person.asked if url.endswith("/answer/vote")]
    assert len(sent) == PLAN.queries


def scrub_and_export(page: Page, folder: Path) -> None:
    page.get_by_role("button", name="round 1: ").click()
    expect(page.locator("#where")).to_have_text(f"Round 1 of {PLAN.rounds}")
    expect(page.locator("#questions")).to_contain_text("closed:")
    page.get_by_role("button", name=f"round {PLAN.rounds}: ").click()
    names = ("Transcript, CSV", "Transcript, JSON", "Picture, SVG", "Picture, PNG")
    for name, end in zip(names, ("csv", "json", "svg", "png"), strict=True):
        with page.expect_download() as loading:
            page.get_by_text(name).click()
        loading.value.save_as(folder / f"out.{end}")
    rows = list(csv.DictReader((folder / "out.csv").read_text().splitlines()))
    assert len(rows) == PLAN.queries
    assert set(rows[0]) == {"id", "round", "phase", "label", "value"}
    assert len(json.loads((folder / "out.json").read_text())["queries"]) == PLAN.queries
    drawn = (folder / "out.svg").read_text()
    assert "What she sees" in drawn
    assert "class=" not in drawn  # its colours are in it
    assert (folder / "out.png").read_bytes().startswith(b"\x89PNG")


def test_two_tabs_of_the_owner_stay_in_step_and_keys_are_enough(
    browser: Browser, site: Site
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        first = begin(owner, "two tabs", "me")
        second = owner.open("/searches/two%20tabs")
        second.wait_for_selector("[data-ready=open]")
        for number in range(PLAN.rounds):
            expect(first.locator("#where")).to_have_text(f"Round {number + 1} of {PLAN.rounds}")
            width = len(PLAN.strategy.rounds[number].coordinates)
            for place in range(width):
                row = first.locator("#questions li").nth(place)
                value = Fraction(row.locator("b").inner_text())
                button = row.get_by_role("button", name="Yes" if value <= HIDDEN else "No")
                button.focus()
                first.keyboard.press("Enter")
                if place + 1 < width:
                    expect(button).to_be_focused()  # whatever is drawn anew
                    expect(
                        second.locator("#questions li").nth(place).locator("[aria-pressed=true]")
                    ).to_have_count(1)
        for page in (first, second):
            page.wait_for_selector("[data-ready=done]")
            check_result(page)
        first.locator("#lanes").focus()
        for _ in range(3):
            first.keyboard.press("ArrowRight")
        expect(first.locator("#reading")).to_contain_text("ruled out by you")


def test_tab_alone_reaches_every_control_of_the_planner(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open(START)
        page.wait_for_selector("[data-ready=planned]")
        reached = []
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.append(
                page.evaluate(
                    "() => document.activeElement.id || document.activeElement.getAttribute('role')"
                )
            )
        wanted = {
            "low",
            "high",
            "label",
            "epsilon",
            "delta",
            "level",
            "noise",
            "max_rounds",
            "go",
            "share",
            "audit",
            "slider",
            "name",
            "who",
        }
        assert wanted <= set(reached)


@pytest.mark.long
def test_a_sheet_is_brought_back_and_a_wrong_one_is_refused_in_words(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = begin(owner, "by sheet", "me")
        page.get_by_text("Answer in a spreadsheet").click()
        with page.expect_download() as loading:
            page.get_by_text("Download this round").click()
        loading.value.save_as(tmp_path / "round.csv")
        empty = (tmp_path / "round.csv").read_text()
        (tmp_path / "wrong.csv").write_text(empty.rstrip("\n") + "maybe\n")
        page.set_input_files("#up", tmp_path / "wrong.csv")
        expect(page.locator("#taken")).to_contain_text("cannot be read")
        owner.forgiven = "422"
        lines = [line + ("y" if place else "") for place, line in enumerate(empty.splitlines())]
        (tmp_path / "filled.csv").write_text("\n".join(lines) + "\n")
        page.set_input_files("#up", tmp_path / "filled.csv")
        expect(page.locator("#taken")).to_contain_text("taken")
        expect(page.locator("#where")).to_have_text(f"Round 2 of {PLAN.rounds}")
        odd = page.locator("#questions li").first.get_by_role("button", name="No")
        odd.click()  # below 30, and at least 80 by the sheet
        expect(page.locator("#trouble")).to_contain_text("This contradicts your other answers")
        expect(odd).to_have_attribute("aria-pressed", "false")
        odd.click()
        expect(odd).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#warned")).to_contain_text("These answers cannot all be right")
        page.get_by_role("button", name="Pause").click()
        expect(page.locator("#standing")).to_have_text("paused")
        page.get_by_role("button", name="Resume").click()
        expect(page.locator("#standing")).to_have_text("open")


def test_a_search_is_archived_taken_out_and_deleted_after_a_warning(
    browser: Browser, site: Site
) -> None:
    site.polls.create("old one", PLAN, terms=Terms())
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/searches")
        row = page.locator("li", has_text="old one")
        row.get_by_role("button", name="Archive").click()
        expect(row.locator(".pill")).to_have_text("archived")
        row.get_by_role("button", name="Reopen").click()
        expect(row.locator(".pill")).to_have_text("open")
        row.get_by_role("button", name="Delete").click()
        expect(page.locator("#sure")).to_contain_text("It cannot be brought back")
        page.keyboard.press("Escape")
        expect(row).to_have_count(1)
        row.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Delete it").click()
        expect(row).to_have_count(0)
    assert "old one" not in site.polls.names()


def test_a_search_that_is_no_poll_is_listed_and_deleted(browser: Browser, site: Site) -> None:
    site.polls._store.create("of a program", Search(PLAN).header())
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/searches")
        row = page.locator("li", has_text="of a program")
        expect(row.locator(".pill")).to_have_text("no poll")
        expect(row.get_by_role("link")).to_have_count(0)
        row.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Delete it").click()
        expect(row).to_have_count(0)
    assert "of a program" not in site.polls.names()


def test_without_scripts_a_code_is_typed_and_answers_are_given(
    browser: Browser, site: Site
) -> None:
    site.polls.create("plain", PLAN, terms=Terms(quorum=1), domains=(PRICES,))
    _, token = site.polls.invite("plain")
    with visitor(browser, site.url, size=PHONE, scripts=False) as person:
        page = person.open("/answer")
        page.fill("#code", token)
        page.get_by_role("button", name="Go on").click()
        while answer(page):
            pass
        expect(page.locator("main")).to_contain_text("That was all")
    assert site.polls.result("plain").low <= HIDDEN < site.polls.result("plain").high


@pytest.fixture
def forked(tmp_path: Path) -> Iterator[Forked]:
    write_key(tmp_path / "key", KEY)
    parent = Parent(tmp_path / "log")
    held = Forked(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path / "key")
    yield held
    held.close()
    parent.close()


@pytest.mark.slow
def test_a_server_that_is_killed_and_comes_back_loses_nothing_on_open_pages(
    browser: Browser, forked: Forked, tmp_path: Path
) -> None:
    ledger = SQL(f"sqlite:///{tmp_path}/journal.db", key=KEY)
    polls = Polls(ledger)
    token = polls.tokens.own(again=True)
    polls.create("killed", PLAN, terms=Terms(quorum=1), domains=(PRICES,))
    _, person_token = polls.invite("killed")
    forked.start()
    try:
        with (
            visitor(browser, forked.url, token=token) as owner,
            visitor(browser, forked.url, token=person_token, size=PHONE) as person,
        ):
            watching, answering = owner.open("/searches/killed"), person.open("/answer")
            watching.wait_for_selector("[data-ready=open]")
            answering.wait_for_selector(".choice")
            forked.kill()
            expect(watching.locator("#trouble")).to_contain_text("The server does not respond")
            forked.start()
            expect(watching.locator("#trouble")).to_be_hidden()
            while answer(answering):
                pass
            watching.wait_for_selector("[data-ready=done]")
            check_result(watching)
            lost = "Failed to load resource|ERR_|EventSource"
            for each in (owner, person):
                each.forgiven = lost
    finally:
        ledger.close()
