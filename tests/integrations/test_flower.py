"""Federated quantiles: an in-process Grid that misbehaves, and a real simulation."""

import json
import os
import signal
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import flwr.app as flwr
import numpy as np
import pytest

from feint.errors import BadState, InvalidValue, OracleFailed
from feint.exact import rational
from feint.integrations.flower import (
    Clients,
    InProcess,
    band,
    client_app,
    median_of,
    private_quantile,
    replied,
    vote_p,
)
from feint.integrations.flower.wire import Question
from feint.journal import Folder, Memory

WANTED: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 1, "delta": 5, "level": 4}


def test_the_median_of_clients_over_a_network_that_misbehaves() -> None:
    random = np.random.default_rng(3)
    for seed in range(4):
        values = random.normal(50, 12, 101).clip(0, 99)
        grid = InProcess.holding(
            values, lost=0.2, damaged=0.05, doubled=0.1, failing=0.05, seed=seed
        )
        found = private_quantile(grid, tries=40, **WANTED)
        assert abs(found.result.estimate - Fraction(float(np.median(values)))) <= Fraction(1, 2)
        assert found.clients == 101
        assert found.messages > 101 * found.result.rounds
        assert found.result.adversary_success is not None
        assert found.result.adversary_success <= Fraction(1, 4)


@pytest.mark.parametrize("share", ["0.1", "1/4", "0.9"])
def test_any_quantile(share: str) -> None:
    """At least a share of clients lies at or below the quantile, at least the rest at or above."""
    values = np.random.default_rng(5).uniform(0, 99, 200)
    found = private_quantile(InProcess.holding(values), share=share, **WANTED)
    low, high = (float(each) for each in (found.result.low, found.result.high))
    assert (values < high).mean() >= float(Fraction(share)) >= (values < low).mean()


def test_the_coordinates_of_a_vector_at_once() -> None:
    values = np.random.default_rng(7).uniform(0, 99, (51, 2))
    found = private_quantile(InProcess.holding(list(values)), dim=2, **WANTED)
    for axis, each in enumerate(found.result.coordinates):
        assert abs(float(each.estimate) - np.median(values[:, axis])) <= 0.5


def test_the_sign_of_an_update_is_a_question_too() -> None:
    weights = np.random.default_rng(9).normal(40, 5, 31)
    signs = [lambda w, _, own=own: bool(own >= w) for own in weights]
    found = private_quantile(InProcess.holding(signs), **WANTED)
    assert abs(float(found.result.estimate) - np.median(weights)) <= 0.5


def test_what_every_client_hears_is_the_same_and_holds_no_result() -> None:
    values = np.random.default_rng(2).normal(50, 10, 21)
    grid = InProcess.holding(values)
    found = private_quantile(grid, **WANTED)
    heard = list(grid.heard.values())
    assert all(each == heard[0] for each in heard)
    assert sum(len(message) for message in heard[0]) == found.result.queries
    assert len(heard[0]) == found.result.rounds


def test_replies_have_one_size_whatever_they_say() -> None:
    grid = InProcess.holding([1.0, 99.0])
    sizes = set()
    for node, client in list(grid.clients.items()):

        def weighed(message: Any, client: Any = client) -> Any:
            reply = client(message)
            sizes.add(len(reply.content.config_records["feint"]["bits"]))
            return reply

        grid.clients[node] = weighed
    private_quantile(grid, **WANTED)
    counts = {len(message) for message in grid.heard[1]}
    assert sizes == counts


@pytest.mark.parametrize("low", [0, "-1/3", 10**30, "1e-40"])
def test_questions_have_one_size_whatever_they_ask(low: Any) -> None:
    """As they travel: a broadcast's length says nothing of what is in it."""
    low = Fraction(low)
    sizes: dict[int, set[int]] = {}
    for place in range(1, 10, 2):
        grid = InProcess.holding([low + Fraction(place, 10)])
        client = grid.clients[1]

        def weighed(message: Any, client: Any = client) -> Any:
            held = message.content.config_records["feint"]
            wire = repr(held).replace("True", "one").replace("False", "one")
            sizes.setdefault(len(held["value"]), set()).add(len(wire))
            return client(message)

        grid.clients[1] = weighed
        wanted: dict[str, Any] = {"epsilon": "1/1000", "delta": "1/20", "level": 4, "seed": place}
        private_quantile(grid, low=low, high=low + 1, **wanted)
    assert all(len(each) == 1 for each in sizes.values())


