"""Live searches of different lengths: they end when they are done, and nothing else shows it."""

import asyncio
import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import saved
from tests.support.ladder import Ladder
from tests.support.price import KEY
from tests.support.uneven import Forked

from feint import Domain, Plan, Problem, Search
from feint.errors import AnswerFixed, BadState, NotDone, SearchDone, UnknownQuery
from feint.interfaces import UNASKED
from feint.search import create, export_round, finish, import_answers, load
from feint.search.rounds import line
from feint.simulate import play

SIXTEEN = Domain(0, 15, step=1)
PLAN = Plan.of(Forked(), domain=SIXTEEN)
CLIMB = Plan.of(Ladder(Problem("1/8", "1/4", 2, values=8), 8), domain=Domain(0, 7, step=1))


def answer(search: Search, number: int, questions: int = 100) -> list[Fraction]:
    """Answer at most so many questions; where they were put."""
    asked = list[Fraction]()
    while not search.done and len(asked) < questions:
        query = search.ask()[0]
        asked.append(query.value)
        search.tell(query.id, number >= query.value)
    return asked


@pytest.mark.parametrize("number", range(16))
def test_a_search_ends_when_it_is_done(number: int) -> None:
    search = Search(PLAN, key=KEY)
    asked = answer(search, number)
    result = search.result
    assert result.x == number
    assert (result.queries, result.rounds) == ((7, 4) if number < 12 else (4, 3))
    assert len(asked) == len(search.history) == search.answered == result.queries
    assert f"It took {result.queries} questions in {result.rounds} rounds" in str(result)
    with pytest.raises(SearchDone):
        search.ask()
    assert (search.left, search.open) == (0, 0)
    assert repr(search) == f"<Search own: {len(asked)} of {len(asked)} questions answered>"


def test_what_is_left_out_is_never_shown() -> None:
    """Right of the cut the second round asks one question, though it has room for two."""
    search = Search(PLAN, key=KEY)
    assert repr(search) == "<Search own: 0 of at most 7 questions answered>"
    assert search.left == 7
    answer(search, 14, 1)
    (query,) = search.ask()
    assert search.current == (query,)
    assert (query.id, query.shown, search.open) == ("q1.0", "14", 1)
    assert search.left == 5  # one here, and two in each of two later rounds
    with pytest.raises(NotDone, match="at most 5 questions without an answer"):
        search.result  # noqa: B018
    for call in (search.query, search.told, lambda id: search.tell(id, True)):
        with pytest.raises(UnknownQuery, match="leaves this query out"):
            call("q1.1")
    sheet = io.StringIO()
    assert export_round(search, sheet) == 1
    assert [row.split(",")[0] for row in sheet.getvalue().splitlines()] == ["id", "q1.0"]


def test_a_column_that_is_left_out_in_the_middle_keeps_the_names_of_the_others() -> None:
    """Names follow from the plan alone, so that which were left out shows, and nothing more."""
    from feint.interfaces import Round
    from feint.strategies import Scalar

    rounds = (Round("ask", (0, 0, 0)),)
    inner = Scalar(Problem("1/4", "1/2", 2), 8, rounds, lambda *_: (2, UNASKED, 6))
    search = Search(Plan.of(inner))
    assert [each.id for each in search.ask()] == ["q0.0", "q0.2"]
    search.tell("q0.2", False)
    assert [each.id for each in search.ask()] == ["q0.0"]
    search.tell("q0.0", True)
    assert search.done
    assert (search.result.low, search.result.high) == (Fraction(1, 4), Fraction(3, 4))


@pytest.mark.parametrize("number", [3, 14])
def test_what_was_overheard_says_that_it_ended(number: int) -> None:
    """It is one of the transcripts that an enumeration or a simulation has."""
    search = Search(PLAN, key=KEY)
    answer(search, number)
    heard = search.transcript
    targets = np.full((64, 1), number)
    every = play(Forked(), targets, np.random.default_rng(0)).transcript
    assert heard.points[0].tolist() in every.points.tolist()
    assert (heard.rounds, heard.coordinates) == (every.rounds, every.coordinates)
    assert heard.lengths()[0].tolist() == [search.answered]


