"""Plans as JSON and back: the very strategy is kept, so that a newer planner changes nothing.

A frozen dataclass of ours is an object whose "type" names it within the package; a tuple is a list;
a rational is a string under "fraction"; a mapping is a list of pairs under "map". A strategy that
holds anything else cannot be saved.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from fractions import Fraction
from hashlib import blake2b
from hmac import compare_digest
from importlib import import_module
from numbers import Integral
from typing import Any

from feint.errors import BadState, InvalidValue
from feint.planning import Plan

_CHECK = "check"
_EVENTS = "events"
_SIGN, _SIGN_BYTES = b"feint header", 32
_ROOMS = ("problem", "beliefs", "strategies", "optimal", "planning")


def check(fields: dict[str, Any], key: bytes) -> str:
    """The digest of a header under its own key: a plan that was changed does not fit it."""
    words = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    return blake2b(words, key=key, digest_size=_SIGN_BYTES, person=_SIGN).hexdigest()


def verify(header: dict[str, Any], key: bytes) -> None:
    """See that a header is the one that was saved.

    Raises:
        BadState: Something in it was changed.
    """
    fields = {name: held for name, held in header.items() if name not in (_CHECK, _EVENTS)}
    if not compare_digest(str(header.get(_CHECK)).encode(), check(fields, key).encode()):
        rule = "was changed since it was saved: its digest does not fit"
        raise BadState("state", "its header", rule, "restore it as it was")


def encode(value: object) -> Any:
    """A value as JSON.

    Raises:
        InvalidValue: It holds something that has no form in JSON, such as a function.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Integral):  # numpy's whole numbers
        return int(value)
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, tuple | list):
        return [encode(each) for each in value]
    if isinstance(value, dict):
        return {"map": [[str(key), encode(each)] for key, each in value.items()]}
    name = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("feint.")
    if is_dataclass(value) and name.split(".")[0] in _ROOMS:
        parts = {each.name: encode(getattr(value, each.name)) for each in fields(value)}
        return {"type": name} | parts
    rule = "a search is saved with its strategy, which must be made of plain values"
    raise InvalidValue("strategy", type(value).__name__, rule, "keep this search in memory")


def decode(document: Any) -> Any:
    """The value that was encoded.

    Raises:
        BadState: It is no such document.
    """
    if isinstance(document, list):
        return tuple(decode(each) for each in document)
    if not isinstance(document, dict):
        return document
    try:
        if "map" in document:
            return {str(key): decode(each) for key, each in document["map"]}
        if "type" not in document:
            return Fraction(document["fraction"])
        return _made(document)
    except BadState:
        raise
    except (
        ArithmeticError,
        AttributeError,
        ImportError,
        LookupError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        rule = "must be a plan of this version of feint"
        remedy = "load it with the version that saved it"
        raise BadState("plan", type(error).__name__, rule, remedy) from None


def plan_of(document: Any) -> Plan:
    """The plan that was encoded.

    Raises:
        BadState: It is none.
    """
    plan = decode(document)
    if not isinstance(plan, Plan):
        rule = "must be a plan of this version of feint"
        raise BadState("plan", type(plan).__name__, rule, "load it with the version that saved it")
    return plan


def _made(document: dict[str, Any]) -> Any:
    room, _, rest = str(document["type"]).partition(".")
    module, _, name = f"{room}.{rest}".rpartition(".")
    if room not in _ROOMS:
        raise KeyError(room)
    kind = getattr(import_module(f"feint.{module}"), name)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        raise TypeError(name)
    return kind(**{key: decode(value) for key, value in document.items() if key != "type"})