FINE: dict[str, Any] = {"delta": "0.05", "level": 4}


@pytest.mark.parametrize(
    ("low", "epsilon", "kind"),
    [
        (10**9, "1e-9", float),
        (0, "2^-60", float),
        (0, "2^-60", Fraction),
        (-(10**9), "1e-18", Fraction),
        ("1/3", "1e-18", lambda exact: Decimal(exact.numerator) / exact.denominator),
        (0, "2^-60", lambda exact: lambda asked, _: bool(exact >= asked)),
    ],
)
def test_a_search_that_is_finer_than_floats_is_right(low: Any, epsilon: Any, kind: Any) -> None:
    """Questions travel exactly, and are compared exactly with whatever a client holds."""
    random, low = Random(5), Fraction(low)
    for _ in range(3):
        exact = sorted(low + Fraction(random.getrandbits(80), 2**80) for _ in range(5))
        held = [kind(each) for each in exact]
        true = exact[2] if callable(held[2]) else Fraction(held[2])
        found = private_quantile(
            InProcess.holding(held), low=low, high=low + 1, epsilon=epsilon, **FINE
        )
        assert abs(found.result.estimate - true) <= rational(epsilon, "epsilon") / 2


@pytest.mark.parametrize(
    "kind", [int, np.int64, str, lambda own: np.array([own]), lambda own: [own]]
)
def test_the_clocks_of_clients_in_nanoseconds(kind: Any) -> None:
    """Whole numbers beyond 2^53 are never turned into floats."""
    low = 1_700_000_000_000_000_000
    held = [kind(low + 100 * each + 1) for each in range(21)]
    found = private_quantile(
        InProcess.holding(held), low=low, high=low + 2000, epsilon=2, delta=100, level=4
    )
    assert abs(found.result.estimate - (low + 1001)) <= 1


@pytest.mark.parametrize("said", [True, False])
def test_a_search_finer_than_floats_goes_on_with_the_answers_it_had(said: bool) -> None:
    """What it was told is recalled exactly: clients that turn round cannot contradict it."""
    low, journal = Fraction(10**9), Memory()
    wanted: dict[str, Any] = {"low": low, "high": low + 1, "epsilon": "1e-12", **FINE}
    grid = InProcess.holding([low + Fraction(k, 7) for k in range(1, 6)])
    client = grid.clients[1]

    def tired(message: Any) -> Any:
        if len(grid.heard[1]) > 12:
            return flwr.Message(flwr.RecordDict(), reply_to=message)
        return client(message)

    grid.clients[1] = tired
    with pytest.raises(OracleFailed):
        private_quantile(grid, tries=1, journal=journal, **wanted)
    liars: Any = [lambda asked, _: said] * 5
    found = private_quantile(InProcess.holding(liars), journal=journal, **wanted)
    assert found.result.consistent
    assert abs(found.result.estimate - low - Fraction(3, 7)) < Fraction(1, 100)


@pytest.mark.parametrize("kind", [float, np.float64, Fraction, Decimal, str])
def test_whole_steps_are_found_whatever_a_client_holds_them_as(kind: Any) -> None:
    """The float 0.3 is less than 3/10, and 0.1 more than 1/10: each is its step all the same."""
    wanted: dict[str, Any] = {"low": 0, "high": 1, "step": "0.1", "epsilon": "0.1", "level": 2}
    for step in range(11):
        held = kind(f"{step / 10:.1f}")
        found = private_quantile(InProcess.holding([held] * 3), delta="0.2", **wanted)
        assert found.result.estimate == Fraction(step, 10)


