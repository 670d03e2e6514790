"""Every view in a real browser: rules, the attack, the planner, what scripts of ours draw."""

import itertools
import json
import re
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.support.browsers import DESKTOP, PHONE, RULES, Site, visitor
from tests.support.codes import read

from feint import Domain, plan
from feint.errors import SearchDone
from feint.journal.polls import Terms

PRICES = Domain(20, 100, label="price")
PLAN = plan(PRICES.problem(epsilon=5, delta=10, level=3), domain=PRICES)
NOTHING = {"ok": True, "found": []}
EVERY_LOOK = list(itertools.product(("light", "dark"), (DESKTOP, PHONE)))
VIEWS = {
    "/attack": "[data-ready] .verdict:not(:empty)",
    "/plan": "[data-ready=planned]",
    "/plan?delta=30": "[data-ready=impossible]",
    "/audit": "[data-ready=tight]",
    "/searches": "[data-ready]",
    "/searches/open": "[data-ready=open]",
    "/searches/polled": "[data-ready=open]",
    "/searches/done": "[data-ready=done]",
    "/searches/two": "[data-ready=open]",
    "/reference": "#pages section",
    "/answer": "form",
}


def populate(site: Site) -> str:
    """A search of every standing; the token of a respondent."""
    for name, terms in (("open", Terms()), ("polled", Terms(quorum=3)), ("done", Terms())):
        site.polls.delete(name)
        site.polls.create(name, PLAN, terms=terms, domains=(PRICES,))
    pair = plan(PRICES.problem(epsilon=10, delta=40, level=2, dim=2), domain=PRICES)
    site.polls.delete("two")
    site.polls.create("two", pair, terms=Terms())
    while True:
        try:
            queries = site.polls.open("done")
        except SearchDone:
            break
        for query in queries:
            site.polls.answer("done", query.id, query.value <= Fraction(143, 2))
    return site.polls.invite("polled")[1]


def check_looks(
    browser: Browser,
    site: Site,
    looks: list[tuple[str, tuple[int, int]]],
    views: Iterable[str] = VIEWS,
) -> None:
    respondent = populate(site)
    for scheme, size in looks:
        with visitor(browser, site.url, token=site.owner, size=size, scheme=scheme) as owner:
            page = owner.open("/searches")
            for path in views:
                page.goto(site.url + path)
                page.wait_for_selector(VIEWS[path])
                assert page.evaluate(RULES) == [], (path, scheme, size)
        with visitor(browser, site.url, token=respondent, size=size, scheme=scheme) as person:
            page = person.open("/answer")
            page.wait_for_selector(".choice")
            assert page.evaluate(RULES) == [], (scheme, size)


def test_the_planner_and_a_respondents_page_obey_the_rules_on_a_phone(
    browser: Browser, site: Site
) -> None:
    check_looks(browser, site, [("dark", PHONE)], ["/plan"])


@pytest.mark.long
def test_every_view_obeys_the_rules_on_a_phone_at_night(browser: Browser, site: Site) -> None:
    check_looks(browser, site, [("dark", PHONE)])


@pytest.mark.slow
def test_every_view_obeys_the_rules_in_every_look(browser: Browser, site: Site) -> None:
    check_looks(browser, site, EVERY_LOOK)


def test_the_attack_plays_and_says_who_was_caught(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url) as guest:
        page = guest.open("/")
        page.wait_for_selector(".verdict:not(:empty)")
        said = {
            each.get_attribute("data-method"): each.inner_text()
            for each in page.query_selector_all("#columns article")
        }
        assert "8 questions\nShe knows." in said["bisection"].replace("\n\n", "\n")
        assert "159 questions" in said["grid"]
        for method in ("grid", "paper", "tight"):
            assert "She does not. Her odds: 1 in 8." in said[str(method)]
        with page.expect_response("**/api/attack"):
            page.locator("#number").press("ArrowRight")
        expect(page.locator("#hidden")).to_have_text("74.25")
        page.get_by_role("link", name="Plan your own").click()
        page.wait_for_url("**/plan")
        expect(page.locator("#away")).to_be_visible()
        assert not any("/api/plan" in url for _, url, _ in guest.asked)  # a guest may not plan


