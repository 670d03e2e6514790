"""The paper's figures: their numbers are the theorems' and the plans', and all files are there."""

import csv
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from feint import InvalidValue, Problem, plan
from feint.bounds import bayesian_earlier_upper, bayesian_lower, bayesian_upper
from feint.errors import TooLarge
from feint.research.reproduce import (
    GROUPS,
    Chart,
    Drawing,
    Exhibit,
    Listing,
    exhibits,
    publish,
    reproduce,
)
from feint.research.reproduce.draw import draw
from feint.research.reproduce.figure import compute
from feint.research.reproduce.figures import NOISE
from feint.research.reproduce.page import STAMPS, digest, outline
from feint.simulate import Serial, simulate
from feint.simulate.adversaries import standard

RUNS = 300
ROOT = Path(__file__).parents[3]
PICTURES, EXAMPLES = ROOT / "docs" / "pictures", ROOT / "examples"
SIMULATE = "feint.research.reproduce.figure.simulate"
SIMULATED = ("dimensions", "noise", "privacy")
# Under noise a plan takes its time: fewer points are tried here, all of them with the slow tests.
# The gaps that take longest, next to one half, are left to the long ones.
EPSILONS = tuple(Fraction(1, 2**k) for k in (16, 12, 8))
GAPS = (*(Fraction(1, k) for k in (256, 64, 32)), *(Fraction(k, 50) for k in (20, 22, 24)))
WIDE = GAPS[3:]
FEW = [replace(each, x=WIDE if each.name == "noisy-limit" else EPSILONS) for each in NOISE]
LIMIT = [replace(each, x=GAPS) for each in NOISE if each.name == "noisy-limit"]


@cache
def made(group: str) -> dict[str, Exhibit]:
    """The exhibits of a group from few runs, each group once."""
    if group in ("noise", "limit"):
        wanted = FEW if group == "noise" else LIMIT
        found = [compute(each, RUNS, 0, Serial()) for each in wanted]
    else:
        found = exhibits(only=[group], runs=RUNS, executor=Serial())
    return {each.name: each for each in found}


def shown(name: str) -> Exhibit:
    """One exhibit from few runs, by its name."""
    groups = {
        "figure": "bounds",
        "table": "bounds",
        "gap": "bounds",
        "strategy": "strategies",
        "noisy": "noise",
    }
    first = name.split("-")[0]
    return made(groups.get(first, first))[name]


def chart_of(name: str) -> Chart:
    chart = shown(name)
    assert isinstance(chart, Chart)
    return chart