def test_a_function_is_given_plain_numbers_where_these_will_do() -> None:
    kinds = set[type]()

    def own(asked: Any, _: int) -> bool:
        kinds.add(type(asked))
        return bool(asked <= 40)

    private_quantile(InProcess.holding([own]), **WANTED)
    private_quantile(InProcess.holding([own]), low=0, high=100, epsilon="1/3", delta=5, level=4)
    assert kinds == {int, float}
    assert Question(Fraction(1, 10), 0, False).number < Fraction(1, 10)  # float("0.1") is above
    assert Question(Fraction(1, 10), 0, True).number == Fraction(1, 10)


class Silent(InProcess):
    """Two clients are silent in each round: as told from the number of the round."""

    who: Any
    calls = 0

    def send_and_receive(self, messages: Any, *, timeout: float | None = None) -> Any:
        silent = self.who(self.calls)
        self.calls += 1
        there = [each for each in messages if each.metadata.dst_node_id not in silent]
        return super().send_and_receive(there, timeout=timeout)


@pytest.mark.parametrize(
    ("who", "least", "most"),
    [
        (lambda k: {2 * k % 20 + 1, (2 * k + 1) % 20 + 1}, 9, 11),  # each is silent at some time
        (lambda k: {19, 20}, 9, 9),  # the two who hold most: the quantile 9/20 is found
        (lambda k: {1, 2}, 11, 11),
        (lambda k: {19, 20} if k % 2 else {1, 2}, 9, 11),
    ],
)
def test_others_may_be_silent_in_every_round(who: Any, least: int, most: int) -> None:
    """Of twenty clients two at a time: the band of all twenty is kept, and no narrower one would.

    The quantile t is the greatest number with at most 20·t below it.
    """
    values = [5.0 * each for each in range(20)]
    grid: Any = Silent.holding(values)
    grid.who = who
    found = private_quantile(grid, missing="0.1", tries=1, **WANTED)
    assert values[least] - 0.5 <= found.result.estimate <= values[most] + 0.5
    assert "quantiles 9/20 to 11/20 of all clients" in found.claim
    assert "in no round were more than 0.1 of all silent" in found.claim


@pytest.mark.parametrize("share", [Fraction(1, 2), Fraction(1, 4), Fraction(2, 3)])
def test_the_band_by_every_way_to_lie_and_be_silent(share: Fraction) -> None:
    """Every count of clients that reach a number, of liars' votes and of silent ones, up to 7."""
    for honest, liars in product(range(1, 8), range(4)):
        count = honest + liars
        for quiet, hidden in product(range(honest + 1), range(liars + 1)):
            silent, lying = Fraction(quiet + hidden, count), Fraction(liars, count)
            if not lying < (1 - silent) * min(share, 1 - share):
                continue
            low, high = band(share, lying, silent)
            for above, unheard, votes in product(range(honest + 1), range(quiet + 1), range(4)):
                if unheard > above or quiet - unheard > honest - above or votes > liars - hidden:
                    continue
                yes = above - unheard + votes
                reached = yes >= (1 - share) * (count - quiet - hidden)
                below = Fraction(honest - above, honest)
                assert below <= high if reached else below > low


def test_how_likely_a_sample_is_right() -> None:
    from feint.simulate.oracles import promised

    assert vote_p(9, margin="0.2") == promised(9, "0.2")
    assert vote_p(200, share="0.9", margin="0.05") > Fraction(9, 10)
    # 3 of 20 clients reach a number: none of them is drawn with chance C(17, 3)/C(20, 3) = .5964912
    assert vote_p(3, share="3/4", margin="0.1", clients=20) == Fraction("0.596491")
    assert vote_p(3, share="3/4", margin="0.1") == Fraction("0.614124")  # .85^3 = .614125
    for sample, margin in ((10, "0.001"), (5, "0.6")):
        with pytest.raises(InvalidValue):
            vote_p(sample, margin=margin)


