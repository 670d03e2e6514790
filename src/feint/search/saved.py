"""Convert plans to JSON and back. The strategy itself is saved, so a newer planner changes nothing.

An object of feint has a "type" tag that names what it is, never where its code lives. A tuple is a
list, a rational a string under "fraction", a mapping a list of pairs under "map". Your own strategy
can be saved once its class has a tag (`register_strategy`).

All earlier versions can be read. Each has its own table from tags to constructors, and a stored
file in the tests.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from hashlib import blake2b
from hmac import compare_digest
from numbers import Integral
from typing import Any

from feint.errors import BadState, InvalidValue
from feint.exact import fraction
from feint.planning import MOST_QUERIES, Plan
from feint.problem import (
    AtLeast,
    Between,
    Domain,
    Line,
    Preface,
    Prior,
    Problem,
    Rate,
    Rates,
    Responses,
)
from feint.search.limits import check_fields, check_plan
from feint.strategies import (
    NoisyShape,
    PlantedShape,
    Product,
    ResponseNoisy,
    ResponseShape,
    SequentialNoisy,
    SequentialShape,
    Staged,
    StagedNoisy,
    StagedShape,
    Table,
    UnknownRates,
)
from feint.strategies.retired import (
    Block,
    Blocks,
    Loose,
    LooseShape,
    Padded,
    Planted,
    Play,
    Tabular,
    Tailed,
    TailedShape,
)

VERSION = 5
IN_SLOTS = 4
"""From this version on every answer has a slot of its own. Since version 5 a round may leave
columns out, which a feint of version 4 would take for damage."""
_CHECK = "check"
_HAPPENED = ("events", "rounds")  # fields beside the header, in versions 1 and 2, and in later ones
_SIGN, _SIGN_BYTES = b"feint header", 32
_WORDS = ("unit", "question")
_RESTORED = Line, "prior"  # files have the weights only once: `_with_laws` restores this field
_KINDS: dict[str, type[Any]] = {
    "plan": Plan,
    "problem": Problem,
    "domain": Domain,
    "scale": Line,
    "prior": Prior,
    "at least": AtLeast,
    "between": Between,
    "rate": Rate,
    "rates": Rates,
    "responses": Responses,
    "staged": Staged,
    "staged shape": StagedShape,
    "blocks": Blocks,
    "block": Block,
    "tailed": Tailed,
    "tailed shape": TailedShape,
    "loose": Loose,
    "loose shape": LooseShape,
    "play": Play,
    "planted": Planted,
    "planted shape": PlantedShape,
    "staged noisy": StagedNoisy,
    "noisy shape": NoisyShape,
    "sequential noisy": SequentialNoisy,
    "sequential shape": SequentialShape,
    "unknown rates": UnknownRates,
    "response noisy": ResponseNoisy,
    "response shape": ResponseShape,
    "product": Product,
    "table": Table,
    "tabular": Tabular,
    "padded": Padded,
}


def digest(fields: dict[str, Any], key: bytes) -> str:
    """Return the digest of a header under its own key, which reveals changes of the plan."""
    words = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    return blake2b(words, key=key, digest_size=_SIGN_BYTES, person=_SIGN).hexdigest()


def verify(header: dict[str, Any], key: bytes) -> None:
    """Check that a header is unchanged.

    Raises:
        BadState: The header was changed.
    """
    fields = {name: held for name, held in header.items() if name not in (_CHECK, *_HAPPENED)}
    if not compare_digest(str(header.get(_CHECK)).encode(), digest(fields, key).encode()):
        rule = "was changed since it was saved: its digest does not fit"
        raise BadState("state", "its header", rule, "restore it as it was")


def check_version(header: dict[str, Any]) -> int:
    """Return the version that a header was saved in.

    Raises:
        BadState: This version of feint cannot read it.
    """
    version = header.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        rule = f"must be from 1 to {VERSION}, which this feint reads"
        raise BadState("version", version, rule, "load it with the feint that saved it")
    return version


def check_origin(header: dict[str, Any]) -> tuple[bool, int]:
    """Return True if the coins come from a seed, and the number of keys used for the number.

    Raises:
        TypeError, ValueError, LookupError: The header lacks these fields.
    """
    seeded, keys = header["seeded"], header.get("keys", 1)
    if type(seeded) is not bool or type(keys) is not int:
        raise TypeError("seeded is true or false, and keys a whole number")
    if keys < 1:
        raise ValueError("a search needs at least one key")
    return seeded, keys


def preface_of(header: dict[str, Any]) -> Preface:
    """Return the asker and the introduction, which headers of earlier versions do not have.

    Raises:
        TypeError: The header has them in another form.
        InvalidValue: They cannot be shown.
    """
    return Preface(**header.get("preface", {}))


def register_strategy(tag: str, kind: type[Any]) -> None:
    """Register your own strategy, so that searches that follow it can be saved and resumed.

    Args:
        tag: The permanent name of its saved form; files are read by it.
        kind: Its class, a frozen dataclass whose fields are plain values or such dataclasses.

    Raises:
        InvalidValue: Another class has this tag, or the class is not a dataclass.
    """
    if _KINDS.get(tag, kind) is not kind or kind in [
        each for key, each in _KINDS.items() if key != tag
    ]:
        rule = "a tag names one class, and a class has one tag"
        raise InvalidValue("tag", tag, rule, "choose another tag")
    if not is_dataclass(kind):
        rule = "must be a dataclass: its fields are what is saved"
        raise InvalidValue("kind", getattr(kind, "__name__", kind), rule, "make it a frozen one")
    _KINDS[tag] = kind


def encode(value: object) -> Any:
    """Convert a value to JSON, in the newest format.

    Raises:
        InvalidValue: It holds something without a JSON form, such as a function.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Integral):  # NumPy integers
        return int(value)
    if isinstance(value, Fraction):
        return {"fraction": str(value)}
    if isinstance(value, tuple | list):
        return [encode(each) for each in value]
    if isinstance(value, dict):
        return {"map": [[str(key), encode(each)] for key, each in value.items()]}
    for tag, kind in _KINDS.items():
        if type(value) is kind and is_dataclass(value):
            kept = (each.name for each in fields(value) if (kind, each.name) != _RESTORED)
            parts = {name: encode(getattr(value, name)) for name in kept}
            if kind is Domain:  # without a wording it is saved as it always was
                parts = {name: part for name, part in parts.items() if name not in _WORDS or part}
            return {"type": tag} | parts
    rule = "a search is saved with its strategy, which must be made of plain values and known kinds"
    remedy = "give its class a tag (register_strategy), or keep this search in memory"
    raise InvalidValue("strategy", type(value).__name__, rule, remedy)


