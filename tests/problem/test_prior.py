"""What people say of a number, read into exact odds: every form, and every way to go wrong."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from feint import Domain, Problem, plan
from feint.errors import InvalidValue, OutOfRegime, OutsideRange, WrongType
from feint.problem import UNIT, Prior

SHOP = Domain(0, 200)
COUNT = Domain(1, 5, step=1)


def mass(prior: Prior, low: float, high: float) -> float:
    """The mass between two prices of the shop."""
    return float(prior.below(Fraction(high) / 200) - prior.below(Fraction(low) / 200))


class Own:
    """A distribution that takes one number at a time."""

    def __init__(self, cdf: Any) -> None:
        self.cdf = cdf


@pytest.mark.parametrize(
    ("stated", "low", "high", "expected"),
    [
        ("normal(60, 15)", 45, 75, 0.682689),
        ("lognormal(0.5, 60)", 0, 60, 0.5 / 0.991979),
        ("beta(2, 5)", 0, 100, 0.890625),
        ("triangular(0, 50, 200)", 0, 50, 0.25),
        ("exponential(20)", 0, 20, 0.632121 / 0.999955),
        ("uniform(0, 100)", 0, 50, 0.5),
        ("points(30, 60, 120)", 0, 60, 1 / 3),
        (scipy.stats.norm(60, 15), 45, 75, 0.682689),
        (Own(lambda x: float(np.clip(x / 200, 0, 1) ** 2)), 0, 100, 0.25),
        ([1, 2, 1], 0, "200/3", 0.25),
        ({"weights": [1, 3], "edges": [0, 50, 200]}, 0, 50, 0.25),
        ({"samples": [10, 20, 30, 150], "bins": 2}, 0, 100, 0.75),
        ({"points": [30, 60, 120]}, 60, 200, 2 / 3),
        ({"name": "normal(60, 15)"}, 0, 60, 0.5),
    ],
)
def test_every_form_has_the_mass_it_says(stated: Any, low: Any, high: Any, expected: float) -> None:
    assert mass(SHOP.prior(stated), low, high) == pytest.approx(expected, abs=2e-4)


def test_newer_distributions_and_mixtures_are_read_too() -> None:
    if not hasattr(scipy.stats, "Mixture"):
        return  # SciPy before 1.15 has none
    parts = [scipy.stats.Normal(mu=50, sigma=10), scipy.stats.Normal(mu=150, sigma=10)]
    found = SHOP.prior(scipy.stats.Mixture(parts, weights=[0.25, 0.75]))
    assert mass(found, 0, 100) == pytest.approx(0.25, abs=1e-3)


def test_what_is_cut_off_and_what_binning_costs_are_told() -> None:
    with pytest.warns(OutsideRange):
        found = SHOP.prior("normal(0, 50)")
    assert found.outside == pytest.approx(0.5, abs=1e-4)
    # Within a bin of width h a linear density is |f'|h/4 from its mean on average, so that the
    # distance is h/8 times the integral of |f'|, which is the density at the top.
    peak = 2 / (50 * math.sqrt(2 * math.pi))
    with pytest.warns(OutsideRange):
        coarse = SHOP.prior("normal(0, 50)", bins=100)
    assert found.distance is not None
    assert coarse.distance is not None
    assert 1 <= found.distance / (0.2 / 8 * peak) < 1.05
    assert 1 <= coarse.distance / (2 / 8 * peak) < 1.05
    assert SHOP.prior([1, 2]).distance == 0
    assert SHOP.prior({"samples": [1, 2, 3]}).distance is None


def test_what_binning_costs_is_never_understated() -> None:
    """An atom of 1/5 is all but a bin's share of it away; a step, by the bin that it cuts."""
    atom = Own(lambda x: 0.8 * np.clip(np.asarray(x) / 200, 0, 1) + 0.2 * (np.asarray(x) >= 100.05))
    spread = SHOP.prior(atom).distance
    assert spread is not None
    assert 0.2 - 0.2 * 0.001 <= spread < 0.201
    # Of uniform(13.37, 113.37) the first and the last bin hold 0.03 and 0.17 of 0.2 in one end.
    held = (0.03 * 0.17 + 0.17 * 0.03) / 0.2 / 100
    steps = SHOP.prior("uniform(13.37, 113.37)").distance
    assert steps is not None
    assert held <= steps < 1.2 * held


