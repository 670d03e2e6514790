"""The Python of docs/how-to/server.md that is no doctest runs against a real server."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.browsers import listening

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "server.md"
URL = "http://127.0.0.1:8000"  # as the page has it


def blocks() -> list[str]:
    found = [part.split("```")[0] for part in PAGE.read_text("utf-8").split("```python\n")[1:]]
    return [block for block in found if ">>>" not in block]


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the page leaves its respondent open
def test_the_poll_of_the_page_is_created_and_answered() -> None:
    poll, _ = blocks()
    with listening() as site:
        texts: list[str] = []

        def ask_anna(text: str) -> bool:
            texts.append(text)
            return True

        names: dict[str, Any] = {"owner_token": site.owner, "ask_anna": ask_anna}
        assert URL in poll
        exec(compile(poll.replace(URL, site.url), str(PAGE), "exec"), names)
        names["respondent"].close()
        assert len(texts) == 1  # of three votes that close the first question
        assert texts[0].startswith("Is the price at least ")
        (ballot,) = site.polls.sheet("spring prices", names["person"]).ballots
        assert ballot.vote is True


def test_the_growing_samples_of_the_page_are_accepted() -> None:
    poll, growing = blocks()
    from feint.server.client import Client

    with listening() as site, Client(site.url, site.owner) as server:
        names: dict[str, Any] = {"server": server}
        imports = [line for line in poll.splitlines() if line.startswith("from ")]
        (problem,) = (line.strip() for line in poll.splitlines() if "problem = " in line)
        exec(compile("\n".join([*imports, problem, growing]), str(PAGE), "exec"), names)
        assert site.polls.status("spring prices")["standing"] == "open"
