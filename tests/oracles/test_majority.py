"""Majority votes: exact reliability, the size for a wanted p, and what is not independent."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feint.cli.app import run
from feint.errors import InvalidValue
from feint.oracles.majority import Majority, reliability, voters_for


def test_three_voters_by_hand() -> None:
    """0.6³ + 3·0.6²·0.4 = 0.648."""
    assert reliability(3, "0.1") == pytest.approx(0.648)
    assert reliability(1, "0.1") == pytest.approx(0.6)


@given(st.fractions("0.51", "0.999"), st.fractions("0.02", "0.5"))
@settings(max_examples=60, deadline=None)
def test_the_fewest_voters(p: Fraction, margin: Fraction) -> None:
    count = voters_for(p, margin)
    assert count % 2 == 1
    assert reliability(count, margin) >= p
    if count > 1:
        assert reliability(count - 2, margin) < p


def test_fresh_samples_are_as_reliable_as_promised_and_the_same_people_are_not() -> None:
    random = np.random.default_rng(0)
    margin, voters = 0.1, voters_for("0.9", "0.1")
    fresh = Majority(lambda value, k: random.binomial(k, 0.5 + margin), voters)
    answers = [fresh(1) for _ in range(4000)]
    assert np.mean(answers) == pytest.approx(reliability(voters, "0.1"), abs=0.03)
    # The same panel gives one answer for ever: asking again adds nothing.
    panel = random.random(voters) < 0.5 + margin
    again = Majority(lambda value, k: int(panel.sum()), voters)
    assert len({again(1) for _ in range(50)}) == 1


def test_refusals() -> None:
    with pytest.raises(InvalidValue, match="odd"):
        Majority(lambda value, k: k, 4)
    with pytest.raises(InvalidValue, match="margin"):
        voters_for("0.9", 0)
    with pytest.raises(InvalidValue, match="2\\^40"):
        voters_for("0.9", "1e-9")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["noise", "--margin", "0.1", "--p", "0.9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["voters"] == voters_for("0.9", "0.1")
    assert run(["noise", "--margin", "0.1", "--voters", "41"]) == 0
    assert "41 voters" in capsys.readouterr().out
    assert run(["noise", "--margin", "0.1"]) == 2
    assert run(["noise", "--margin", "0.1", "--voters", "4"]) == 2
    assert "--voters" in capsys.readouterr().err


def test_the_command_warns_of_very_many_voters_and_of_too_few(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["noise", "--margin", "0.001", "--p", "0.9"]) == 0
    said = capsys.readouterr().out
    assert f"{voters_for('0.9', '0.001')} new voters" in said
    assert f"10001 reach p = {reliability(10001, '0.001'):.4g}" in said
    assert run(["noise", "--margin", "0.001", "--voters", "11", "--json"]) == 0
    assert "coin" in json.loads(capsys.readouterr().out)["warning"]
    assert run(["noise", "--margin", "0.1", "--p", "0.9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warning"] is None
    assert run(["noise", "--margin", "1e-9", "--p", "0.9"]) == 2
    assert "2^40 voters" in capsys.readouterr().err
