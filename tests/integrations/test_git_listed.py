"""What a CI shows of a round: nothing in it depends on verdicts, given which commits are asked for.

Every bisection has the same coins here. Runs that ask for the same commits so far must have been
listed alike, whatever the verdicts were: in order, number and form.
"""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.repositories import linear

from feint.cli.bisect_rounds import list_round
from feint.integrations.git import Exposed, History, Session, Verdict, planned
from feint.search import coins

COMMITS = 14
CASES: dict[str, tuple[dict[str, Any], tuple[float, float], tuple[int, ...]]] = {
    "always right": ({"delta": 2}, (0, 1), ()),
    "some cannot be checked": ({"delta": 1, "spare": "0.2"}, (0, 1), (6, 7)),
    "a bad one passes": ({"delta": 1, "fails_at_least": "0.5"}, (0, 0.6), ()),
    "two rates": ({"delta": 1, "good_fails": "0.1", "bad_fails": "0.8"}, (0.1, 0.8), ()),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", ["inputs", "gitlab"])
def test_a_listing_depends_on_the_commits_alone(
    name: str,
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wanted, rates, broken = CASES[name]
    monkeypatch.setattr(coins, "fresh_key", lambda: bytes(32))
    folder, random = linear(tmp_path / "repository", COMMITS), Random(1)
    history = History.of(folder, good="start", bad="main")
    effort = planned(COMMITS, level=2, **wanted)
    shown = dict[tuple[tuple[str, ...], ...], str]()
    repeated = 0
    for first in range(1, COMMITS + 1):
        if first in broken:
            continue
        session, past = Session.begin(history, effort, verified=True), tuple[tuple[str, ...], ...]()
        try:
            while tests := session.wanted():
                list_round(session, form, in_clear=True)
                listing = capsys.readouterr().out
                past += (tuple(sorted(session.history.at(each.commit) for each in tests)),)
                repeated += past in shown
                assert shown.setdefault(past, listing) == listing
                random.shuffle(tests)  # the order in which jobs end makes no difference either
                for test in tests:
                    fails = random.random() < rates[test.commit >= first]
                    verdict: Verdict = "bad" if fails else "good"
                    if test.commit in broken:
                        verdict = "skip"
                    if test.commit in (0, COMMITS):  # the ends are as they were named
                        verdict = "bad" if test.commit else "good"
                    if session.left(test):
                        session.tell(test, verdict)
        except Exposed:
            past += (("stopped",),)
        session.clean()
        del session
    assert repeated > COMMITS // 2