def test_edges_that_are_no_bins_keep_their_mass_at_a_stated_cost() -> None:
    thirds = {"weights": [1, 1], "edges": [0, "1000003/10007", 200]}
    found = SHOP.prior(thirds)
    assert found.bins == 1000
    assert found.distance is not None
    assert 0 < found.distance < 1e-3


def test_whole_values_have_a_weight_each() -> None:
    assert COUNT.prior([1, 2, 3, 2, 1]).weights == (1, 2, 3, 2, 1)
    assert COUNT.prior({"samples": [1, 2, 2, 5]}).weights == (1, 2, 0, 0, 1)
    binomial = COUNT.prior(scipy.stats.binom(4, 0.5, loc=1))
    expected = [1, 4, 6, 4, 1]
    for weight, share in zip(binomial.weights, expected, strict=True):
        assert weight / binomial.total == pytest.approx(share / 16, abs=1e-6)


def test_files(tmp_path: Path) -> None:
    table = tmp_path / "weights.csv"
    table.write_text("value,weight\n2,3\n4,1\n", "utf-8")
    assert COUNT.prior(table).weights == (0, 3, 0, 1, 0)
    table.write_text("50,1\n150,3\n", "utf-8")
    assert mass(SHOP.prior(table), 0, 100) == 0.25
    samples = tmp_path / "samples.csv"
    samples.write_text("samples\n10\n20\n150\n160\n", "utf-8")
    assert SHOP.prior(samples).source == "4 samples in 2 bins"
    toml = tmp_path / "prior.toml"
    toml.write_text('prior = "normal(60, 15)"\n', "utf-8")
    document = tmp_path / "prior.json"
    document.write_text(json.dumps({"prior": {"points": [30, 60, 120]}}), "utf-8")
    assert SHOP.prior(toml) == SHOP.prior("normal(60, 15)")
    assert SHOP.prior(document) == SHOP.prior("points(30, 60, 120)")
    again = tmp_path / "again.json"
    again.write_text(json.dumps(SHOP.prior("beta(2, 5)").to_dict()), "utf-8")
    assert SHOP.prior(again) == SHOP.prior("beta(2, 5)")


