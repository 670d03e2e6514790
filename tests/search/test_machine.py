"""Any sequence of asking, telling, mistaking, saving, loading and being killed loses nothing."""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.support.examples import examples
from tests.support.saved import told

from feint import Domain, Problem, Query, Search
from feint.errors import AnswerFixed, InvalidValue, NotDone, SearchDone, UnknownQuery
from feint.planning import Plan, plan
from feint.search import create, load

WHOLE = Domain(1, 40, step=1, label="tick")
PLANS = (
    plan(Problem("1/25", "2/25", 7)),
    plan(WHOLE.problem(delta=3, level=4), domain=WHOLE),
    plan(Problem("1/16", "1/8", 4, dim=2)),
    plan(Problem("1/32", "1/8", 3, setting="deterministic")),
)


class SearchMachine(RuleBasedStateMachine):
    """The model: every query ever shown, and the last acknowledged answer to each."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "search.jsonl"
        self.shown: dict[str, Query] = {}
        self.told: dict[str, bool] = {}

    @initialize(chosen=st.sampled_from(PLANS), yes_means=st.sampled_from(["at least", "below"]))
    def begin(self, chosen: Plan, yes_means: Any) -> None:
        self.plan = chosen
        self.search = create(self.path, chosen, yes_means=yes_means)
        self.size = self.path.stat().st_size

    def teardown(self) -> None:
        self.folder.cleanup()

    @property
    def current(self) -> list[Query]:
        return [each for each in self.shown.values() if each.round == self.search.round]

    @rule()
    def ask(self) -> None:
        if self.search.done:
            with pytest.raises(SearchDone):
                self.search.ask()
            return
        fresh = all(each.id in self.told for each in self.current)
        queries = self.search.ask()
        for query in queries:
            assert query.id not in self.told
            assert self.shown.setdefault(query.id, query) == query
        if not fresh:
            left = [each for each in self.current if each.id not in self.told]
            assert list(queries) == left
        assert self.search.ask() == queries

    @precondition(lambda self: self.shown)
    @rule(data=st.data(), answer=st.booleans())
    def tell(self, data: Any, answer: bool) -> None:
        self._tell(data.draw(st.sampled_from(sorted(self.shown))), answer)

    @precondition(lambda self: self.shown)
    @rule(answers=st.lists(st.booleans(), min_size=1, max_size=40))
    def tell_the_whole_round(self, answers: list[bool]) -> None:
        for index, query in enumerate(self.current):
            self._tell(query.id, answers[index % len(answers)])

    def _tell(self, id: str, answer: bool) -> None:
        if self._final(id) and self.told[id] is not answer:
            with pytest.raises(AnswerFixed):
                self.search.tell(id, answer)
        else:
            self.search.tell(id, answer)
            self.told[id] = answer
            if self.search.done:  # amid a round that is told whole, where no invariant reads it
                _ = self.search.result

    def _final(self, id: str) -> bool:
        """Whether an answer can change no more; the invariant reads the result at the end."""
        return self.shown[id].round < self.search.round or self.search.done

    @precondition(lambda self: self.shown)
    @rule(data=st.data())
    def take_back(self, data: Any) -> None:
        id = data.draw(st.sampled_from(sorted(self.shown)))
        if self._final(id):
            with pytest.raises(AnswerFixed):
                self.search.take_back(id)
        else:
            self.search.take_back(id)
            self.told.pop(id, None)

    @rule(id=st.one_of(st.text(max_size=6), st.from_regex(r"q\d{1,2}\.\d{1,2}", fullmatch=True)))
    def tell_a_wrong_id(self, id: str) -> None:
        if id not in self.shown:
            with pytest.raises(UnknownQuery):
                self.search.tell(id, True)

    @rule(answer=st.sampled_from([None, 1, 0, "yes", "", 0.5]))
    def tell_no_answer(self, answer: Any) -> None:
        with pytest.raises(InvalidValue, match="True or False"):
            self.search.tell(next(iter(self.shown), "q0.0"), answer)

    @rule()
    def save_and_load(self) -> None:
        """A copy by JSON is the same search."""
        text = self.search.to_json()
        copy = Search.from_json(text)
        assert copy.to_json() == text
        assert copy.done or self.search.round < 0 or copy.ask() == Search.from_json(text).ask()

    @precondition(lambda self: not self.search.done)
    @rule(data=st.data(), answer=st.booleans(), then=st.sampled_from(["again", "other", "die"]))
    def interrupt_after_the_record(self, data: Any, answer: bool, then: str) -> None:
        """A change reaches the disk, and Ctrl-C comes before the search knows of it."""
        real = self.search._record
        assert real

        def record(event: Any, keep: Any = real) -> None:
            keep(event)
            raise KeyboardInterrupt

        self.search._record = record
        open_ = [each.id for each in self.current if each.id not in self.told]
        try:
            if not open_:
                with pytest.raises(KeyboardInterrupt):
                    self.search.ask()
            else:
                id = data.draw(st.sampled_from(open_))
                with pytest.raises(KeyboardInterrupt):
                    self.search.tell(id, answer)
        finally:
            self.search._record = real
        if then != "die":
            if open_:
                self._tell(id, answer == (then == "again"))
            elif then == "other" and self.current:
                self._tell(self.current[0].id, not self.told[self.current[0].id])
            else:
                self.ask()
            return
        del self.search, real, record
        self.search = load(self.path)
        if open_:
            self.told[id] = answer
        else:
            self.shown |= {each.id: each for each in self.search.current}

    @rule(torn=st.integers(0, 60))
    def kill(self, torn: int) -> None:
        """The process dies, perhaps while it writes the line of the next round; another goes on."""
        before, next_ = self.search.to_json(), self.search.round + 2  # the header is a line too
        del self.search
        lines = self.path.read_bytes().split(b"\n")
        if next_ < len(lines) - 1:
            torn = min(torn, lines[next_].index(b'","told"') - 1)  # its check is not whole
            lines[next_] = lines[next_][:torn].replace(b"-", b"7") + lines[next_][torn:]
            self.path.write_bytes(b"\n".join(lines))
        self.search = load(self.path)
        assert self.search.to_json() == before
        assert os.stat(self.path).st_mode & 0o077 == 0

    @invariant()
    def nothing_is_lost(self) -> None:
        if not hasattr(self, "search"):
            return
        assert told(self.search.to_json()) == self.told
        assert told(self.path) == self.told
        assert self.path.stat().st_size == self.size
        assert self.search.answered == len(self.told)
        assert self.search.transcript.points.shape == (1, len(self.shown))
        if self.search.done:
            assert self.search.result.queries == self.plan.queries == len(self.told)
        else:
            with pytest.raises(NotDone):
                _ = self.search.result


TestSearchMachine = SearchMachine.TestCase
TestSearchMachine.settings = settings(examples(45), stateful_step_count=30)
