"""Schemathesis over the server's own description: no 5xx, and no status that is not in it."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.support.servers import Served, served

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ROLES = ("owner", "respondent", "nobody")
load_all_checks()


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served(queries=500, body=1 << 14) as found:
        yield found


def fuzz(server: Served, role: str, examples: int) -> int:
    """Send what the description allows, and what it does not, to every page but streams."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", server.client.app)
    count = 0

    def one(operation: Any) -> None:
        @settings(
            max_examples=examples,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            deadline=None,
            derandomize=True,
        )
        @given(case=operation.as_strategy())
        def send(case: Any) -> None:
            nonlocal count
            count += 1
            if role == "respondent" or "price" not in server.polls.names():
                server.polls.delete("price")
                server.create(quorum=1)
            _, token = server.polls.invite("price", id="schema")
            tokens = {"owner": server.owner, "respondent": token, "nobody": "none"}
            headers = {"Authorization": f"Bearer {tokens[role]}"}
            if "name" in (case.path_parameters or {}) and count % 2:
                case.path_parameters["name"] = "price"
            case.call_and_validate(headers=headers, checks=CHECKS)

        send()

    for found in schema.get_all_operations():
        operation: Any = found.ok() if isinstance(found, Ok) else None
        assert operation is not None, found
        if not operation.path.endswith("/stream"):
            one(operation)
    return count


@pytest.mark.parametrize("role", ROLES)
def test_whatever_is_sent_is_answered_as_described(server: Served, role: str) -> None:
    assert fuzz(server, role, 2) >= 2 * 20


@pytest.mark.slow
@pytest.mark.parametrize("role", ROLES)
def test_whatever_is_sent_at_length_is_answered_as_described(server: Served, role: str) -> None:
    assert fuzz(server, role, 100) >= 1000
