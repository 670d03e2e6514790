"""Simulate respondents who vote as fast as they can while servers are killed."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction

from feint import Domain, Plan, Problem, Search, plan
from feint.errors import FeintError, NotOpen, Unavailable
from feint.journal.polls import Polls
from feint.search import finish
from feint.server.client import Respondent
from feint.simulate.oracles import Hidden

PLAN = plan(Problem("2^-20", "2^-8", 15), domain=Domain(0, 1000, label="price"))
NUMBER = Fraction(54_321, 100)
NAME = "killed"


class Load:
    """Respondents who vote truthfully, as fast as they can, until the poll is done."""

    def __init__(
        self, urls: list[str], tokens: list[str], *, number: Fraction | int = NUMBER
    ) -> None:
        self._number = number
        self.acknowledged: list[dict[str, bool]] = [{} for _ in tokens]
        self.shown: dict[str, str] = {}
        self.changed: list[str] = []
        self.errors: list[FeintError] = []
        self.moved = threading.Semaphore(0)
        self.threads = [
            threading.Thread(target=self._run, args=(urls[n % len(urls)], token, n), daemon=True)
            for n, token in enumerate(tokens)
        ]

    @property
    def voted(self) -> int:
        """How many votes were acknowledged so far.

        By lengths: to go through a dict that another thread adds to fails now and then.
        """
        return sum(map(len, self.acknowledged))

    def _run(self, url: str, token: str, number: int) -> None:
        try:
            with Respondent(url, token, timeout=60) as respondent:
                self._vote(respondent, self.acknowledged[number])
        except FeintError as error:
            self.errors.append(error)
        finally:
            self.moved.release()

    def _vote(self, respondent: Respondent, acknowledged: dict[str, bool]) -> None:
        while True:
            try:
                sheet = respondent.sheet()
                for ballot in sheet["ballots"]:
                    if self.shown.setdefault(ballot["id"], ballot["text"]) != ballot["text"]:
                        self.changed.append(ballot["id"])
                    if ballot["vote"] is None:
                        yes = Fraction(ballot["value"]) <= self._number
                        respondent.vote(ballot["id"], yes)
                        acknowledged[ballot["id"]] = yes
                        self.moved.release()
                if sheet["standing"] == "done":
                    return
            except (Unavailable, NotOpen):
                continue


def checked(polls: Polls, load: Load, people: list[tuple[str, str]], *, plan: Plan = PLAN) -> None:
    """Check that nothing is lost or doubled, and that questions and results are the same."""
    number, domain = load._number, replace(plan.domain, label="price")
    undisturbed = finish(Search(plan, key=bytes(32), domains=[domain]), Hidden(number))
    assert load.changed == []
    with polls._store.reading(NAME) as held:
        votes = held.rows("vote")
        told = [event["tell"] for event in held.events() if "tell" in event]
        rounds = [event["round"] for event in held.events() if "ask" in event]
        texts = {row["id"]: row["text"] for row in held.rows("question").values()}
    for (person, _), acknowledged in zip(people, load.acknowledged, strict=True):
        for id, yes in acknowledged.items():
            round_, column = map(int, id[1:].split("."))
            assert votes[f"{round_:06}.{column:06}/{person}"]["yes"] is yes
    assert len(told) == len(set(told)) == undisturbed.queries
    assert rounds == sorted(set(rounds))
    assert load.shown.items() <= texts.items()
    assert polls.result(NAME) == undisturbed
