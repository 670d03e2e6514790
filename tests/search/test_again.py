"""The same number again: what errors say of it, and what the same key is worth."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from tests.support.price import advance, price_plan

from feint import Domain, Plan, Problem, Search, finish, plan
from feint.errors import AnswerFixed, Contradictory, FeintError, ReplayDiffers
from feint.oracles import Hidden
from feint.search import rounds
from feint.strategies import Tabular


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
    events = list(rounds.events(search.kept()))
    next(event for event in events if event.get("round") == 2)["ask"][0] += 1
    with pytest.raises(ReplayDiffers, match="resume it with the feint that began it") as caught:
        Search.replayed(search.header(), events)
    return caught.value


@pytest.mark.parametrize("error", [fixed, contradictory, differs])
def test_no_error_sends_anybody_into_another_search(error: Callable[[], FeintError]) -> None:
    """It would tell more than was promised; the message says so, and when it would not."""
    said = str(error())
    assert "another search for the same number tells whoever hears both more" in said
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
