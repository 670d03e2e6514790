"""Write the stored searches of the newest version: `python -m tests.search.make_saved`.

Each is planned anew for the problem of its namesake in version 1 (and one at ticks), stopped
half-way, and what it goes on to ask and find is written beside it. Files of a version that was
released are never written again.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.support.saved import SAVED, two_fifths
from tests.support.uneven import Forked

from feint import Domain, Plan, Problem, Search, plan
from feint.problem import Prior
from feint.search import create, load
from feint.search.saved import VERSION


def answered(search: Search, questions: int) -> list[list[str]]:
    """Answer questions in order; those that were answered."""
    asked = list[list[str]]()
    while len(asked) < questions and not search.done:
        for query in search.ask()[: questions - len(asked)]:
            asked.append([query.id, query.shown])
            search.tell(query.id, two_fifths(search, query))
    return asked


def made(path: Path, again: Plan, **options: Any) -> dict[str, Any]:
    """Store a search; what it goes on to ask and find."""
    path.unlink(missing_ok=True)
    search = create(path, again, **options)
    answered(search, again.queries // 2)
    goes_on = Search.from_json(search.to_json())
    asked = answered(goes_on, again.queries)
    return {"asked": asked, "result": goes_on.result.to_dict()}


def like(first: Path, path: Path) -> dict[str, Any]:
    """Store a search like one that was stored in version 1."""
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        copy.write_bytes(first.read_bytes())
        copy.chmod(0o600)
        old = load(copy)
    units = old.plan.domain if old.plan.domain.values == old.plan.problem.values else None
    again = plan(old.plan.problem, domain=units, method=old.plan.method)
    return made(path, again, yes_means=old.yes_means, domains=old.domains)


def main() -> None:
    """Write them all."""
    folder = SAVED / f"v{VERSION}"
    folder.mkdir(exist_ok=True)
    firsts = (SAVED / "v1").glob("*.jsonl")
    expected = {first.stem: like(first, folder / first.name) for first in firsts}
    cents = Domain(10, 110, label="price", tick="0.01")
    again = plan(cents.problem(epsilon="0.3", delta=7, level=3), domain=cents)
    expected["tick"] = made(folder / "tick.jsonl", again)
    shop = Domain(0, 200, label="price")
    believed = shop.problem(epsilon=5, delta=20, level=3, prior="normal(90, 45)")
    expected["prior"] = made(folder / "prior.jsonl", plan(believed, domain=shop))
    spikes = Prior(([1] + [0] * 9) * 32)
    noisy = Problem("1/16", "1/4", 2, p="0.99", confidence="0.99", prior=spikes)
    expected["noisy-prior"] = made(folder / "noisy-prior.jsonl", plan(noisy))
    fifteen = Domain(0, 15, step=1, label="price")
    expected["uneven"] = made(folder / "uneven.jsonl", Plan.of(Forked(), domain=fifteen))
    (folder / "expected.json").write_text(json.dumps(expected, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