def test_too_few_clients_or_replies_are_said_and_the_search_goes_on(tmp_path: Path) -> None:
    values = np.random.default_rng(2).normal(50, 10, 21)
    with pytest.raises(OracleFailed, match="21 clients are there, and 30 are wanted"):
        private_quantile(InProcess.holding(values), count=30, timeout=0, **WANTED)
    grid, journal = InProcess.holding(values, lost=1.0), Folder(tmp_path)
    with pytest.raises(OracleFailed, match="21 of 21 clients did not reply"):
        private_quantile(grid, tries=2, journal=journal, **WANTED)
    first = grid.heard[1][0]
    grid.lost = 0.0
    grid.heard[1].clear()
    found = private_quantile(grid, journal=journal, **WANTED)
    assert grid.heard[1][0] == first
    assert abs(float(found.result.estimate) - np.median(values)) <= 0.5
    silent = InProcess.holding(values)
    silent.clients[1] = lambda message: flwr.Message(flwr.RecordDict(), reply_to=message)
    with pytest.raises(OracleFailed, match="1 of 21"):
        private_quantile(silent, tries=2, **WANTED)
    assert "quantiles" in private_quantile(silent, tries=2, missing="0.1", **WANTED).claim


def test_what_a_client_raises_is_its_reply() -> None:
    """As in Flower, where one client's error does not end the search of the others."""
    grid = InProcess.holding([float(each) for each in range(30, 50)])
    grid.clients[3] = lambda message: 1 / 0
    found = private_quantile(grid, missing="0.1", tries=2, **WANTED)
    assert 38.5 <= found.result.estimate <= 41.5
    said = "1 of 20 clients did not reply after 2 tries, and 1 with an error"
    with pytest.raises(OracleFailed, match=said) as failed:
        private_quantile(grid, tries=2, **WANTED)
    assert "division by zero" in str(failed.value.for_owner)


@pytest.mark.parametrize(
    ("held", "dim"), [([40.0] * 1000, 1), (np.full(2, 40.0), 1), ([40, 50, 60], 2), ([40], 2)]
)
def test_a_client_that_holds_another_number_of_numbers_replies_with_an_error(
    held: Any, dim: int
) -> None:
    """An array in place of its median is not answered from its first entry."""
    grid = InProcess.holding([held])
    with pytest.raises(OracleFailed, match="with an error") as failed:
        private_quantile(grid, tries=1, **WANTED | {"dim": dim, "delta": 10})
    said = f"values = {len(held)} numbers: must be one number per coordinate: {dim}"
    assert said in str(failed.value.for_owner)


def test_bad_arguments_are_named() -> None:
    grid = InProcess.holding([1.0])
    with pytest.raises(InvalidValue, match="share"):
        Clients(grid, share=1)
    with pytest.raises(InvalidValue, match="missing"):
        Clients(grid, missing=1)
    with pytest.raises(InvalidValue, match="margin"):
        private_quantile(grid, sample=3, **WANTED)
    assert band("1/2", "0.1") == (Fraction(4, 9), Fraction(5, 9))
    assert band("1/2", 0, "0.1") == (Fraction(9, 20), Fraction(11, 20))
    with pytest.raises(InvalidValue, match="anything"):
        band("1/2", "1/2")
    with pytest.raises(InvalidValue, match="missing"):
        band("1/2", 0, 1)
    with pytest.raises(InvalidValue, match="anything"):
        private_quantile(grid, liars="0.4", missing="0.2", **WANTED)
    with pytest.raises(InvalidValue, match="liars"):
        private_quantile(grid, sample=3, margin="0.2", liars="0.1", **WANTED)
    with pytest.raises(InvalidValue, match="follows from sample"):
        private_quantile(grid, p="0.9", **WANTED)
    with pytest.raises(InvalidValue, match="missing"):
        private_quantile(grid, sample=3, margin="0.2", missing="0.1", **WANTED)
    with pytest.raises(InvalidValue, match="numbers"):
        median_of([])
    assert median_of([1, 2, 9]) == 2
    message = flwr.Message(flwr.RecordDict(), dst_node_id=1, message_type="query")
    with pytest.raises(InvalidValue, match="questions of a round"):
        replied(message, 3)