def decode(document: Any, version: int = VERSION) -> Any:
    """Restore an encoded value.

    Args:
        document: The output of `encode`, of any version.
        version: The version of the file.

    Raises:
        BadState: The document is not valid.
    """
    try:
        return _decoded(document, version)
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        rule = "must be a plan that feint saved"
        remedy = "load it with the version that saved it"
        raise BadState("plan", type(error).__name__, rule, remedy) from None


def plan_of(document: Any, version: int, most: int = MOST_QUERIES) -> Plan:
    """Restore an encoded plan.

    Args:
        document: As in `decode`.
        version: As in `decode`.
        most: The most questions allowed.

    Raises:
        BadState: The document is not a plan.
        ValueError, LookupError, RuntimeError: No search could follow it.
    """
    plan = decode(document, version)
    if not isinstance(plan, Plan):
        rule = "must be a plan that feint saved"
        raise BadState("plan", type(plan).__name__, rule, "load it with the version that saved it")
    check_plan(plan, most)
    return plan


def _decoded(document: Any, version: int) -> Any:
    if isinstance(document, list):
        return tuple(_decoded(each, version) for each in document)
    if not isinstance(document, dict):
        return document
    if "map" in document:
        return {str(key): _decoded(each, version) for key, each in document["map"]}
    if "type" not in document:
        return fraction(document["fraction"], "fraction")
    held = {key: _decoded(each, version) for key, each in document.items() if key != "type"}
    tag = str(document["type"])
    if version == 1:
        tag, held = _first_version(tag, held)
    if version < 3 and tag == "plan":
        held["scales"] = ()  # so that questions look the same as before
    value = _KINDS[tag](**held)
    check_fields(value)
    return _with_laws(value) if isinstance(value, Plan) else value


def _with_laws(plan: Plan) -> Plan:
    """Add to each scale of a noisy plan the prior whose quantiles its marks are.

    Files do not repeat it. Files of earlier versions lack it: their questions stay the same, and
    their estimates become those covered by the proof.
    """
    if not plan.scales or not plan.problem.noisy or plan.problem.prior is None:
        return plan
    scales = zip(plan.scales, plan.problem.prior, strict=True)
    laws = (replace(each, prior=law) if each.marks is not None else each for each, law in scales)
    return replace(plan, scales=tuple(laws))


def _first_version(path: str, held: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Convert a document of version 1, which named classes by module and had no shapes."""
    tag = {
        "planning.plan.Plan": "plan",
        "problem.Problem": "problem",
        "problem.Domain": "domain",
        "strategies.staged.Staged": "staged",
        "strategies.blocks.Blocks": "blocks",
        "strategies.planted.Planted": "planted",
        "strategies.staged_noisy.StagedNoisy": "staged noisy",
        "strategies.product.Product": "product",
        "strategies.tabular.Tabular": "tabular",
        "strategies.padded.Padded": "padded",
    }[path]
    if tag == "plan":
        held["losses"] = held.pop("budget")
    if tag == "blocks":
        names = ("start", "size", "path", "parts", "kept", "hide", "acts")
        rows = (dict(zip(names, row, strict=True)) for row in held["blocks"])
        held["blocks"] = tuple(Block(**_shaped(row, StagedShape)) for row in rows)
    shape = {"staged": StagedShape, "planted": PlantedShape, "staged noisy": NoisyShape}.get(tag)
    return tag, held if shape is None else _shaped(held, shape)


def _shaped(held: dict[str, Any], kind: type[Any]) -> dict[str, Any]:
    """Move the shape fields of a value of version 1 into a separate shape."""
    own = {each.name for each in fields(kind)} & held.keys()
    rest = {name: value for name, value in held.items() if name not in own}
    return rest | {"shape": kind(**{name: held[name] for name in own})}