def test_to_dict_and_back() -> None:
    found = SHOP.prior("normal(60, 15)")
    again = Prior.from_dict(json.loads(json.dumps(found.to_dict())))
    assert (again, again.source, again.outside, again.distance) == (
        found,
        found.source,
        found.outside,
        found.distance,
    )
    assert repr(found) == "<Prior normal(60, 15): 2000 bins>"
    with pytest.raises(InvalidValue, match="list of weights"):
        Prior.from_dict({})


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ([1, -1], "must not be negative"),
        ([1, math.nan], "must be a finite number"),
        ([0, 0], "one of them must be positive"),
        ([], "from 1 to"),
        ("normal(1000, 1)", "lies outside the range 0 to 200"),
        ("normal(60, 0)", "must be above zero"),
        ("normal(60)", "must be one of normal"),
        ("normal(60 15)", r"normal takes \(mean, sd\): numbers with a comma between them"),
        ("bell(3)", "must be one of normal"),
        ("points(60, 30, 120)", "must rise"),
        (Own(lambda x: 1 - np.asarray(x) / 200), "never fall"),
        (Own(lambda x: np.asarray(x) * math.nan), "must be a number everywhere"),
        ({"samples": [7, 7, 7]}, "all samples are one value"),
        ({"samples": [500]}, "outside the range"),
        ({"points": [1, 2]}, "must be three"),
        ({"weights": [1], "edges": [0]}, "need 2 edges that rise"),
        ({"other": 1}, "must have weights"),
        ({"samples": [1, 2], "points": [1, 2, 3]}, "stated once"),
        ({"name": "ramp", "bins": 0}, "bins = 0: must be a whole number from 1"),
        ({"samples": []}, "there are no samples"),
        ({"samples": 5}, "samples must be a list of numbers"),
        ({"samples": None}, "samples must be a list of numbers"),
        ({"samples": "12 13"}, "samples must be a list of numbers"),
        ({"samples": np.array(5)}, "samples must be a list of numbers"),
        ({"samples": [[1, 2], [3, 4]]}, "samples must be a list of numbers"),
        ({"points": 5}, "points must be a list of numbers"),
        ({"weights": [1, 2], "edges": 5}, "edges must be a list of numbers"),
        ({"edges": [0, 1], "weights": None}, "weights must be a list of numbers"),
        ({"weights": [1, 2], "outside": "x"}, "outside = x: must be a finite number"),
        ({"weights": [1, 2], "distance": 2}, "distance = 2: must be a probability"),
        ({"weights": [1, 2], "atom": None}, "atom = None: must be a number"),
        ({"weights": [1, 2], "source": 5}, "source = 5: must be text"),
        (["a", "b"], "prior = a: must be one of normal"),
        (Own(lambda x: None), "must give one number for a place, and gave a NoneType"),
        (Own(lambda x: "a"), "must give one number for a place, and gave a str"),
        (Own(lambda x: "0.5"), "must give one number for a place, and gave a str"),
        (Own(lambda x: np.asarray(x) * 1j), "for a place, and gave a complex"),
        (Own(lambda x: 1 / 0), "for a place, and raised ZeroDivisionError"),
        (scipy.stats.norm([1, 2], [1, 2]), "for a place, and gave 2 of them"),
        (b"normal(60, 15)", "an object with a cdf"),
        (3.5, "an object with a cdf"),
    ],
)
def test_a_bad_prior_is_one_clear_error(stated: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message) as caught:
        SHOP.priors(stated, 1)
    assert "\n" not in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("value,weight\n1,many\n", "line 2 must be a value and a weight"),
        ("1,2,3\n", "line 1 must be"),
        ("", "holds no numbers"),
        ("value,weight\n1.5,1\n2,1\n", "is none of the values"),
        ("value,weight\n2,1\n2,3\n", "two weights"),
        ("value,weight\n20,1\n30,1\n", "outside the range 1 to 5"),
        ("value,weight\n1,1\n2,-1\n", "bad.csv: weights must not be negative"),
        ("value,weight\n1,0\n2,0\n", "one of them must be positive"),
        ("# of last year\n\nvalue,weight\n1,1\n2,x\n", "line 5 must be a value"),
        ("x1,1\n2,1\n3,1\n", "line 1 must be a value and a weight"),
        ("samples\n3\n3\n", "bad.csv: all samples are one value"),
        ("price\n1\n2\n3\n", "may be samples or weights: its first line must say which"),
        ("1\n2\n3\n", "may be samples or weights: its first line must say which"),
    ],
)
def test_a_bad_file_is_one_clear_error(words: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(words, "utf-8")
    with pytest.raises(InvalidValue, match=message):
        COUNT.prior(path)
    with pytest.raises(InvalidValue, match="No such file"):
        COUNT.prior(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("stated", ["normal(9, 9)", {"samples": [1, 2]}, {1: 2, 2: 3}])
def test_more_values_than_weights_is_said_so(stated: Any) -> None:
    with pytest.raises(InvalidValue, match="at most 1048576 whole values have a weight each"):
        Domain(1, 2 * 10**6, step=1).prior(stated)


def test_one_column_says_what_it_is(tmp_path: Path) -> None:
    """Last year's prices read as weights would hide the number under a law that nobody stated."""
    path = tmp_path / "column.csv"
    path.write_text("weights\n1\n2\n1\n", "utf-8")
    assert SHOP.prior(path) == Prior([1, 2, 1])
    path.write_text("1\n2\n3\n2\n1\n", "utf-8")
    assert COUNT.prior(path) == Prior([1, 2, 3, 2, 1])
    with pytest.raises(InvalidValue, match="must say which"):
        SHOP.prior(path)


def test_cells_in_quotes_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text('\ufeff"value","weight"\n"2","3"\n"4","1"\n', "utf-8")
    assert COUNT.prior(path).weights == (0, 3, 0, 1, 0)


@pytest.mark.parametrize("stated", [{2: 3, 4: 1}, {"2": "3", "4": "1"}, {"weights": {2: 3, 4: 1}}])
def test_a_mapping_of_values_to_weights(stated: Any) -> None:
    assert COUNT.prior(stated).weights == (0, 3, 0, 1, 0)


@pytest.mark.parametrize("line", ["{0};{1}", "{0} ; {1}", "{0}\t{1}"])
def test_a_decimal_comma_is_taken_where_no_comma_parts_the_columns(
    line: str, tmp_path: Path
) -> None:
    """As answer sheets take it."""
    rows = [("value", "weight"), ("30", "5,5"), ("60,5", "1"), ("90", "2,25")]
    (tmp_path / "comma.csv").write_text("\n".join(line.format(*row) for row in rows), "utf-8")
    point = "value,weight\n30,5.5\n60.5,1\n90,2.25\n"
    (tmp_path / "point.csv").write_text(point, "utf-8")
    assert SHOP.prior(tmp_path / "comma.csv") == SHOP.prior(tmp_path / "point.csv")


def test_a_weight_by_value_is_spread_to_midway_between_neighbours(tmp_path: Path) -> None:
    """The first and the last bin reach as far outwards as inwards (docs/how-to/priors.md)."""
    path = tmp_path / "values.csv"
    path.write_text("value,weight\n40,1\n80,2\n160,1\n", "utf-8")
    edges = [20, 60, 120, 200]
    assert SHOP.prior(path) == SHOP.prior({"weights": [1, 2, 1], "edges": edges})


def test_an_atom_heavier_than_the_promise_is_refused() -> None:
    with pytest.raises(OutOfRegime, match=r"probability 0\.6"):
        COUNT.problem(delta=1, level=2, prior=[1, 1, 6, 1, 1])
    with pytest.raises(InvalidValue, match="one weight for each of the 5 values"):
        COUNT.problem(delta=1, level=2, prior=[1, 2, 1])
    with pytest.raises(InvalidValue, match="one for each of the 2 coordinates"):
        Problem("1/100", "1/10", 3, dim=2, prior=[Prior([1, 2])] * 3)


def test_the_heaviest_window_is_found_wherever_it_lies() -> None:
    """By hand: weights 1 3 on halves; a window of 3/4 holds all of the right half and 1/8 more."""
    assert Prior([1, 3]).blind(Fraction(3, 4)) == Fraction(3, 4) + Fraction(1, 8)
    assert Prior([2, 1, 2]).blind(Fraction(1, 2)) == Fraction(2, 5) + Fraction(1, 10)
    assert Prior([1, 5, 5, 1]).blind(Fraction(1, 2)) == Fraction(10, 12)
    for delta in (Fraction(1, 7), Fraction(1, 3), Fraction(5, 8)):
        law = Prior([3, 1, 4, 1, 5, 9, 2, 6])
        opens = [Fraction(k, 8 * 21) for k in range(8 * 21)]
        best = max(law.below(t + delta) - law.below(t) for t in opens)
        assert law.blind(delta) == best
    widest = Prior([1, 3]).widest(Fraction(3, 8))
    assert widest == Fraction(1, 4)


def test_scipy_is_loaded_only_for_a_distribution() -> None:
    code = (
        "import sys; from feint import Domain; d = Domain(0, 200);"
        " d.problem(epsilon=1, delta=4, level=4, prior=[1, 2, 1]);"
        " print([m for m in ('scipy', 'numpy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_units_do_not_change_a_prior() -> None:
    here = UNIT.prior("normal(0.3, 0.075)").weights
    there = SHOP.prior("normal(60, 15)").weights
    assert all(abs(a - b) <= 1 for a, b in zip(here, there, strict=True))


def test_a_law_is_read_into_more_bins_while_those_are_far_from_it() -> None:
    """By h/8 · 2 · peak, in bins of width h: below a thousandth, or in 10 000 bins."""
    for sd, bins in ((45, 1000), (15, 2000), (5, 5000), (2, 10_000), ("0.01", 10_000)):
        found = SHOP.prior(f"normal(60, {sd})")
        assert found.bins == bins
        assert found.distance is not None
        assert found.distance <= 1e-3 or bins == 10_000
    assert SHOP.prior("normal(60, 2)", bins=1000).bins == 1000
    uneven = {"weights": [1, 5, 1], "edges": [0, "1000003/10007", "1010003/10007", 200]}
    assert SHOP.prior(uneven).bins == 10_000


@pytest.mark.parametrize("base", [10**6, 10**9, 10**14, 10**16, -(10**15), Fraction(10**20, 3)])
def test_a_law_by_name_is_read_alike_wherever_the_range_lies(base: Any) -> None:
    here, there = Domain(0, 1), Domain(base, base + 1)
    for name, numbers in {
        "normal": ("0.5", None),
        "triangular": ("0.1", "0.3", "0.9"),
        "uniform": ("0.2", "0.7"),
        "points": ("0.1", "0.5", "0.8"),
    }.items():
        moved = [f"{Fraction(each) + base}" if each else "0.15" for each in numbers]
        near = [each or "0.15" for each in numbers]
        found = there.prior(f"{name}({', '.join(moved)})")
        same = here.prior(f"{name}({', '.join(near)})")
        assert (found, found.distance) == (same, same.distance)
    for even in ("beta(1, 1)", f"uniform({base}, {base + 1})"):
        assert there.prior(even).uniform


def test_whole_values_far_from_zero_have_the_weights_they_have_near_it() -> None:
    """Floats lie 2 apart there: every other value weighed nothing, and the distance said none."""
    far = Domain(10**16, 10**16 + 29, step=1).prior("normal(10000000000000014.5, 6)")
    assert far == Domain(0, 29, step=1).prior("normal(14.5, 6)")
    share = [math.erf((k + 0.5 - 14.5) / 6 / 2**0.5) for k in range(-1, 30)]
    for k, weight in enumerate(far.weights):
        expected = (share[k + 1] - share[k]) / (share[30] - share[0])
        assert weight / far.total == pytest.approx(expected, abs=1e-9)


def test_a_law_that_is_skewed_is_read_near_its_scale() -> None:
    """A lognormal about 10^14, as wide as the range: its quantiles by hand."""
    far = Domain(10**14 - 4, 10**14 + 4)
    found = far.prior(f"lognormal({1e-14}, {10**14})")
    for z in (-2, -1, 0, 1, 2):
        place = Fraction(z + 4) / 8  # log(1 + x/10^14) is x/10^14 to 10^-28
        inside = math.erf(4 / 2**0.5)
        expected = (math.erf(z / 2**0.5) + inside) / 2 / inside
        assert float(found.below(place)) == pytest.approx(expected, abs=1e-6)


def test_a_cdf_of_floats_is_refused_where_they_do_not_tell_bins_apart() -> None:
    """SciPy's uniform on [10^6, 10^6 + 1] is one, but for a few parts in ten million."""
    near = Domain(10**6, 10**6 + 1).prior(scipy.stats.uniform(10**6, 1))
    assert near.uniform
    assert near.distance is not None
    assert 0 < near.distance < 2e-6
    assert not Domain(10**6, 10**6 + 1).prior(scipy.stats.norm(10**6 + 0.5, 0.2)).uniform
    with pytest.raises(InvalidValue, match=r"takes floats.*too far apart to tell 1000 bins; count"):
        Domain(10**9, 10**9 + 1).prior(scipy.stats.norm(10**9 + 0.5, 0.2))
    with pytest.raises(InvalidValue, match="too far apart"):
        Domain(10**16, 10**16 + 29, step=1).prior(scipy.stats.norm(10**16 + 14, 6))
    assert Domain(10**9, 10**9 + 29, step=1).prior(scipy.stats.norm(10**9 + 14, 6)).bins == 30


def test_so_little_inside_that_floats_cannot_tell_is_refused() -> None:
    with pytest.raises(InvalidValue, match="so little of it lies inside the range 8 to 9"):
        Domain(8, 9).prior("normal(0, 1)")
    with pytest.raises(InvalidValue, match="so little of it lies inside"):
        UNIT.prior("normal(0, 100000000000000)")


def test_much_outside_the_range_is_a_warning() -> None:
    with pytest.warns(OutsideRange, match=r"99\.99 % of points\(1000, 2000, 3000\) lies outside"):
        found = SHOP.prior("points(1000, 2000, 3000)")
    SHOP.prior("normal(60, 15)")
    SHOP.problem(epsilon=1, delta=4, level=2, prior=found)  # said once, when it was read


def test_an_atom_is_known_by_its_mass() -> None:
    def atom(x: Any) -> Any:
        return 0.6 * np.clip(np.asarray(x) / 200, 0, 1) + 0.4 * (np.asarray(x) >= 77.1)

    assert SHOP.prior(Own(atom)).atom == pytest.approx(0.4, abs=1e-9)
    assert SHOP.prior(Own(lambda x: 1.0 if x >= 0 else 0.0)).atom == 1
    assert SHOP.prior(scipy.stats.norm(60, 0.01)).atom == 0
    assert SHOP.prior({"samples": [1, 50, 50, 50, 99, 120]}).atom == 0.5
    assert SHOP.prior({"samples": [1, 50, 99, 120]}).atom == 0
    assert COUNT.prior({"samples": [1, 2, 2, 5]}).atom == 0
    held = SHOP.prior(Own(atom))
    assert Prior.from_dict(json.loads(json.dumps(held.to_dict()))).atom == held.atom


def test_odds_of_many_digits_are_rounded_at_a_stated_cost() -> None:
    """1/k for k up to 800: over a common denominator they had 347 digits, and overflowed."""
    zipf = [Fraction(1, k) for k in range(1, 801)]
    found = Prior(zipf)
    assert max(found.weights) < 10**77
    whole = sum(zipf)
    pairs = zip(found.weights, zipf, strict=True)
    off = sum(abs(Fraction(weight, found.total) - share / whole) for weight, share in pairs) / 2
    assert found.distance is not None
    assert 0 < off <= Fraction(found.distance) < Fraction(1, 10**50)
    assert Prior.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert Prior([Fraction(1, 10**200), 1]).distance == Fraction(2, 1 << 192)
    words = Domain(1, 800, step=1)
    problem = words.problem(delta=1, level=4, prior=zipf)
    assert plan(problem, domain=words).private
    pages = SHOP.problem(epsilon=1, delta="0.4", level=2, prior=zipf[:700])
    assert plan(pages, domain=SHOP).private


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"samples": 5}, "samples must be a list of numbers"),
        ({"samples": []}, "there are no samples"),
        ({"weights": [1, 2], "edges": 5}, "edges must be a list of numbers"),
        ({"weights": [1, 2], "outside": "x"}, "outside must be a finite number"),
        ({"weights": [1, 2], "source": 5}, "source must be text"),
    ],
)
def test_what_is_wrong_in_a_document_is_said_of_the_file(
    held: Any, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(held), "utf-8")
    with pytest.raises(InvalidValue, match=f"prior = bad.json: {message}"):
        SHOP.prior(path)


def test_a_source_that_is_no_text_is_the_wrong_type() -> None:
    wrong: Any = 5
    with pytest.raises(WrongType, match="source = 5: must be text"):
        Prior([1, 2], source=wrong)
