"""What the stability promise needs: names that go on working for a while, and say so.

A public name or argument that is renamed keeps working for one minor version at least, with a
`DeprecationWarning` that names what to use instead: CONTRIBUTING.md, "Stability".
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def deprecated(*, use: str, since: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function, or the getter of a property, as one that will go.

    Args:
        use: What to use instead, as a caller writes it.
        since: The version in which it was replaced.

    Returns:
        A decorator; what it decorates works as before, and warns.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def warned(*args: P.args, **kwargs: P.kwargs) -> R:
            _warn(function.__qualname__, use, since)
            return function(*args, **kwargs)

        return warned

    return decorate


def renamed_argument(
    old: str, new: str, *, since: str, convert: Callable[[object], object] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function go on taking a keyword argument by its old name.

    Args:
        old: The name before.
        new: The name now.
        since: The version in which it was renamed.
        convert: From an old value to a new one; None: the value means the same.

    Returns:
        A decorator; a call by the old name works, and warns.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def warned(*args: P.args, **kwargs: P.kwargs) -> R:
            if old in kwargs:
                _warn(f"{function.__qualname__}({old}=…)", f"{new}=…", since)
                value = kwargs.pop(old)
                kwargs.setdefault(new, value if convert is None else convert(value))
            return function(*args, **kwargs)

        return warned

    return decorate


def renamed_names(module: str, names: Mapping[str, str], *, since: str) -> Callable[[str], object]:
    """Let a module go on having names, such as those of classes, by their old ones.

    Args:
        module: The module's name.
        names: The name now, by the name before.
        since: The version in which they were renamed.

    Returns:
        The module's `__getattr__`; an old name is what the new one is, and warns.
    """

    def find(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        _warn(f"{module}.{name}", f"{module}.{names[name]}", since)
        return getattr(sys.modules[module], names[name])

    return find


def retired_names(
    module: str, source: str, names: Mapping[str, str], *, since: str
) -> Callable[[str], object]:
    """Let a module go on having names that something of another kind replaces.

    Args:
        module: The module's name.
        source: The name of the module that still has them; it is imported when one is asked for.
        names: What to use instead, by the old name.
        since: The version in which they were replaced.

    Returns:
        The module's `__getattr__`; an old name is what it was, and warns.
    """

    def find(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        _warn(f"{module}.{name}", names[name], since)
        return getattr(import_module(source), name)

    return find


def moved(old: str, new: str, *, since: str) -> None:
    """Warn that a module was imported by its old path.

    The module at the old path calls this when it is imported, and re-exports the names of the new
    one: they are the same objects, and type checkers find them.

    Args:
        old: The path before.
        new: The path now.
        since: The version in which the module moved.
    """
    message = f"{old} is deprecated since feint {since}: import {new}"
    # Past this function and the module at the old path, to the line that imports it.
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def _warn(what: str, use: str, since: str) -> None:
    message = f"{what} is deprecated since feint {since}: use {use}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
