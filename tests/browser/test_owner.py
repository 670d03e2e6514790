"""What an owner's page must not do: contradict the API, forget, pretend, or stand there empty."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.support.browsers import PHONE, RULES, Site, Visitor, visitor
from tests.support.members import small_member
from tests.support.uneven import Forked

from feint import Domain, Plan, plan
from feint.journal.polls import Terms

RANGE = Domain(0, 120, label="price")
PLAN = plan(RANGE.problem(epsilon=5, delta=30, level=3), domain=RANGE)
HIDE = """(hidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""A test's browser has no tab behind another: this page is made to think so."""


def search(site: Site, name: str, *, quorum: int | None = None) -> None:
    site.polls.create(name, PLAN, terms=Terms(quorum=quorum), domains=(RANGE,))


@contextmanager
def looking(browser: Browser, site: Site, path: str) -> Iterator[tuple[Visitor, Page]]:
    """The owner, on a page that is ready."""
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open(path)
        page.wait_for_selector("[data-ready=open]")
        yield owner, page


def button(page: Page, value: int, yes: bool) -> Locator:
    row = page.locator("#questions li", has_text=re.compile(rf"least {value}\?"))
    return row.get_by_role("button", name="Yes" if yes else "No")


def forgive(owner: Visitor, said: str) -> None:
    """Errors of the network that a test made are none of the page's."""
    owner.forgiven = said


def test_a_warning_stays_and_the_page_says_what_the_api_says(browser: Browser, site: Site) -> None:
    """No at 40, yes at 80, which is kept: her page must not find another number than /result."""
    search(site, "odd")
    with looking(browser, site, "/searches/odd") as (_, page):
        yes = button(page, 80, True)
        with page.expect_response("**/story"):  # what is known is the server's to say
            button(page, 40, False).click()
        expect(page.locator("#lanes")).to_contain_text("0 – 40")
        yes.click()
        warning = page.locator("#trouble")
        expect(warning).to_contain_text("This contradicts your other answers")
        with page.expect_response("**/story"):
            site.polls.pause("odd")
        expect(page.locator("#standing")).to_have_text("paused")
        with page.expect_response("**/story"):
            site.polls.resume("odd")
        expect(page.locator("#standing")).to_have_text("open")
        expect(warning).to_contain_text("This contradicts your other answers")
        yes.click()
        expect(page.locator("#where")).to_have_text(f"Round 2 of {PLAN.rounds}")
        expect(warning).to_be_hidden()
        while site.polls.standing("odd")[0] == "open":
            for query in site.polls.open("odd"):
                site.polls.answer("odd", query.id, query.value <= 77)
        page.wait_for_selector("[data-ready=done]")
        low, high = site.polls.result("odd").interval
        assert (low, high) == (75, 80)
        expect(page.locator("#result")).to_contain_text("between 75 and 80")
        expect(page.locator("#lanes")).to_contain_text("75 – 80")


def test_an_answer_that_is_not_taken_is_shown_so_until_it_is(browser: Browser, site: Site) -> None:
    search(site, "offline")
    with looking(browser, site, "/searches/offline") as (owner, page):
        owner.context.set_offline(True)
        no = button(page, 40, False)
        no.click()
        expect(page.locator("#trouble")).to_contain_text(
            "Not saved: “Is the price at least 40?” No"
        )
        expect(no).to_have_attribute("aria-pressed", "false")
        with page.expect_response("**/story"):
            owner.context.set_offline(False)
        expect(page.locator("#trouble")).not_to_contain_text("continues by itself")
        expect(page.locator("#trouble")).to_contain_text("Not saved")
        with page.expect_response("**/answers"):
            no.click()
        expect(no).to_have_attribute("aria-pressed", "true")
        expect(page.locator("#trouble")).to_be_hidden()
        assert site.polls.status("offline")["answered"] == 1
        forgive(owner, "ERR_INTERNET_DISCONNECTED|ERR_NETWORK")


@pytest.mark.long
def test_a_page_that_nobody_sees_keeps_no_connection(browser: Browser, site: Site) -> None:
    """A browser has six for all its tabs: with as many in the background a seventh page works."""
    search(site, "tabs")
    with looking(browser, site, "/searches/tabs") as (owner, first):
        first.evaluate(HIDE, True)
        for _ in range(5):
            other = owner.open("/searches/tabs")
            other.wait_for_selector("[data-ready=open]")
            other.evaluate(HIDE, True)
        last = owner.open("/searches/tabs")
        last.wait_for_selector("[data-ready=open]")
        button(last, 40, True).click()
        expect(button(last, 40, True)).to_have_attribute("aria-pressed", "true")
        assert button(first, 40, True).get_attribute("aria-pressed") == "false"
        first.evaluate(HIDE, False)  # it is looked at, and shows how things stand now
        expect(button(first, 40, True)).to_have_attribute("aria-pressed", "true")


def test_the_last_answer_is_said_to_be_final_and_the_focus_goes_on(
    browser: Browser, site: Site
) -> None:
    search(site, "keys")
    with looking(browser, site, "/searches/keys") as (_, page):
        final = page.locator("#final")
        expect(final).to_contain_text("You can change an answer until you give the last one")
        for place, value in enumerate((40, 80)):
            button(page, value, True).focus()
            page.keyboard.press("Enter")
            if place == 0:
                expect(final).to_contain_text("cannot change the answers of this round")
        for number in range(2, PLAN.rounds + 1):
            expect(page.locator("#where")).to_have_text(f"Round {number} of {PLAN.rounds}")
            expect(page.locator("#asked")).to_be_focused()
            for query in site.polls.open("keys")[:-1]:
                site.polls.answer("keys", query.id, True)
            (last,) = site.polls.open("keys")
            expect(final).to_contain_text("The last answer")
            button(page, int(last.value), True).focus()
            page.keyboard.press("Enter")
        page.wait_for_selector("[data-ready=done]")
        expect(page.locator("#result")).to_be_focused()
        assert page.locator(".two").is_hidden()  # and leaves no gap


def test_one_answer_of_many_draws_one_row(browser: Browser, site: Site) -> None:
    wide = plan(RANGE.problem(epsilon=1, delta=30, level=2), domain=RANGE, method="grid")
    site.polls.create("wide", wide, terms=Terms(), domains=(RANGE,))
    with looking(browser, site, "/searches/wide") as (_, page):
        page.evaluate(
            """() => {
                window.drawn = new Set();
                window.made = 0;
                const make = document.createElement.bind(document);
                document.createElement = (name) => [made++, make(name)][1];
                const seen = (rows) => rows.forEach((each) => drawn.add(each.target.closest("li")));
                const watch = { childList: true, subtree: true };
                new MutationObserver(seen).observe(document.getElementById("questions"), watch);
            }"""
        )
        button(page, 60, True).click()
        with page.expect_response("**/story"):
            site.polls.answer("wide", site.polls.open("wide")[0].id, True)
        expect(page.locator("#questions [aria-pressed=true]")).to_have_count(2)
        assert page.evaluate("drawn.size") == 2
        assert page.evaluate("made") < 30  # and not some for each of 119 rows


@pytest.mark.long
def test_whoever_is_both_owner_and_respondent_stays_both(browser: Browser, site: Site) -> None:
    search(site, "both", quorum=1)
    with visitor(browser, site.url) as owner:
        page = owner.open(f"/searches/both#token={site.owner}")
        page.wait_for_selector("[data-ready=open]")
        page.get_by_role("button", name="Make a link").click()
        expect(page.locator("#link")).to_contain_text("token=")
        link = page.locator("#link").inner_text()
        answering = owner.open(link.removeprefix(site.url))
        answering.get_by_role("button", name="Yes").click()
        answering.wait_for_selector(".ask")
        expect(page.locator("#turnout")).to_contain_text("1 of 2")
        page.reload()
        page.wait_for_selector("[data-ready=open]")


@pytest.mark.long
def test_where_there_is_no_clipboard_the_text_is_chosen(browser: Browser, site: Site) -> None:
    search(site, "copied", quorum=1)
    with visitor(browser, site.url, token=site.owner) as owner:
        owner.context.add_init_script(
            "Object.defineProperty(navigator, 'clipboard', { value: undefined })"
        )
        page = owner.open("/searches/copied")
        page.get_by_role("button", name="Make a link").click()
        page.locator("#copy").click()
        expect(page.locator("#copy")).to_have_text("Press Ctrl+C")
        expect(page.locator("#link")).to_contain_text("token=")
        link = page.locator("#link").inner_text()
        assert page.evaluate("getSelection().toString()") == link
        page = owner.open("/plan")
        page.wait_for_selector("[data-ready=planned]")
        page.locator("#share").click()
        expect(page.locator("#share")).to_have_text("Press Ctrl+C")
        expect(page.locator("#address")).to_be_focused()
        assert page.evaluate("getSelection().toString()") == page.url


@pytest.mark.parametrize("token", [True, False])
def test_what_is_not_there_or_not_ours_is_a_sentence_and_a_way_back(
    browser: Browser, site: Site, token: bool
) -> None:
    with visitor(browser, site.url, token=site.owner if token else None) as somebody:
        page = somebody.open("/searches/nowhere")
        said = "There is no such search" if token else "Open the owner’s link"
        expect(page.locator("#trouble")).to_contain_text(said)
        expect(page.get_by_role("button")).to_have_count(0)
        assert page.evaluate(RULES) == []
        page.locator("#back a").click()
        page.wait_for_url("**/searches" if token else f"{site.url}/")
        forgive(somebody, "404")


def test_a_page_of_a_search_that_is_deleted_says_so(browser: Browser, site: Site) -> None:
    search(site, "brief", quorum=1)
    invited = site.polls.invite("brief")[1]
    with (
        looking(browser, site, "/searches/brief") as (owner, page),
        visitor(browser, site.url, token=None, size=PHONE) as person,
    ):
        answering = person.open(f"/answer#token={invited}")
        answering.wait_for_selector(".choice")
        site.polls.delete("brief")
        page.wait_for_selector("[data-ready=gone]")
        expect(page.locator("#trouble")).to_contain_text("There is no such search")
        expect(page.get_by_role("button")).to_have_count(0)
        expect(answering.locator("main")).to_contain_text("Your invitation has ended")
        forgive(owner, "404")
        forgive(person, "401|404")  # 404 where what it asks for goes while it asks


def test_respondents_are_given_a_new_link_and_let_in_no_more(browser: Browser, site: Site) -> None:
    """However long their names are, the page is as wide as the screen."""
    search(site, "let in", quorum=1)
    long = site.polls.invite("let in", label="W" * 100)[1]
    anna, before = site.polls.invite("let in", label="anna")
    open_link = site.polls.link("let in", quota=5)[1]
    with visitor(browser, site.url, token=site.owner, size=PHONE) as owner:
        page = owner.open("/searches/let%20in")
        page.get_by_role("button", name="New link for anna").click()
        expect(page.locator("#linked")).to_contain_text("for anna alone")
        token = page.locator("#link").inner_text().partition("=")[2]
        assert site.polls.tokens.caller(token).person == anna
        for name in ("Remove WWW", "Close this open link"):
            page.get_by_role("button", name=name).click()
            page.get_by_role("button", name=re.compile(f"{name}.*sure")).click()
            expect(page.get_by_role("button", name=name)).to_have_count(0)
        assert page.evaluate(RULES) == []
        page.fill("#person", "anna")
        page.get_by_role("button", name="Invite").click()
        expect(page.locator("#trouble")).to_contain_text("A respondent has this name already")
        page.fill("#quota", "99999999")
        page.locator("#invite").click()
        expect(page.locator("#trouble")).to_contain_text("The number of people for a link must be")
        forgive(owner, "422")
    for gone in (before, long, open_link):
        with pytest.raises(PermissionError):
            site.polls.tokens.caller(gone)
    assert site.polls.respondents("let in") == {anna: "anna"}


def test_a_search_that_ends_early_says_at_most_until_it_does(browser: Browser, site: Site) -> None:
    """Its page counts the questions that it asks, and has no rounds that it does not need."""
    sixteen = Domain(0, 15, step=1, label="price")
    site.polls.create("early", Plan.of(Forked(), domain=sixteen), terms=Terms())
    with looking(browser, site, "/searches/early") as (_, page):
        expect(page.locator("#progress")).to_have_text(
            "At most 7 questions left, in at most 4 rounds."
        )
        expect(page.locator("#where")).to_have_text("Round 1 of at most 4")
        expect(page.locator("#scrubber button")).to_have_count(4)
        expect(page.locator("#final")).to_contain_text("shows the next, or the result")
        button(page, 12, True).click()
        expect(page.locator("#where")).to_have_text("Round 2 of at most 4")
        expect(page.locator("#questions li")).to_have_count(1)  # though it has room for two
        button(page, 14, True).click()
        expect(page.locator("#questions li")).to_have_count(2)
        button(page, 13, True).click()
        button(page, 15, False).click()
        page.wait_for_selector("[data-ready=done]")
        expect(page.locator("#result")).to_contain_text("The price is 14.")
        expect(page.locator("#where")).to_have_text("Round 3 of 3")
        expect(page.locator("#scrubber button")).to_have_count(3)
        assert page.evaluate(RULES) == []
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/searches")
        expect(page.locator("#list")).to_contain_text("4 questions")


def test_a_search_that_stops_when_sure_says_how_sure_it_is(browser: Browser, site: Site) -> None:
    """Its page says that instead of how many rounds are left, which are hardly ever all needed."""
    chosen = Plan.of(small_member("0.8", confidence="0.8"), domain=Domain(10, 20, label="price"))
    site.polls.create("sure", chosen, terms=Terms())
    with looking(browser, site, "/searches/sure") as (_, page):
        words = "{} % sure so far which region holds the number; sure enough at 90 %."
        expect(page.locator("#progress")).to_have_text(words.format(50))
        expect(page.locator("#where")).to_have_text("Round 1")
        button(page, 15, True).click()
        expect(page.locator("#where")).to_have_text("Round 2")
        expect(page.locator("#progress")).to_have_text(words.format(80))
        button(page, 15, False).click()
        expect(page.locator("#where")).to_have_text("Round 3")
        expect(page.locator("#progress")).to_have_text(words.format(50))
        assert page.evaluate(RULES) == []