@pytest.mark.slow
def test_with_motion_the_attack_goes_round_by_round(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, motion="no-preference") as guest:
        page = guest.open("/attack")
        counted = page.locator("[data-method=bisection] strong")
        expect(counted).to_have_text("1")
        assert page.locator("[data-method=bisection] .verdict").inner_text() == ""
        expect(counted).to_have_text("3")


def planned(page: Page) -> int:
    """How many questions the planner shows."""
    page.wait_for_selector("#cost[aria-busy=false]")
    return int(page.locator("#queries").inner_text().replace(",", ""))


def test_an_impossible_plan_explains_itself_and_one_click_mends_it(
    browser: Browser, site: Site
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan")
        page.wait_for_selector("[data-ready=planned]")
        first = plan(PRICES.problem(epsilon="0.5", delta=8, level=6), domain=PRICES)
        assert planned(page) == first.queries == 31
        page.fill("#delta", "30")
        page.wait_for_selector("#cost.impossible")
        assert "must be at most" in page.locator("#sentence").inner_text()
        page.get_by_role("button", name="1 in 2 works").click()
        page.wait_for_selector("#cost:not(.impossible)")
        assert page.input_value("#level") == "2"
        assert planned(page) > 0


def test_a_plan_is_shared_by_its_address_and_rounds_are_set_by_keys(
    browser: Browser, site: Site
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?low=0&high=10&epsilon=0.1&delta=1&level=5&label=dose")
        page.wait_for_selector("#curve svg")
        page.wait_for_selector("[data-ready=planned]")
        before = planned(page)
        assert page.input_value("#label") == "dose"
        page.locator("#curve svg").press("ArrowLeft")
        expect(page.locator("#queries")).not_to_have_text(str(before))
        page.wait_for_selector("[data-ready=planned]")
        again = owner.open(page.url[len(site.url) :])
        again.wait_for_selector("[data-ready=planned]")
        assert planned(again) == planned(page) > before
        assert "token" not in page.url


@pytest.mark.long
def test_a_belief_is_drawn_by_mouse_and_keys_and_shared(
    browser: Browser, site: Site, tmp_path: Path
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?epsilon=5&delta=10&level=2")
        page.wait_for_selector("[data-ready=planned]")
        page.select_option("#belief", "drawn")
        bars = page.locator("#sketch svg")
        expect(bars).to_be_visible()
        before = page.input_value("#drawn").split()
        box = bars.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=40)
        page.mouse.up()
        drawn = page.input_value("#drawn").split()
        assert len(drawn) == len(before) == 24
        assert set(drawn) == {"10"}
        bars.press("ArrowUp")
        assert page.input_value("#drawn").split()[-1] == "11"
        expect(page).to_have_url(re.compile("drawn=10.*11&"))
        sent = [json.loads(b) for _, url, b in owner.asked if url.endswith("/api/plan")]
        assert sent[-1]["prior"] == [10] * 23 + [11]
        page.select_option("#belief", "file")  # which is in no address: nothing else is planned
        expect(page.locator("#sentence")).to_have_text(
            "Choose the file that says what you believe."
        )
        table = "\n".join(f"{value},{1 + value % 3}" for value in range(25, 100, 10))
        (tmp_path / "sold.csv").write_text(table)
        page.set_input_files("#csv", tmp_path / "sold.csv")
        page.wait_for_selector("#cost:not(.impossible)")
        page.get_by_role("link", name="Audit it").click()
        page.wait_for_selector("[data-ready=tight]")
        audited = [json.loads(b) for _, url, b in owner.asked if url.endswith("/api/audit")]
        assert audited[-1]["prior"] == {"csv": table}


@pytest.mark.long
def test_stale_plans_are_dropped_and_the_last_one_counts(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan")
        page.wait_for_selector("[data-ready=planned]")
        page.evaluate(
            """() => {
                const slider = document.getElementById("level-slide");
                for (let level = 2; level <= 9; level++) {
                    slider.value = level;
                    slider.dispatchEvent(new Event("input", { bubbles: true }));
                }
            }"""
        )
        expect(page.locator("#sentence")).to_contain_text("1 time in 9")
        expect(page.locator("#optimality")).to_contain_text(re.compile("At most .*no plan"))
        assert page.input_value("#level") == "9"
        bodies = [json.loads(b) for _, url, b in owner.asked if url.endswith("/api/plan")]
        assert bodies[-1]["level"] == "9"
        # Only what came last is followed by the pictures that belong to a plan.
        drawn = [json.loads(b) for _, url, b in owner.asked if url.endswith("/methods")]
        assert [each["level"] for each in drawn] == ["6", "9"]


def test_the_planner_is_calm_until_there_is_a_plan(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        waiting: list[Route] = []
        owner.context.route("**/api/plan", lambda route: waiting.append(route))
        for more in ("methods", "frontier"):  # which take their time, and are not what is tested
            owner.context.route(f"**/api/plan/{more}", lambda route: route.fulfill(json=NOTHING))
        page = owner.open("/reference")
        with page.expect_request("**/api/plan"):
            page.goto(f"{site.url}/plan")
        expect(page.locator("#begin")).to_be_disabled()
        expect(page.locator("#go")).to_be_hidden()
        expect(page.locator("#queries")).to_be_hidden()
        waiting.pop().continue_()
        owner.context.unroute("**/api/plan")
        page.wait_for_selector("[data-ready=planned]")
        expect(page.locator("#begin")).to_be_enabled()
        page.select_option("#belief", "bump")  # with the page's own first values
        page.wait_for_selector("#cost[aria-busy=false]:not(.impossible)")
        page.fill("#low", "0")
        page.fill("#high", "10")
        page.fill("#delta", "1")
        page.select_option("#belief", "flat")
        page.select_option("#belief", "bump")  # and in another range
        page.wait_for_selector("#cost[aria-busy=false]:not(.impossible)")
        assert page.input_value("#mean") == "5"


def test_whoever_may_not_plan_sees_that_and_what_was_shared(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url) as guest:
        page = guest.open("/plan?low=0&high=10&label=dose")
        expect(page.locator("#away")).to_be_visible()
        assert page.input_value("#label") == "dose"
        for hidden in ("#mean", "#csv", "#p", "#unit", "#begin"):
            expect(page.locator(hidden)).to_be_hidden()
        expect(page.locator("#level-slide")).to_be_disabled()
        assert page.evaluate(RULES) == []


def test_a_search_that_is_not_there_is_said_so_and_not_asked_for_again(
    browser: Browser, site: Site
) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/searches/none")
        expect(page.locator("#trouble")).to_be_visible()
        assert not any(url.endswith("/watch") for _, url, _ in owner.asked)
        owner.forgiven = "404"


def test_an_audit_shows_the_leak_of_bisection_as_steps(browser: Browser, site: Site) -> None:
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/audit")
        page.wait_for_selector("[data-ready=tight]")
        assert "It holds." in page.locator("#verdict").inner_text()
        assert page.locator("#leak").is_hidden()
        page.select_option("#method", "bisection")
        page.wait_for_selector("[data-ready=bisection]")
        assert "It leaks." in page.locator("#verdict").inner_text()
        assert page.locator("#story li").count() == 3


def test_a_code_is_read_back(browser: Browser, site: Site) -> None:
    """A text for every version from 1 to 10 but the second and third, as long as it holds."""
    with visitor(browser, site.url) as guest:
        page = guest.open("/attack")
        folder = page.locator("script[type=module]").get_attribute("src") or ""
        for length in (1, 17, 78, 106, 134, 154, 192, 230, 271):
            text = "".join(chr(33 + place * 7 % 90) for place in range(length))
            made: Any = page.evaluate(
                "async ([path, text]) => (await import(path)).qr(text)",
                [folder.replace("attack.js", "qr.js"), text],
            )
            assert read(made) == text