def test_an_answer_that_is_changed_may_make_it_go_on() -> None:
    search = Search(CLIMB, key=KEY)
    search.tell(search.ask()[0].id, True)
    last = search.ask()[0].id
    search.tell(last, False)
    assert search.done
    search.tell(last, True)
    assert not search.done
    assert search.ask()[0].id == "q2.0"
    search.tell("q2.0", False)
    assert search.result.x == 2
    with pytest.raises(AnswerFixed, match="the result was shown"):
        search.tell("q2.0", True)


def test_nothing_can_have_been_shown_after_the_end() -> None:
    search = Search(PLAN, key=KEY)
    answer(search, 14)
    for points in ([UNASKED, UNASKED], [3, 7]):
        with pytest.raises(BadState):
            Search.replayed(search.header(), [*search.events(), {"round": 3, "ask": points}])


@pytest.mark.parametrize("number", [3, 7, 13, 14])
@pytest.mark.parametrize("stop", range(8))
def test_a_search_is_saved_anywhere_and_goes_on(number: int, stop: int) -> None:
    whole = Search(PLAN, key=KEY)
    expected = answer(whole, number)
    begun = Search(PLAN, key=KEY)
    before = answer(begun, number, stop)
    again = Search.from_json(begun.to_json())
    assert before + answer(again, number) == expected
    assert again.result == whole.result
    assert again.to_json() == whole.to_json()


def test_a_file_has_one_length_from_the_beginning_whenever_it_ends(tmp_path: Path) -> None:
    sizes = set()
    for number in range(16):
        path = tmp_path / str(number)
        search = create(path, PLAN)
        while not search.done:
            sizes.add(path.stat().st_size)
            query = search.ask()[0]
            sizes.add(path.stat().st_size)
            search.tell(query.id, number >= query.value)
        sizes.add(path.stat().st_size)
        result = search.result
        asked = saved.asked(path)
        assert len(asked) == result.rounds
        del search
        assert load(path).result == result
    assert len(sizes) == 1


def test_equal_questions_leave_equal_bytes_but_for_answers(tmp_path: Path) -> None:
    """Two numbers, the same key and transcript: lines differ in slots of answers alone."""
    kept: dict[tuple[Any, ...], list[list[dict[str, str]]]] = {}
    for number in range(16):
        search = Search(PLAN, key=KEY)
        answer(search, number)
        heard = tuple(search.transcript.points[0].tolist())
        kept.setdefault(heard, []).append(search.kept())
    pairs = [each for each in kept.values() if len(each) > 1]
    assert len(pairs) >= 4
    for first, *others in pairs:
        for other in others:
            for mine, theirs in zip(first, other, strict=True):
                assert {**mine, "told": ""} == {**theirs, "told": ""}
                assert len(line(mine)) == len(line(theirs))


def test_find_and_its_progress_end_early() -> None:
    seen = list[tuple[int, int]]()
    search = Search(PLAN, key=KEY)
    result = finish(
        search, lambda x: x <= 14, progress=lambda _, done, all_: seen.append((done, all_))
    )
    assert result.x == 14
    assert [done for done, _ in seen] == [1, 2, 3, 4]
    assert seen[-1] == (4, 4)
    assert all(done <= most for done, most in seen)


def test_sheets_end_early_too(tmp_path: Path) -> None:
    search = Search(PLAN, key=KEY)
    for number in range(3):
        path = tmp_path / f"{number}.csv"
        export_round(search, path)
        rows = path.read_text("utf-8").splitlines()
        filled = [rows[0]]
        for row in rows[1:]:
            value = Fraction(row.split(",")[2])
            filled.append(row + ("y" if value <= 13 else "n"))
        path.write_text("\n".join(filled) + "\n", "utf-8")
        import_answers(search, path)
    assert search.done
    assert search.result.x == 13
    with pytest.raises(SearchDone):
        export_round(search, tmp_path / "3.csv")
    assert not (tmp_path / "3.csv").exists()


def test_answers_of_a_round_may_come_at_the_same_time() -> None:
    async def played() -> Any:
        search = Search(PLAN, key=KEY)
        while not search.done:
            for query in search.ask():
                await asyncio.sleep(0)
                search.tell(query.id, query.value <= 12)
        return search.result

    assert asyncio.run(played()).x == 12
