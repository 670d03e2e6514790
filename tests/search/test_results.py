"""What a search found, as people and programs read it."""

import html.parser
from fractions import Fraction
from typing import Any

import pytest
from tests.support.price import KEY, price_plan

from feint import Domain, Found, Result, Search, find, finish, plan
from feint.errors import InvalidValue
from feint.simulate.oracles import Hidden

WANTED: dict[str, Any] = {"low": 10, "high": 110, "epsilon": "0.05", "delta": 2, "level": 8}
COMMITS: dict[str, Any] = {"low": 0, "high": 96, "step": 1, "delta": 7, "level": 4}


def test_floats_stand_beside_fractions() -> None:
    result = find(lambda price: price <= 73.4181, **WANTED)
    assert (result.x, result.interval) == (73.425, (73.4, 73.45))
    assert (result.estimate, result.low, result.high) == (
        Fraction("73.425"),
        Fraction("73.4"),
        Fraction("73.45"),
    )
    (found,) = result.coordinates
    assert type(found.x) is float
    document: Any = result.to_dict()
    (one,) = document["coordinates"]
    assert (one["estimate"], one["x"], one["interval"]) == ("2937/40", 73.425, [73.4, 73.45])


def test_a_whole_number_is_an_int() -> None:
    commits = ["good"] * 61 + ["bad"] * 36
    result = find(lambda number: commits[number] == "good", **COMMITS)
    assert type(result.x) is int
    assert commits[result.x : result.x + 2] == ["good", "bad"]
    assert result.interval == (60.0, 60.0)


def test_several_numbers_are_a_tuple() -> None:
    hidden = (73.42, -3.3)
    result = find(
        lambda value, which: value <= hidden[which],
        low=[0, -10],
        high=[100, 30],
        epsilon=1,
        delta=4,
        level=4,
    )
    assert isinstance(result.x, tuple)
    for found, number in zip(result.x, hidden, strict=True):
        assert abs(found - number) <= 0.5
    with pytest.raises(InvalidValue, match="use coordinates"):
        _ = result.interval
    assert "The first number is 73.5, give or take 0.5.\n" in str(result)
    assert "The second number is " in str(result)


def test_a_result_reads_as_the_report_does() -> None:
    search = Search(price_plan(), key=KEY)
    assert str(finish(search, Hidden("73.4181"))).splitlines() == [
        "The price is 73.425, give or take 0.025.",
        "Between 73.4 and 73.45.",
        "It took 57 questions in 9 rounds, method tight.",
        "You learn the price to within ±0.025; a watcher gets within ±1 at most 1 time in 8.",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "bisection"}, "nothing is promised about what a watcher learns."),
        ({"seed": 3}, "Seeded: an experiment, hidden from nobody who knows the seed."),
        ({"setting": "deterministic"}, "a watcher is left with at least 8 places"),
    ],
)
def test_what_is_not_hidden_is_said(options: dict[str, Any], said: str) -> None:
    assert said in str(find(lambda price: price <= 42, **WANTED | options))


def test_how_sure_it_is_under_noise_is_said() -> None:
    domain = Domain(10, 110, label="price")
    noisy = domain.problem(epsilon=6, delta=25, level=3, p="0.8", confidence="0.8")
    result = finish(Search(plan(noisy, domain=domain), key=KEY), Hidden(42, p="0.8", seed=1))
    first, second, *_ = str(result).splitlines()
    assert first.endswith("with probability 0.8.")
    assert second.endswith("with probability 0.8 or more, given your answers.")


@pytest.mark.parametrize("yes_means", ["at least", "below"])
@pytest.mark.parametrize("answer", [True, False])
def test_answers_that_are_all_alike_are_said_first(answer: bool, yes_means: Any) -> None:
    """Swapped answers lead to an end of the range, as does a range that misses the number."""
    wanted = COMMITS | {"low": 1, "high": 97, "labels": "commit", "yes_means": yes_means}
    result = find(lambda number: answer, **wanted)
    high = answer == (yes_means == "at least")
    assert result.x == (97 if high else 1)
    first, second, *_ = str(result).splitlines()
    told = f"Every answer about the commit was {'yes' if answer else 'no'}"
    assert first.startswith(f"{told}, so it is at the {'high' if high else 'low'} end of its range")
    assert second == f"The commit is {result.x}."
    assert result.coordinates[0].alike is answer
    inside = find(lambda number: number <= 42, **COMMITS)
    assert inside.coordinates[0].alike is None
    assert "Every answer" not in str(inside)


def test_answers_that_do_not_fit_are_said() -> None:
    search = Search(price_plan(method="grid", max_rounds=None))
    queries = search.ask()
    search.tell_all({query.id: query == queries[-1] for query in queries})
    assert "The answers do not fit together: the result may be wrong." in str(search.result)


class Reader(html.parser.HTMLParser):
    """What a page holds: text, and every tag that is open at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        """It is closed already."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_a_notebook_shows_a_table_and_two_lanes() -> None:
    label = "price <b>&"
    result = find(lambda price: price <= 73.4181, labels=[label], **WANTED)
    page = result._repr_html_()
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    assert {label, "73.425", "73.4", "73.45"} <= set(reader.words)
    assert page.count("<svg") == 1
    assert {"overheard", "only you know"} <= set(reader.words)
    places = {round(6 * (float(each.value) - 10), 1) for each in result.history}
    assert page.count("M") == len(places) + 1  # a tick for each place asked about, and the range
    assert page.count("<rect") == 1  # what was found


def test_a_result_without_a_search_prints_too() -> None:
    found = Found(None, Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))
    result = Result(
        (found,),
        queries=1,
        rounds=1,
        method="own",
        certificate=None,
        adversary_success=None,
        places=None,
        consistent=True,
        seeded=False,
    )
    assert str(result).startswith("The number is 0.5, give or take 0.25.\nBetween 0.25 and 0.75.")
    assert "1 question in 1 round" in str(result)
    assert "<svg" not in result._repr_html_()