# One exhibit of every form: with and without a legend, a lower chart, a zoom, a picture at all.
PUBLISHED = (
    *("table-1", "price", "dimensions-bayesian", "privacy-tight"),
    *("strategy-bayesian", "strategy-deterministic-3"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish([shown(name) for name in PUBLISHED], tmp_path_factory.mktemp("out")).parent


def _stamps(path: Path) -> tuple[str, str]:
    with Image.open(path) as picture:
        whole, computed = (str(picture.info[each]) for each in STAMPS)
        return whole, computed


def column(chart: Exhibit, label: str) -> list[float | None]:
    assert isinstance(chart, Chart)
    curves = (*chart.curves, *chart.below)
    return next(list(curve.y) for curve in curves if curve.label == label)


def test_figure_1_is_the_theorems_and_the_plans() -> None:
    chart = chart_of("figure-1")
    place = chart.x.index(2.0**-20)
    problem = Problem("2^-20", "2^-8", 15)  # δ = 4·2^−10
    for label, value in [
        ("upper bound, this paper", bayesian_upper(problem)),
        ("lower bound, this paper", bayesian_lower(problem)),
        ("upper bound, earlier", bayesian_earlier_upper(problem)),
        ("lower bound, feint", 199),
        ("tight (feint's default)", 199),
        ("the paper's strategy", 213),
    ]:
        assert column(chart, label)[place] == value
    # Cut off where δ reaches 1/L: ε = 2^−12 has δ = 1/16, and 2^−11 has more than 1/15.
    assert max(chart.x) == 2.0**-12


@pytest.mark.parametrize(("name", "most"), [("bayesian", 9), ("deterministic", 2)])
def test_the_gap_over_the_papers_range(name: str, most: int) -> None:
    """`tight` is optimal at every second place of figure 1; a better planner only closes it."""
    chart = chart_of(f"gap-{name}")
    ours = [each for each in column(chart, "tight, feint's bound") if each is not None]
    theirs = [each for each in column(chart, "tight, paper's bound") if each is not None]
    assert len(ours) == len(chart.x)
    assert min(ours) >= 0
    assert max(ours) <= most
    assert name != "bayesian" or ours.count(0) >= len(ours) // 2
    assert all(a <= b for a, b in zip(ours, theirs, strict=True))


def test_a_real_count_lies_between_the_bounds() -> None:
    for name in ("figure-1", "figure-2", "dimensions-bayesian", "dimensions-deterministic"):
        ours = column(shown(name), "tight (feint's default)")
        low = column(shown(name), "lower bound, this paper")
        high = column(shown(name), "upper bound, this paper")
        for a, b, c in zip(low, ours, high, strict=True):
            if a is not None and b is not None and c is not None:
                assert a <= b <= c


def test_no_eavesdropper_beats_the_promise_by_more_than_chance() -> None:
    for method in ("tight", "paper"):
        chart = chart_of(f"privacy-{method}")
        promise = column(chart, "1/L, the promise")
        best = column(chart, "best eavesdropper, exact")
        assert all(
            b is not None and p is not None and b <= p for b, p in zip(best, promise, strict=True)
        )
        for curve in chart.curves:
            for y, error, limit in zip(curve.y, curve.error, promise, strict=False):
                assert y is not None
                assert limit is not None
                assert y - 2 * error[0] <= limit


def test_price_is_that_of_the_plan() -> None:
    chart = chart_of("price")
    place = chart.x.index(2.0**-8)
    problem = Problem(Fraction(1, 2**20), Fraction(1, 2**8), 16)
    assert column(chart, "L = 16")[place] == plan(problem).queries


@pytest.mark.long
def test_noise_grows_like_the_inverse_square() -> None:
    """Scaled by (p − 1/2)², both bounds change by less than a hundredth near p = 1/2."""
    chart = made("limit")["noisy-limit"]
    assert isinstance(chart, Chart)
    for label in ("upper bound, this paper", "lower bound, this paper"):
        nearest, next_one = column(chart, label)[:2]
        assert nearest is not None
        assert nearest == pytest.approx(next_one, rel=0.01)
    most = dict(chart.more)["tight (feint), at most"]
    for label in ("the paper's strategy", "fixed (feint)"):
        near = [column(chart, label)[chart.x.index(2.0**-j)] for j in (6, 5)]
        assert near[0] is not None
        assert near[0] == pytest.approx(near[1], rel=0.01)
    far, nearer = (most[chart.x.index(2.0**-j)] for j in (5, 6))
    assert isinstance(far, int)
    assert nearer == pytest.approx(4 * far, rel=0.01)


@pytest.mark.long
def test_plans_end_where_a_method_would_ask_too_much() -> None:
    """As the caption says: a marker is missing only where a plan would have over 2^24 questions."""
    chart = made("limit")["noisy-limit"]
    assert isinstance(chart, Chart)
    _end_where_plans_do(chart, missing=1)


def _end_where_plans_do(chart: Chart, *, missing: int) -> None:
    assert "at most 2^24 questions" in chart.caption
    found = 0
    labels = {
        "tight": "tight (feint), mean",
        "fixed": "fixed (feint)",
        "paper": "the paper's strategy",
    }
    for method, label in labels.items():
        for gap, asked in zip(chart.x, column(chart, label), strict=True):
            if asked is None:
                p = Fraction(1, 2) + Fraction(gap)
                problem = Problem("1/1000", "1/50", 5, p=p, confidence="19/20")
                if method == "tight" and dict(chart.more)[f"{label[:-4]}at most"]:
                    assert plan(problem).queries_mean is None or plan(problem).asks_all
                    assert dict(chart.more)["simulated runs"][chart.x.index(gap)] is None
                    continue
                found += 1
                with pytest.raises(TooLarge, match=r"at most 2\^24 questions"):
                    plan(problem, method=method)
    assert found == missing


def test_pictures_say_how_many_runs_there_were() -> None:
    for name in ("noisy-average", "noisy-confident", "noisy-limit"):
        assert f"{RUNS} runs each" in shown(name).parameters
        assert _runs_of(shown(name)) == {RUNS}


def _runs_of(exhibit: Exhibit) -> set[int]:
    assert isinstance(exhibit, Chart)
    done = dict(exhibit.more)["simulated runs"]
    return {each for each in done if isinstance(each, int)}


def test_mean_errors_have_no_bars() -> None:
    """An error that no run met may weigh more than all the others: no interval would hold."""
    chart = chart_of("noisy-average")
    assert not chart.below[1].error
    assert "interval" not in chart.caption + chart.parameters
    assert "without bars" in chart.caption


@pytest.fixture
def seeds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of simulations; the outcome of one run stands for what each of them finds."""
    small = plan(Problem("1/64", "1/12", 3))
    adversaries = standard(small.problem, small.cells)
    outcome = simulate(small.strategy, runs=1, adversaries=adversaries, seed=0)
    given: list[int] = []

    def counted(*words: Any, seed: int, **options: Any) -> Any:
        given.append(seed)
        return outcome

    monkeypatch.setattr(SIMULATE, counted)
    return given


@pytest.mark.parametrize(
    "gaps", [pytest.param(WIDE, id="wide"), pytest.param(GAPS, id="all", marks=pytest.mark.long)]
)
def test_every_simulated_point_has_a_seed_of_its_own(
    gaps: tuple[Fraction, ...], seeds: list[int]
) -> None:
    exhibits(only=["dimensions", "privacy"], runs=1)
    points = 2 * 8 + 2 * 11  # settings and coordinates; methods and levels
    for each in FEW:
        compute(replace(each, x=gaps) if each.name == "noisy-limit" else each, 1, 0, Serial())
    points += 2 * 3 + 3  # accurate in two ways; of the gaps those that are played often enough
    assert len(seeds) == len(set(seeds)) == points
    first = list(seeds)
    seeds.clear()
    exhibits(only=["privacy"], runs=1, seed=1)
    assert len(seeds) == 2 * 11
    assert not set(seeds) & set(first)


def _numbers(values: Iterable[object]) -> list[float]:
    found = [each for each in values if isinstance(each, int | float)]
    assert found
    return found


def test_simulated_runs_ask_what_the_plan_says_and_keep_its_promise() -> None:
    for name in ("dimensions-bayesian", "dimensions-deterministic"):
        chart = chart_of(name)
        asked = dict(chart.more)["asked in every run"]
        assert list(asked) == column(chart, "tight (feint's default)")
    for name in ("noisy-confident", "noisy-average"):
        chart = chart_of(name)
        told = [
            _numbers(dict(chart.more)["asked by simulated runs, mean"]),
            _numbers(column(chart, "tight (feint), mean")),
            _numbers(dict(chart.more)["tight (feint), at most"]),
            _numbers(column(chart, "fixed (feint)")),
            _numbers(column(chart, "the paper's strategy")),
        ]
        for simulated, mean, cap, fixed, paper in zip(*told, strict=True):
            # 300 runs whose lengths have a standard deviation of a fifth of the mean at most.
            assert simulated == pytest.approx(mean, rel=5 * 0.2 / RUNS**0.5)
            assert mean < cap
            assert mean < fixed < paper
    for name, label in [
        ("dimensions-bayesian", "eavesdropper truncated"),
        ("noisy-confident", "missed by more than ε/2"),
        ("noisy-average", "mean error / ε"),
        ("noisy-limit", "missed by more than ε/2"),
    ]:
        chart = chart_of(name)
        limit, sampled = chart.below
        assert sampled.label == label
        assert sum(y is not None for y in sampled.y) >= 3
        bars = sampled.error or ((0.0, 0.0),) * len(sampled.y)
        for y, (low, _), most in zip(sampled.y, bars, limit.y, strict=True):
            assert most is not None
            assert y is None or y - 2 * low <= most
    # Against a uniform number the worst-case promise says nothing, and the chart shows it.
    worst = chart_of("dimensions-deterministic")
    assert "in the worst case only" in worst.below[0].label
    assert all(y is not None and y > 1 / 60 for y in worst.below[1].y)


def test_one_group_alone_is_that_part_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feint.research.reproduce.draw", lambda exhibit, out: None)
    page = reproduce(tmp_path / "new", only=["strategies", "price"], runs=RUNS)
    names = [path.stem for path in page.parent.glob("*.csv")]
    assert sorted(names) == sorted([*made("strategies"), *made("price")])
    text = page.read_text("utf-8")
    part = "The paper&#x27;s figures, reproduced in part: strategies, price"
    assert f"<title>{part}</title>" in text
    assert f"<h1>{part}</h1>" in text
    assert "made with <code>--only strategies,price</code>" in text
    assert set(GROUPS) == {
        "bounds",
        "strategies",
        "dimensions",
        "noise",
        "privacy",
        "price",
        "remarks",
    }
    with pytest.raises(InvalidValue, match="only = prices: must be among bounds"):
        reproduce(tmp_path / "none", only=["prices"])
    assert not (tmp_path / "none").exists()


def test_illustrations_have_as_many_places_as_they_say() -> None:
    places = {"strategy-bayesian": 5, "strategy-deterministic-3": 3, "strategy-deterministic-7": 7}
    for name, count in places.items():
        drawing = shown(name)
        assert isinstance(drawing, Drawing)
        assert len(drawing.possible) == count
        starts = [low for low, _ in drawing.possible]
        assert starts == sorted(set(starts))
        assert all(0 <= point <= 1 for batch in drawing.batches for point in batch.points)
    bayesian = shown("strategy-bayesian")
    assert isinstance(bayesian, Drawing)
    assert any(low <= bayesian.target < high for low, high in bayesian.possible)
    # K₁ = 3 halvings, 4 cuts, and K₂ = 3 batches of 5.
    assert [len(batch.points) for batch in bayesian.batches] == [1, 1, 1, 4, 5, 5, 5]


def test_every_file_is_there_and_says_the_same(folder: Path) -> None:
    page = (folder / "index.html").read_text("utf-8")
    assert "http" not in page
    assert "<title>The paper&#x27;s figures, reproduced</title>" in page
    assert "--only" not in page
    for name in PUBLISHED:
        exhibit = shown(name)
        with (folder / f"{name}.csv").open(encoding="utf-8") as file:
            rows = list(csv.reader(file))
        assert tuple(rows[0]) == exhibit.header
        assert len(rows) == 1 + len(exhibit.rows)
        assert f'id="{name}"' in page
        if not isinstance(exhibit, Listing):
            assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
            assert ElementTree.parse(folder / f"{name}.svg").getroot().tag.endswith("svg")
            assert f'src="{name}.png"' in page


def test_the_same_exhibit_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    for name in ("price", "strategy-bayesian"):
        exhibit = shown(name)
        assert not isinstance(exhibit, Listing)
        for path in draw(exhibit, tmp_path):
            assert path.read_bytes() == (folder / path.name).read_bytes()


def _in_the_docs(found: dict[str, Exhibit]) -> list[tuple[Path, Exhibit]]:
    pictures = {path.stem: path for path in PICTURES.glob("*.png")}
    return [(path, found[name]) for name, path in pictures.items() if name in found]


@pytest.mark.parametrize("group", [each for each in GROUPS if each != "noise"])
def test_pictures_in_the_docs_are_what_the_command_makes(group: str) -> None:
    """A picture is stamped with hashes of what it shows, and of that without what was simulated."""
    in_docs = _in_the_docs(made(group))
    assert (group == "price") == (not in_docs)
    for path, exhibit in in_docs:
        whole, computed = _stamps(path)
        assert computed == outline(exhibit), f"make {path.name} again"
        assert group in SIMULATED or whole == digest(exhibit), f"make {path.name} again"


@pytest.mark.slow
@pytest.mark.parametrize("group", SIMULATED)
def test_pictures_in_the_docs_have_what_the_command_simulates(group: str) -> None:
    found = {each.name: each for each in exhibits(only=[group])}
    in_docs = _in_the_docs(found)
    assert in_docs
    for path, exhibit in in_docs:
        assert _stamps(path) == (digest(exhibit), outline(exhibit)), f"make {path.name} again"
    if group == "noise":  # where long runs are fewer than asked for
        chart = found["noisy-limit"]
        assert isinstance(chart, Chart)
        runs = _runs_of(chart)
        assert f"{min(runs)} to {max(runs):,} runs each" in chart.parameters
        assert min(runs) < 1000
        _end_where_plans_do(chart, missing=5)


def test_no_picture_in_the_docs_is_unknown() -> None:
    """It is an exhibit, or an example, a test or a command on its page says that it draws it."""
    known = {name for group in GROUPS for name in made(group)}
    drawing = [*EXAMPLES.glob("**/*.py"), *Path(__file__).parents[2].glob("**/*.py")]
    said = [each.read_text("utf-8") for each in drawing]
    pages = [each.read_text("utf-8") for each in PICTURES.parent.rglob("*.md")]
    pages_themselves = {"attack"}  # photographs of the page: docs/how-to/page.md
    for path in PICTURES.glob("*.png"):
        if path.stem in pages_themselves:
            continue
        if path.stem not in known and not any(path.name in text for text in said):
            assert any(f"--plot {path.name}" in text for text in pages)


def test_the_stamp_changes_with_a_number_and_its_outline_with_one_that_is_computed(
    folder: Path, tmp_path: Path
) -> None:
    chart = chart_of("privacy-tight")
    stamps = _stamps(folder / "privacy-tight.png")
    assert stamps == (digest(chart), outline(chart))
    *others, last = chart.curves
    sampled = replace(chart, curves=(*others, replace(last, y=last.y[::-1])))
    assert digest(sampled) != stamps[0]
    assert outline(sampled) == stamps[1]
    computed = replace(chart, curves=chart.curves[1:])
    assert digest(computed) != stamps[0]
    assert outline(computed) != stamps[1]


@pytest.mark.parametrize("group", SIMULATED)
def test_ctrl_c_leaves_no_figure_of_fewer_runs(
    group: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(*words: Any, **options: Any) -> Any:
        return replace(simulate(*words, **options), wanted=10**6)

    monkeypatch.setattr(SIMULATE, stopped)
    with pytest.raises(KeyboardInterrupt):
        reproduce(tmp_path, only=[group], runs=20)
    assert not list(tmp_path.iterdir())


def test_bars_are_in_the_table() -> None:
    chart = shown("privacy-tight")
    name = "eavesdropper last"
    at = chart.header.index(name)
    assert chart.header[at + 1 : at + 3] == (f"{name}, low", f"{name}, high")
    for row in chart.rows:
        value, low, high = (float(str(each)) for each in row[at : at + 3])
        assert 0 <= low <= value <= high <= 1
