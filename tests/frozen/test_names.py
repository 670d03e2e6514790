"""Every public name can be imported from where it was, at most with a warning of deprecation."""

import importlib
import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.frozen.make_names import NAMES

import feint

LISTED: dict[str, list[str]] = json.loads(NAMES.read_text("utf-8"))


@contextmanager
def only_deprecated() -> Iterator[None]:
    """Raise any warning but one of deprecation."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def missing(module: str, names: list[str]) -> list[str]:
    """Return the names that a module does not have."""
    with only_deprecated():
        found = importlib.import_module(module)
        return [name for name in names if not hasattr(found, name)]


@pytest.mark.parametrize("module", LISTED)
def test_every_public_name_is_still_there(module: str) -> None:
    assert missing(module, LISTED[module]) == []


def test_the_list_is_complete() -> None:
    """A name that is public today is frozen too: `python -m tests.frozen.make_names`."""
    assert set(feint.__all__) - {"__version__"} <= set(LISTED["feint"])
    for module, names in LISTED.items():
        with only_deprecated():
            public = set(getattr(importlib.import_module(module), "__all__", names))
        assert {name for name in public if not name.startswith("__")} <= set(names)


def test_a_name_that_is_gone_is_noticed() -> None:
    assert missing("feint.interfaces", ["Strategy", "Teacher"]) == ["Teacher"]


def test_a_deprecated_name_is_there_and_another_warning_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert missing("feint.interfaces", ["Learner"]) == []

    def warned(name: str) -> None:
        warnings.warn(name, UserWarning, stacklevel=1)

    monkeypatch.setattr(feint.interfaces, "__getattr__", warned)
    with pytest.raises(UserWarning, match="Learner"):
        missing("feint.interfaces", ["Learner"])