SERVER = """
import json, sys
from random import Random
from flwr.serverapp import ServerApp
from flwr.simulation import run_simulation
from feint.integrations.flower import client_app, private_quantile

kind, count = sys.argv[1], 100
random = Random(7)
values = [min(99.0, random.lognormvariate(3.5, 0.4)) for _ in range(count)]
server, found = ServerApp(), []

@server.main()
def main(grid, context):
    liars = "0.1" if kind == "liars" else 0
    wanted = dict(low=0, high=100, epsilon=2, delta=10, level=4, liars=liars)
    found.append(private_quantile(grid, count=count, tries=40, **wanted))

def own(context):
    node = int(context.node_config["partition-id"])
    if kind == "dropped" and Random().random() < 0.2:
        raise RuntimeError("no reply")
    if kind == "liars" and node >= 90:
        return lambda value, coordinate: Random().random() < 0.5
    return values[node]

run_simulation(
    server,
    client_app(own),
    num_supernodes=count,
    backend_config={"client_resources": {"num_cpus": 0.5, "num_gpus": 0.0}},
)
found = found[0]
again = found.messages > count * found.result.rounds
print("FOUND", json.dumps([float(found.result.estimate), again, found.claim, values]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["all", "dropped", "liars"])
def test_a_real_simulation_finds_the_median(kind: str) -> None:
    """A hundred clients on Flower's own backend; nothing it logs holds the result.

    Of 100 clients the median may be either of the middle two, and anything between; 90 honest ones
    with ten liars are in the band that these can move it in.
    """
    run = subprocess.run(
        [sys.executable, "-c", SERVER, kind],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"RAY_DEDUP_LOGS": "0"},
    )
    (line,) = (each for each in run.stdout.splitlines() if each.startswith("FOUND"))
    estimate, asked_again, claim, values = json.loads(line.removeprefix("FOUND"))
    honest = sorted(values[:90] if kind == "liars" else values)
    low, high = (honest[40], honest[50]) if kind == "liars" else (honest[49], honest[50])
    assert low - 1 <= estimate <= high + 1
    assert ("4/9 to 5/9" in claim) == (kind == "liars")
    assert asked_again == (kind == "dropped")
    assert repr(estimate) not in run.stderr


KILLED = """
import json, os, signal, sys
from pathlib import Path
from feint.integrations.flower import InProcess, private_quantile, replied
from feint.journal import Folder, Memory
heard = []
def client(message):
    held = message.content.config_records["feint"]
    heard.append([each.strip() for each in held["value"]])
    if len(heard) == int(sys.argv[2]):
        print(json.dumps(heard), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return replied(message, 42.25)
wanted = dict(low=0, high=100, epsilon=1, delta=5, level=4, seed=3)
found = private_quantile(InProcess({1: client}), journal=Folder(Path(sys.argv[1])), **wanted)
print(json.dumps([str(found.result.estimate), heard]))
"""


def test_a_killed_server_goes_on_with_the_same_questions(tmp_path: Path) -> None:
    """The process ends in the middle of a round; another one asks what this one asked."""

    def run(die: int) -> tuple[int, Any]:
        words = [sys.executable, "-c", KILLED, str(tmp_path), str(die)]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(words, check=False, env=env, stdout=subprocess.PIPE, text=True)
        return done.returncode, json.loads(done.stdout)

    grid = InProcess.holding([42.25])
    whole = private_quantile(grid, seed=3, **WANTED)
    asked = [[value for _, value in message] for message in grid.heard[1]]
    code, before = run(5)
    assert code == -signal.SIGKILL
    assert before == asked[:5]
    code, (found, after) = run(0)
    assert code == 0
    assert after == asked[4:]  # the round that had no answer is asked again, and the others
    assert found == str(whole.result.estimate)


def test_a_search_that_goes_on_fits_the_answers_before() -> None:
    """Clients that say the opposite after the restart cannot make the answers contradict."""
    journal, values = Memory(), [30.0, 40.0, 50.0]
    grid = InProcess.holding(values)
    true = dict(grid.clients)

    def tired(message: Any) -> Any:
        if len(grid.heard[1]) > 3:
            return flwr.Message(flwr.RecordDict(), reply_to=message)
        return true[1](message)

    grid.clients[1] = tired
    with pytest.raises(OracleFailed):
        private_quantile(grid, tries=1, journal=journal, **WANTED)
    found = private_quantile(InProcess.holding([99.0, 99.0, 99.0]), journal=journal, **WANTED)
    assert found.result.consistent
    with pytest.raises(BadState, match="something else"):
        private_quantile(grid, journal=journal, **WANTED | {"high": 200})


@pytest.mark.parametrize(
    "other",
    [{"share": "9/10"}, {"missing": "0.1"}, {"liars": "0.1"}, {"sample": 9, "margin": "0.3"}],
)
def test_a_name_stands_for_what_was_asked_and_of_how_many(other: dict[str, Any]) -> None:
    """A journal gives no answer to another question than it was asked, nor of other clients."""
    journal, values = Memory(), [30.0, 40.0, 50.0] * 7
    wanted = WANTED | {"delta": 25, "level": 2, "epsilon": 5}
    first = private_quantile(InProcess.holding(values), journal=journal, **wanted)
    again = private_quantile(InProcess.holding(values), share="0.5", journal=journal, **wanted)
    assert again.result == first.result
    assert again.clients == 21
    with pytest.raises(BadState, match="it asked another question"):
        private_quantile(InProcess.holding(values), journal=journal, **wanted | other)
    with pytest.raises(BadState, match="another number of clients"):
        private_quantile(InProcess.holding(values[:20]), journal=journal, **wanted)


def test_a_search_that_failed_can_go_on_in_the_same_process(tmp_path: Path) -> None:
    """Also while the error, and so every frame it went through, is still held."""
    failed = InProcess.holding([30.0, 40.0, 50.0], lost=1.0)
    with pytest.raises(OracleFailed) as held:
        private_quantile(failed, tries=1, journal=Folder(tmp_path), **WANTED)
    for _ in range(2):
        found = private_quantile(
            InProcess.holding([30.0, 40.0, 50.0]), journal=Folder(tmp_path), **WANTED
        )
        assert abs(found.result.estimate - 40) <= Fraction(1, 2)
    assert held.value is not None


def test_late_replies_to_other_rounds_do_not_count() -> None:
    """A grid that hands over a client's reply to the round before, ahead of the one to this."""
    values = [float(each) for each in np.random.default_rng(1).normal(50, 12, 21)]

    class Late(InProcess):
        kept: dict[tuple[int, int], Any]

        def _replies(self, message: Any) -> list[Any]:
            count = len(message.content.config_records["feint"]["value"])
            key = message.metadata.dst_node_id, count
            (reply,) = super()._replies(message)
            late = [self.kept[key]] if key in self.kept else []
            self.kept[key] = reply
            return [*late, reply]

    grid: Any = Late.holding(values)
    grid.kept = {}
    found = private_quantile(grid, **WANTED)
    assert abs(float(found.result.estimate) - np.median(values)) <= 0.5
    assert found.messages == 21 * found.result.rounds


def test_what_is_printed_is_the_claim_and_not_the_result() -> None:
    found = private_quantile(InProcess.holding([30.0, 40.0, 50.0]), **WANTED)
    for printed in (str(found), repr(found)):
        assert found.claim in printed
        assert "estimate" not in printed
        assert "coordinates" not in printed
    clients = Clients(InProcess.holding([1.0]))
    clients._brackets[0].take([30], [True])
    assert "racket" not in repr(clients)


@pytest.mark.parametrize("certificate", ["theorem", "calibrated"])
def test_the_claim_of_a_sample_has_its_condition_and_its_certificate(certificate: str) -> None:
    wanted = WANTED | {"delta": 25, "level": 2, "epsilon": 5, "certificate": certificate}
    found = private_quantile(
        InProcess.holding([40.0] * 50), sample=9, margin="0.3", confidence="0.9", **wanted
    )
    assert f"at least 0.9 (certificate: {certificate})" in found.claim
    assert "or else a question was asked where" in found.claim
    assert "between low and high" in found.claim


def test_an_app_answers_questions_of_feint() -> None:
    app = client_app(lambda context: 3.5)
    assert callable(app)
