"""Runs of different lengths in one batch: what is played, counted and said of them."""

import json

import numpy as np
from tests.support.ladder import Ladder
from tests.support.uneven import Forked

from feint import Problem
from feint.interfaces import UNASKED, Round
from feint.simulate import play, simulate
from feint.strategies import Scalar

SHORT, LONG = 14, 3


def test_a_batch_is_its_runs() -> None:
    """A run that ends early stays silent while others go on, and its estimate stays."""
    targets = np.arange(16)[:, None]
    played = play(Forked(), targets, np.random.default_rng(0))
    asked, rounds = played.transcript.lengths()
    assert asked.tolist() == [7] * 12 + [4] * 4
    assert rounds.tolist() == [4] * 12 + [3] * 4
    assert played.estimate.low[:, 0].tolist() == list(range(16))


def test_a_batch_stops_when_all_of_its_runs_have_ended() -> None:
    """The ladder's lowest run asks one question, and its second round nothing: then it is over."""
    rounds = list[int]()

    class Counted(Ladder):
        def tell(self, state, answers):  # type: ignore[no-untyped-def]
            rounds.append(state.round)
            return super().tell(state, answers)

    told = np.ones((3, 7), bool)
    problem = Problem("1/8", "1/4", 2, values=8)
    played = play(
        Counted(problem, 8), np.zeros((3, 1), np.int64), np.random.default_rng(0), told=told
    )
    assert rounds == [0, 1]
    assert played.transcript.points.tolist() == [[1, *[UNASKED] * 6]] * 3
    assert not told.any()
    assert played.estimate.high.tolist() == [[1]] * 3


def test_nobody_answers_what_was_not_asked_under_noise() -> None:
    """An answer that noise turns round is one that was given."""
    noisy = Problem("1/16", "1/4", 2, p=0.6)
    rounds = (Round("ask", (0, 0)),) * 2
    strategy = Scalar(noisy, 8, rounds, lambda told, _: (4, UNASKED))
    told = np.zeros((500, 4), bool)
    play(strategy, np.full((500, 1), 6), np.random.default_rng(0), told=told)
    assert not told[:, [1, 3]].any()
    assert 0 < told[:, 0].sum() < 500


def test_a_simulation_counts_questions_and_rounds_as_heard() -> None:
    found = simulate(Forked(), runs=20_000, seed=2)
    assert (found.queries, found.rounds) == (7, 4)
    share = (found.queries_mean - 4) / 3  # of runs left of the cut
    assert abs(share - 0.75) < 0.02
    assert found.rounds_mean == 3 + share
    assert str(found).startswith("20,000 runs of at most 7 questions (6.")
    assert "in at most 4 rounds" in str(found)
    told = json.loads(json.dumps(found.to_dict()))
    assert [told[key] for key in ("queries", "rounds")] == [7, 4]
    assert told["queries_mean"] == found.queries_mean
    assert told["rounds_mean"] == found.rounds_mean


def test_transcripts_say_how_long_runs_were() -> None:
    targets = np.array([[SHORT], [LONG], [LONG], [LONG]])
    heard = play(Forked(), targets, np.random.default_rng(0)).transcript
    assert "4 runs: at most 7 questions (6.25 on average) in at most 4 rounds" in str(heard)
    short = play(Forked(), targets[:1], np.random.default_rng(0)).transcript
    assert "1 run: 4 questions in 3 rounds" in str(short)
    assert [len(each) for each in short.shares()] == [1, 1, 2]
