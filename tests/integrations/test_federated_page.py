"""The client of docs/federated.md answers a real server, as it stands on the page."""

import threading
from pathlib import Path
from typing import Any

from tests.support.browsers import listening

from feint import Domain, plan
from feint.poll import Terms

PAGE = Path(__file__).parents[2] / "docs" / "federated.md"
NUMBERS = (31.5, 77.25, 42.125, 12.0, 58.5)


def client_of_the_page() -> str:
    (block,) = (
        each for each in PAGE.read_text("utf-8").split("```python\n") if "urllib.request" in each
    )
    return block.split("```")[0]


def test_fifty_lines_join_any_framework() -> None:
    text = client_of_the_page()
    assert len(text.splitlines()) <= 53
    names: dict[str, Any] = {"__name__": "client"}
    exec(compile(text, str(PAGE), "exec"), names)
    domain = Domain(0, 100)
    found = plan(domain.problem(epsilon=1, delta=5, level=4), domain=domain)
    with listening() as site:
        site.polls.create("median", found, terms=Terms(quorum=len(NUMBERS)))
        tokens = [site.polls.invite("median")[1] for _ in NUMBERS]
        clients = [
            names["Client"](site.url, token, number, pause=0.02)
            for token, number in zip(tokens, NUMBERS, strict=True)
        ]
        threads = [threading.Thread(target=each.run) for each in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        result = site.polls.result("median")
    assert abs(float(result.estimate) - 42.125) <= 0.5
