"""How people are asked: only {value} is replaced, and nothing that cannot be shown is taken."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feint import Domain, Search, plan
from feint.errors import InvalidValue
from feint.problem import MARK, Preface, Query, with_unit
from feint.search import saved

SHOWN = "31.4"
LINE = st.text(st.characters(blacklist_categories=["C", "Z"]), max_size=20)


def query(**words: Any) -> Query:
    return Query(
        id="q0.0",
        round=0,
        phase="cut",
        coordinate=0,
        label="price",
        value=Fraction(157, 5),
        shown=SHOWN,
        number=31.4,
        yes_means="at least",
        **words,
    )


@given(LINE, LINE)
def test_only_the_mark_is_replaced(before: str, after: str) -> None:
    """Braces, percent signs and dollars of a template stay: it is never formatted."""
    if MARK in before + after:
        return
    question = f"a{before}{MARK}{after}z"
    domain = Domain(0, 1, question=question)
    assert domain.question == question
    assert query(question=question).text == f"a{before}{SHOWN}{after}z"


@pytest.mark.parametrize(
    "template",
    [
        "{0} {} {value} {value.__class__} {value!r} %s $value {{value}}"[:30] + "?",
        "Costs {value}? {price} {0.__init__}",
        "{value}",
    ],
)
def test_a_template_is_no_format_string(template: str) -> None:
    if template.count(MARK) == 1:
        assert query(question=template).text == template.replace(MARK, SHOWN)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"question": "Would you buy it?"}, "must have {value} once"),
        ({"question": "{value} or {value}?"}, "must have {value} once"),
        ({"question": "a\n{value}"}, "in one line"),
        ({"question": "\N{RIGHT-TO-LEFT OVERRIDE}{value}"}, "can be shown"),
        ({"question": "x" * 400 + "{value}"}, "may have 300 characters"),
        ({"question": 5}, "must be text"),
        ({"unit": "5"}, "no digits"),
        ({"unit": "{value}"}, "no digits and no braces"),
        ({"unit": "a very long unit"}, "may have 12 characters"),
        ({"unit": "a\tb"}, "in one line"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        Domain(0, 1, **words)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "words", [{"asker": "a\nb"}, {"introduction": "x" * 2001}, {"asker": "\0"}]
)
def test_a_preface_is_checked_too(words: dict[str, str]) -> None:
    with pytest.raises(InvalidValue):
        Preface(**words)


def test_blank_text_is_no_text() -> None:
    assert Preface(asker="  ", introduction="\n") == Preface()
    assert Domain(0, 1, unit=" ", question="") == Domain(0, 1)


def test_a_unit_is_beside_every_value() -> None:
    assert query(unit="€").text == "Is the price at least €31.4?"
    assert query(unit="kg").text == "Is the price at least 31.4 kg?"
    assert with_unit("-3", "€") == "-€3"
    assert query(unit="€").meaning == "yes means that the price is at least €31.4"


def test_a_value_is_printed_as_planned_and_no_longer() -> None:
    """The text has the very decimal that the query is at, with every digit."""
    market = Domain(20, 100, question="At {value}?")
    made = plan(market.problem(within="1/97", delta=5, level=4), domain=market)
    for each in Search(made, seed=1).ask():
        assert each.text == f"At {each.shown}?"
        assert Fraction(each.shown) == each.value


def test_a_search_without_wording_is_saved_as_it_always_was() -> None:
    """A key that old readers do not know is written only where it says something."""
    market = Domain(20, 100, label="price")
    assert set(saved.encode(market)) == {"type", "low", "high", "step", "label", "tick"}
    assert set(market.to_dict()) == {"low", "high", "step", "label", "tick"}
    made = plan(market.problem(within="0.5", delta=5, level=4), domain=market)
    assert "preface" not in Search(made).header()


def test_a_search_keeps_its_wording() -> None:
    market = Domain(20, 100, label="price", unit="€", question="Would you buy it at €{value}?")
    made = plan(market.problem(within="0.5", delta=5, level=4), domain=market)
    preface = Preface(asker="Ada", introduction="Two lines\nof text.")
    search = Search(made, preface=preface)
    first = search.ask()
    again = Search.from_json(search.to_json())
    assert again.preface == preface
    assert again.domains == (market,)
    assert [each.text for each in again.current] == [each.text for each in first]
    assert json.loads(again.to_json()) == json.loads(search.to_json())
    assert search.again().preface == preface
    assert search.again(fresh_key=True).preface == preface
