"""Measure the pages in a browser: weight and painting of the first view, a moved slider."""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Figure
from fastapi.responses import HTMLResponse

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.browsers import browsing, chromium, listening, visitor

from feint.server import planner
from feint.server.shapes import NewProblem

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_TURNS = 20
_PAINT = """() => new Promise((done) => {
    const held = performance.getEntriesByName("first-paint");
    if (held.length) return done(held[0].startTime);
    new PerformanceObserver((list) => done(list.getEntries()[0].startTime))
        .observe({ type: "paint", buffered: true });
})"""


def pages() -> list[Figure]:
    """Time the first view of a cold server, and the planner, each beside a bare page."""
    if chromium() is None:
        return []
    with listening() as site, browsing() as browser:
        site.app.add_api_route("/blank", _blank)
        asked, size = _weight(browser, site.url)
        first, blank = _painted(browser, site.url)
        moved = _moved(browser, site)
    note = f"{asked} requests; painted after {first:.0f} ms, a blank page after {blank:.0f} ms"
    return [
        Figure("first view, kB / 150", size / 150_000, 1, f"{size / 1000:.0f} kB, {note}"),
        Figure("first view, requests / 12", asked / 12, 1),
        Figure("first paint after a blank page's, ms / 150", (first - blank) / 150, 1),
        Figure("a moved slider beyond the plan's own time, ms / 100", moved / 100, 1),
    ]


def _blank() -> HTMLResponse:
    icon = '<link rel="icon" href="/static/0/mark.svg">'
    return HTMLResponse(f"<!doctype html><title>blank</title>{icon}<p>.")


def _weight(browser: Browser, url: str) -> tuple[int, int]:
    """Return the requests and the bytes of the first view."""
    with visitor(browser, url) as guest:
        page = guest.open("/")
        page.wait_for_selector(".verdict:not(:empty)")
        return len(guest.got), sum(len(each.body()) for each in guest.got)


def _painted(browser: Browser, url: str) -> tuple[float, float]:
    """Return when the first view and a blank page are painted, in ms: medians, in turns."""
    rows: dict[str, list[float]] = {"/": [], "/blank": []}
    for _ in range(_TURNS):
        for path, row in rows.items():
            with visitor(browser, url) as guest:
                row.append(float(guest.open(path).evaluate(_PAINT)))
    return statistics.median(rows["/"]), statistics.median(rows["/blank"])


def _moved(browser: Browser, site: Any) -> float:
    """Return the time from a moved slider to the new number, less the plan's own time, in ms."""
    rest = []
    with visitor(browser, site.url, token=site.owner) as owner:
        page = owner.open("/plan?level=2")
        page.wait_for_selector("[data-ready=planned]")
        for level in range(3, 10):
            new = NewProblem(low=20, high=100, epsilon="0.5", delta=8, level=level)
            planner.planned(new.model_copy(update={"labels": ["other"]}))  # load what it loads
            start = time.perf_counter()
            planner.planned(new.model_copy(update={"labels": [f"own {level}"]}))
            own = time.perf_counter() - start
            rest.append(_slide(page, level) - 1000 * own)
    return statistics.median(rest)


def _slide(page: Page, level: int) -> float:
    took: float = page.evaluate(
        """(level) => new Promise((done) => {
            const slider = document.getElementById("level-slide");
            const start = performance.now();
            new MutationObserver((_, watch) => {
                if (document.getElementById("cost").getAttribute("aria-busy") !== "false") return;
                watch.disconnect();
                done(performance.now() - start);
            }).observe(document.getElementById("cost"), { attributes: true });
            slider.value = level;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        })""",
        level,
    )
    return took
