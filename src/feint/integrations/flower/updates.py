"""Measure and clip the norm of updates of a model, whose arrays are paired by their keys.

As in Flower's clipping, every array counts in the norm, including whole numbers such as the counter
of a BatchNorm layer. Unlike there, arrays of every shape are scaled, and they keep their types.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue

_WHOLE = "biu"  # NumPy's kinds of truth values and of whole numbers
Pairs = dict[str, tuple[NDArray[Any], NDArray[Any]]]


def paired(before: Any, after: Any) -> Pairs:
    """Return the arrays of two ArrayRecords by key, in the order of the first.

    Raises:
        InvalidValue: The second has other keys, or an array of another shape.
    """
    if before.keys() != after.keys():
        other = ", ".join(sorted(before.keys() ^ after.keys()))
        rule = f"must have the same arrays as the model that was sent; only one of them has {other}"
        raise InvalidValue("update", f"{len(after)} arrays", rule, "return every array by its key")
    pairs = {key: (before[key].numpy(), after[key].numpy()) for key in before}
    for key, (old, new) in pairs.items():
        if old.shape != new.shape:
            rule = f"{key} must have the shape {old.shape} that was sent"
            raise InvalidValue("update", new.shape, rule, "return every array as it came")
    return pairs


def update_norm(before: Any, after: Any) -> float:
    """Return the Euclidean norm of the difference of two ArrayRecords.

    Raises:
        InvalidValue: They do not have the same keys and shapes, or the norm is not finite.
    """
    return _length(paired(before, after))


def clipped(before: Any, after: Any, norm: float) -> dict[str, NDArray[Any]]:
    """Return the arrays of the second record, clipped to the norm around the first.

    Every array keeps its shape and its type. Whole numbers are scaled like all others, and rounded
    towards their old values, so that they stay whole and no update is longer than the norm. If the
    update is whole but the model, which is a mean, is not, the model's type is kept.

    Args:
        before: The model that was sent.
        after: The updated model.
        norm: The largest allowed distance.

    Returns:
        The arrays, by key, in the order of the first record.

    Raises:
        InvalidValue: They do not have the same keys and shapes, or the norm is not finite.
    """
    pairs = paired(before, after)
    length = _length(pairs)
    if length <= norm:
        return {key: new for key, (_, new) in pairs.items()}
    return {key: _nearer(old, new, norm / length) for key, (old, new) in pairs.items()}


def _length(pairs: Pairs) -> float:
    """Return the Euclidean norm of all changes.

    Raises:
        InvalidValue: It is not finite, so no factor can clip the update.
    """
    squares = (np.sum(np.abs(_change(old, new)) ** 2) for old, new in pairs.values())
    length = float(np.sqrt(sum(float(each) for each in squares)))
    if not np.isfinite(length):
        rule = "must hold finite numbers, and as a whole have a finite norm"
        raise InvalidValue("update", "NaN or infinite", rule, "leave this client out")
    return length


def _change(old: NDArray[Any], new: NDArray[Any]) -> NDArray[Any]:
    """Return the change of an array in floats of at least 64 bits, to avoid overflow of squares."""
    if _whole(old, new):
        rises, size = _steps(old, new)
        return np.asarray(np.where(rises, 1.0, -1.0) * size)
    return np.asarray(np.subtract(new, old, dtype=np.result_type(new, old, np.float64)))


def _nearer(old: NDArray[Any], new: NDArray[Any], factor: float) -> NDArray[Any]:
    """Return an array with a fraction of the change."""
    if _whole(old, new):
        rises, size = _steps(old, new)
        step = np.floor(size * factor).astype(np.uint64)
        start = old.astype(np.uint64)
        return np.asarray(np.where(rises, start + step, start - step)).astype(new.dtype)
    kept = old.dtype if new.dtype.kind in _WHOLE else new.dtype
    return np.asarray(old + _change(old, new) * factor).astype(kept)


def _whole(old: NDArray[Any], new: NDArray[Any]) -> bool:
    return old.dtype.kind in _WHOLE and new.dtype.kind in _WHOLE


def _steps(old: NDArray[Any], new: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return whether each whole number rose, and by how much, which is exact modulo 2^64."""
    start, end = old.astype(np.uint64), new.astype(np.uint64)
    rises = np.asarray(new >= old)
    with np.errstate(over="ignore"):  # NumPy warns of overflow for single numbers
        return rises, np.asarray(np.where(rises, end - start, start - end))
