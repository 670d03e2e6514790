"""The same number again: what errors say of it, and what the same key is worth."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.price import advance, price_plan

from feint import (
    Domain,
    Plan,
    Problem,
    RepeatedSearch,
    Search,
    create,
    create_again,
    finish,
    load,
    plan,
)
from feint.errors import AnswerFixed, Contradictory, FeintError, InvalidValue, ReplayDiffers
from feint.simulate.oracles import Hidden
from feint.strategies.retired import (
    Tabular,
)


def fixed() -> FeintError:
    search = Search(price_plan())
    advance(search, 73.4, 1)
    search.ask()
    with pytest.raises(AnswerFixed) as caught:
        search.tell("q0.0", False)
    return caught.value


def contradictory() -> FeintError:
    table = {
        (): [(2, 1)],
        ((2, False),): [(2, 1)],
        ((2, True),): [(3, 1)],
        ((2, False), (2, False)): [(1, 1)],
        ((2, True), (3, True)): [(1, 1)],
    }
    strategy = Tabular.from_histories(Problem("1/4", "1/2", 2), 4, 3, table)
    search = Search(Plan.of(strategy, domain=Domain(0, 4)))
    for answer in (False, True):
        search.tell(search.ask()[0].id, answer)
    with pytest.raises(Contradictory, match="correct an answer of this round") as caught:
        search.ask()
    return caught.value


def differs() -> FeintError:
    search = Search(price_plan())
    advance(search, 73.4, 3)
    events = search.events()
    next(event for event in events if event.get("round") == 2)["ask"][0] += 1
    with pytest.raises(ReplayDiffers, match="resume it with the feint that began it") as caught:
        Search.replayed(search.header(), events)
    return caught.value


@pytest.mark.parametrize("error", [fixed, contradictory, differs])
def test_no_error_sends_anybody_into_another_search(error: Callable[[], FeintError]) -> None:
    """It would tell more than was promised; the message says so, and when it would not."""
    said = str(error())
    assert "who hears another search for the same number learns more than was promised" in said
    assert "unless it has the same plan and the same key" in said
    assert "new search" not in said


def test_the_same_key_asks_the_same_again_and_fresh_ones_do_not() -> None:
    """A plan with a spare part: which window of parts is kept is a coin, and follows the key."""
    chosen = plan(Problem("1/25", "2/25", 7))
    heard, target = set[tuple[int, ...]](), Fraction("0.3")
    for _ in range(40):
        search = Search(chosen)
        found = finish(search, Hidden(target))
        again = Search.replayed(search.header(), [])
        assert finish(again, Hidden(target)) == found
        assert (again.transcript.points == search.transcript.points).all()
        heard.add(tuple(search.transcript.points[0].tolist()))
    assert len(heard) == 3  # of three windows each is drawn, but for once in 3·10^6 tests


def test_again_is_the_same_search_for_the_same_number() -> None:
    chosen, target = plan(Problem("1/25", "2/25", 7)), Fraction("0.3")
    first = Search(chosen, yes_means="below", domains=[Domain(0, 1, label="price")])
    finish(first, Hidden(target))
    second = first.again()
    assert (second.answered, second.done, second.domains) == (0, False, first.domains)
    assert finish(second, Hidden(target)) == first.result
    assert (second.transcript.points == first.transcript.points).all()
    assert first.done


def test_a_fresh_key_is_warned_of_unless_the_plan_is_repeatable() -> None:
    problem = Problem("1/25", "2/25", 7)
    first = Search(plan(problem))
    with pytest.warns(RepeatedSearch, match="does not cover both"):
        second = first.again(fresh_key=True)
    assert second.header()["key"] != first.header()["key"]
    calm = Search(plan(problem, repeatable=True))
    asked = set[tuple[int, ...]]()
    for each in (calm, calm.again(), calm.again(fresh_key=True)):
        finish(each, Hidden(Fraction("0.3")))
        asked.add(tuple(each.transcript.points[0].tolist()))
    assert len(asked) == 1


def test_with_a_second_key_nothing_is_promised_and_files_remember(tmp_path: Path) -> None:
    """Each search's promise is about one key; a chain of them counts all."""
    first = create(tmp_path / "1", plan(Problem("1/25", "2/25", 7)))
    with pytest.warns(RepeatedSearch):
        second = create_again(tmp_path / "2", first, fresh_key=True)
    with pytest.warns(RepeatedSearch):
        third = create_again(tmp_path / "3", second, fresh_key=True)
    for search, keys in ((first, 1), (second, 2), (third, 3), (third.again(), 3)):
        assert search.keys == keys
    found = finish(third, Hidden(Fraction("0.3")))
    assert (found.certificate, found.adversary_success) == (None, None)
    assert finish(first, Hidden(Fraction("0.3"))).certificate == "theorem"
    del third
    assert load(tmp_path / "3").keys == 3
    calm = Search(plan(Problem("1/25", "2/25", 7), repeatable=True))
    assert calm.again(fresh_key=True).keys == 1


def test_under_noise_nothing_is_the_same_again() -> None:
    search = Search(plan(Problem("1/20", "1/5", 2, p="0.9", confidence="0.9")))
    with pytest.raises(InvalidValue, match="no key asks the same again"):
        search.again()
    with pytest.warns(RepeatedSearch):
        assert search.again(fresh_key=True).answered == 0


def test_kept_in_a_file_of_its_own(tmp_path: Path) -> None:
    target = Fraction("0.3")
    first = create(tmp_path / "first.jsonl", plan(Problem("1/25", "2/25", 7)))
    found = finish(first, Hidden(target))
    second = create_again(tmp_path / "second.jsonl", first)
    advance(second, 0.3, 1)
    del second
    second = load(tmp_path / "second.jsonl")
    assert finish(second, Hidden(target)) == found
    assert (second.transcript.points == first.transcript.points).all()
