"""The planner keeps its panels together, says what is wrong where it is, and asks in our words."""

import json
import re
from functools import partial

from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browsers import PHONE, RULES, Site, visitor

QUESTION = "Would you buy this at €{value}?"
WEIGHT = """["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, each) => sum + each.decodedBodySize, 0)"""
PANELS = ("cost", "overheard", "trading", "comparing")


def stale(page: Page) -> set[str]:
    """The panels that are dimmed."""
    return {each for each in PANELS if page.locator(f"#{each}.stale").count()}


def hold(held: dict[str, Route], name: str, route: Route) -> None:
    """Hold a request up, under a name."""
    held[name] = route


def caught(page: Page, held: dict[str, Route], name: str) -> Route:
    """A request that is held up, once it has come."""
    while name not in held:
        page.evaluate("0")  # which lets the browser tell of it
    return held.pop(name)


def test_panels_of_an_earlier_problem_are_dimmed_until_they_are_of_this_one(
    browser: Browser, site: Site
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?epsilon=4&delta=16&level=3")
        page.wait_for_selector("[data-ready=planned]")
        expect(page.locator(".stale")).to_have_count(0)
        held: dict[str, Route] = {}
        for name in ("", "/methods", "/example", "/frontier"):
            owner.context.route(f"**/api/plan{name}", partial(hold, held, name))
        page.fill("#level", "2")
        first = caught(page, held, "")
        assert stale(page) == set(PANELS)
        expect(page.locator("#begin")).to_be_disabled()
        first.continue_()
        expect(page.locator("#cost")).not_to_have_class(re.compile("stale"))
        expect(page.locator("#sentence")).to_contain_text("at most 1 time in 2.")
        assert stale(page) == {"overheard", "trading", "comparing"}
        caught(page, held, "/methods").continue_()
        expect(page.locator("#comparing")).not_to_have_class(re.compile("stale"))
        assert stale(page) == {"overheard", "trading"}
        caught(page, held, "/frontier").fulfill(json={"ok": False, "error": {}, "mends": []})
        expect(page.locator("#trading")).to_be_hidden()  # not one of another problem
        caught(page, held, "/example").continue_()
        expect(page.locator(".stale")).to_have_count(0)


def test_the_deal_and_the_example_say_what_they_are(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?epsilon=4&delta=16&level=3&measure=%E2%82%AC")
        page.wait_for_selector("[data-ready=planned]")
        expect(page.locator("#sentence")).to_contain_text(
            "You learn the price to within ±€2; a watcher gets within ±€8 at most 1 time in 3."
        )
        expect(page.locator("#caption")).to_contain_text("In this example she is left with")
        expect(page.locator("#caption")).to_contain_text("her best guess misses")
        expect(page.locator("#epsilon-half")).to_have_text("within ±2 €")
        expect(page.locator("#overheard .legend")).to_contain_text("her best guess")
        expect(page.locator(".foot")).to_contain_text("“She” is the watcher")


def test_an_error_stands_beside_its_field_and_goes_with_it(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?epsilon=4&delta=16&level=3")
        page.wait_for_selector("[data-ready=planned]")
        page.fill("#low", "abc")
        expect(page.locator("#low-error")).to_have_text("From must be a finite number.")
        expect(page.locator("#low")).to_have_attribute("aria-invalid", "true")
        assert page.evaluate(RULES) == []
        page.fill("#low", "20")
        page.wait_for_selector("[data-ready=planned]")
        expect(page.locator(".error")).to_have_count(0)
        page.fill("#max_rounds", "x")
        expect(page.locator("#max_rounds-error")).to_contain_text("whole number from 1 to 9999")


def test_on_a_phone_the_result_stays_in_view(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner, size=PHONE) as owner:
        page = owner.open("/plan?epsilon=4&delta=16&level=3")
        page.wait_for_selector("[data-ready=planned]")
        expect(page.locator("#glance")).to_contain_text(re.compile(r"\d+ questions · \d rounds"))
        box = page.locator("#glance").bounding_box()
        assert box is not None
        assert 0 < box["y"] < PHONE[1] - box["height"]
        page.locator("#glance").click()
        expect(page.locator("#cost")).to_be_in_viewport()


def test_under_noise_the_page_says_why_a_question_goes_to_one_respondent(
    browser: Browser, site: Site
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?epsilon=4&delta=20&level=2")
        page.wait_for_selector("[data-ready=planned]")
        expect(page.locator("#who-why")).to_be_hidden()
        page.select_option("#noise", "some")
        expect(page.locator("#who-why")).to_contain_text("every question goes to one respondent")


def test_from_words_of_the_owners_to_a_respondents_page(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        owner.forgiven = "422"
        page = owner.open("/plan?epsilon=10&delta=30&level=2")
        page.wait_for_selector("[data-ready=planned]")
        page.fill("#name", "a loaf")
        page.select_option("#who", "1")
        page.get_by_text("How people are asked").click()
        page.fill("#question", "Would you buy it?")
        page.get_by_role("button", name="Start the search").click()
        expect(page.locator("#question-error")).to_contain_text("Must have {value} once")
        page.fill("#question", QUESTION)
        expect(page.locator("#preview")).to_contain_text("“Would you buy this at €60?” Yes means:")
        page.fill("#asker", "Ada’s bakery")
        page.fill("#introduction", "We plan a loaf.\nIt takes a minute.")
        page.get_by_role("button", name="Start the search").click()
        page.wait_for_selector("[data-ready=open]")
        expect(page.locator("#meaning")).to_contain_text("the price is at least the value")
        expect(page.locator("#deal")).to_contain_text("a watcher gets within ±15 at most 1 time")
        expect(page.locator("#questions")).to_contain_text("Would you buy this at €")
        page.get_by_role("button", name="Make a link").click()
        expect(page.locator("#linked")).to_contain_text("works only on this computer")
        link = page.locator("#link").inner_text()
        sent = [json.loads(b) for m, u, b in owner.asked if m == "POST" and u.endswith("/searches")]
        assert sent[-1]["problem"]["questions"] == [QUESTION]
    with visitor(browser, site.url, size=PHONE) as person:
        page = person.open(link.removeprefix(site.url))
        page.wait_for_selector(".choice")
        assert re.fullmatch(
            r"Would you buy this at\s+€\d+\?", page.locator("h1").inner_text().strip()
        )
        expect(page.locator(".head")).to_contain_text("Ada’s bakery asks · 1 of")
        expect(page.locator(".told")).to_have_text("We plan a loaf.\nIt takes a minute.")
        assert page.evaluate(RULES) == []
        weight = page.evaluate(WEIGHT)
        assert 1000 < weight < 30_000


def test_help_and_what_is_not_there_obey_the_rules(browser: Browser, site: Site) -> None:
    for scheme in ("light", "dark"):
        with visitor(browser, site.url, size=PHONE, scheme=scheme) as guest:
            guest.forgiven = "404"
            page = guest.open("/help#delta")
            assert page.evaluate(RULES) == []
            page.goto(f"{site.url}/nothing")
            expect(page.locator("h1")).to_have_text("There is no such page")
            assert page.evaluate(RULES) == []
