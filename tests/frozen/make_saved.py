"""Write saved searches and a journal of the newest version: `python -m tests.frozen.make_saved`.

Only families that have no file in any version are written, and the journal only if there is none of
its version: what was stored once is never written again.
"""

import json
from collections import Counter
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.frozen.families import FAMILIES
from tests.support.frozen import FOLDER, NUMBER, played
from tests.support.journals import KEY

from feint import Search
from feint.journal import SQL, begin
from feint.journal.tables import VERSION as DATABASE
from feint.search import keep
from feint.search.saved import VERSION

OTHERS = tuple(map(Fraction, ("1/40", "3/5", "31/32")))
"""Where else X* may lie, for searches that were just begun."""

CORE = {
    *("staged", "table", "prior", "noisy", "uneven", "uneven-ladder", "uneven-product", "sure"),
}
"""The families that are stored at every stage; others are just begun, or stand within a round."""

JOURNAL = {
    *("staged", "staged-below", "table", "table-blocks", "table-planted", "table-product"),
    *("prior", "prior-product", "product-units", "noisy", "noisy-product"),
}
"""The families of the journal: one of each kind, since a search takes 8 kB there."""


def stages(widths: list[int]) -> dict[str, tuple[int, bool]]:
    """Return where searches are stopped.

    Args:
        widths: How many questions each round of the search has.

    Returns:
        For each stage, how many questions are answered, and whether the next are shown then.
    """
    middle = len(widths) // 2
    order = sorted(range(len(widths)), key=lambda each: (widths[each] < 2, abs(each - middle)))
    before = sum(widths[: order[0]])
    return {
        "begun": (0, False),
        "midway": (before + widths[order[0]] // 2, True),
        "between": (sum(widths[: max(1, middle)]), False),
        "done": (sum(widths), False),
    }


def widths_of(name: str) -> list[int]:
    """Return how many questions each round of a family's search asks."""
    family = FAMILIES[name]
    search = Search(
        family.plan(), key=key_of(name), yes_means=family.yes_means, domains=family.domains
    )
    played(search, NUMBER)
    asked = Counter(each.round for each in search.history)
    return [asked[number] for number in range(search.result.rounds)]


def key_of(family: str) -> bytes:
    """Return the key of a family's searches."""
    return blake2b(family.encode(), digest_size=32).digest()


def frozen_family(name: str) -> dict[str, Any]:
    """Return a family's searches as files hold them, and how each goes on."""
    family = FAMILIES[name]
    plan = family.plan()
    how: dict[str, Any] = {"yes_means": family.yes_means, "domains": family.domains}
    stops = stages(widths_of(name))
    kept = {each: stops[each] for each in stops if name in CORE or each in ("begun", "midway")}
    headers, bodies = set[str](), dict[str, list[str]]()
    for stage, (answers, shown) in kept.items():
        with TemporaryDirectory() as folder:
            path = Path(folder) / "search.jsonl"
            search = keep(path, Search(plan, key=key_of(name), **how))
            played(search, NUMBER, answers)
            if shown:
                search.ask()
            header, *bodies[stage] = path.read_text("utf-8").splitlines()
            headers.add(header)
    (header,) = headers
    courses = dict[str, Any]()
    for share in (NUMBER, *OTHERS):
        search = Search(plan, key=key_of(name), **how)
        asked = played(search, share)
        courses[str(share)] = {"asked": asked, "result": search.result.to_dict()}
    return {
        "answered": {stage: answers for stage, (answers, _) in kept.items()},
        "courses": courses,
        "header": header,
        "stages": bodies,
    }


def write_journal(path: Path) -> None:
    """Write a database with a search of each kind, stopped within a round."""
    path.unlink(missing_ok=True)
    store = SQL(f"sqlite:///{path}", key=KEY)
    for name in sorted(JOURNAL):
        family = FAMILIES[name]
        plan = family.plan()
        how: dict[str, Any] = {"yes_means": family.yes_means, "domains": family.domains}
        search = begin(store, name, plan, key=key_of(name), **how)
        answers, _ = stages(widths_of(name))["midway"]
        played(search, NUMBER, answers)
        search.ask()
    store.close()


def main() -> None:
    """Write the saved searches and the journal of the newest version."""
    folder = FOLDER / "saved" / f"v{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    there = {path.stem for path in FOLDER.glob("saved/v*/*.json")}
    for name in FAMILIES.keys() - there:
        words = json.dumps(frozen_family(name), indent=0, ensure_ascii=False)
        (folder / f"{name}.json").write_text(words + "\n", "utf-8")
    (FOLDER / "journal").mkdir(exist_ok=True)
    journal = FOLDER / "journal" / f"v{DATABASE}.db"
    if not journal.exists():
        write_journal(journal)


if __name__ == "__main__":
    main()
