"""The client of docs/how-to/federated.md answers a real server, as it stands on the page."""

import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.browsers import listening

from feint import Domain, plan
from feint.journal.polls import Terms

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "federated.md"
NUMBERS = (31.5, 77.25, 42.125, 12.0, 58.5)


def client_of_the_page() -> str:
    (block,) = (
        each for each in PAGE.read_text("utf-8").split("```python\n") if "urllib.request" in each
    )
    return block.split("```")[0]


def executed(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "client"}
    exec(compile(text, str(PAGE), "exec"), names)
    return names


def replying(listener: socket.socket, replies: list[bytes]) -> None:
    """A server that says these, one to each connection, and hangs up."""
    for reply in replies:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(reply)


DONE = b'{"standing": "done", "ballots": []}'
OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    "replies",
    [
        [b"", OK + b"\r\n" + DONE],  # away before it replied
        [OK + b"Content-Length: 100\r\n\r\n" + DONE[:5], OK + b"\r\n" + DONE],  # cut off
        [OK + b"\r\n" + DONE[:5], OK + b"\r\n" + DONE],  # cut off, and no length was told
        [b"HTTP/1.1 502 Bad\r\nContent-Length: 0\r\n\r\n", OK + b"\r\n" + DONE],
        [b"HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n"],  # there is no such poll: the end
    ],
)
def test_the_client_outlives_a_server_that_goes_away(replies: list[bytes]) -> None:
    client = executed(client_of_the_page())["Client"]
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=replying, args=(listener, replies))
        server.start()
        port = listener.getsockname()[1]
        client(f"http://127.0.0.1:{port}", "token", "3.5", pause=0.0).run()
        server.join()


def test_fifty_lines_join_any_framework() -> None:
    text = client_of_the_page()
    assert len(text.splitlines()) <= 56
    names = executed(text)
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
