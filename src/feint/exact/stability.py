"""Keep renamed and moved names working, with a deprecation warning.

A renamed public name or argument works for at least one minor version, and its `DeprecationWarning`
names the replacement: see CONTRIBUTING.md, "Stability".
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
    """Mark a function, or the getter of a property, as deprecated.

    Args:
        use: The replacement, as a caller writes it.
        since: The version in which it was replaced.

    Returns:
        A decorator. The decorated function works as before, and warns.
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
    """Let a function accept a keyword argument by its old name too.

    Args:
        old: The old name.
        new: The new name.
        since: The version in which it was renamed.
        convert: Converts an old value to a new one; None: the value means the same.

    Returns:
        A decorator. A call by the old name works, and warns.
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
    """Let a module offer renamed objects, such as classes, by their old names too.

    Args:
        module: The module's name.
        names: The new name of each old name.
        since: The version in which they were renamed.

    Returns:
        The module's `__getattr__`. An old name returns the new object, and warns.
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
    """Let a module offer retired objects by their old names.

    Args:
        module: The module's name.
        source: The name of the module that still defines them; imported on first use.
        names: The replacement of each old name.
        since: The version in which they were replaced.

    Returns:
        The module's `__getattr__`. An old name returns the old object, and warns.
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
        old: The old path.
        new: The new path.
        since: The version in which the module moved.
    """
    message = f"{old} is deprecated since feint {since}: import {new}"
    # The warning points past this function and the old module, to the line that imports it.
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def _warn(what: str, use: str, since: str) -> None:
    message = f"{what} is deprecated since feint {since}: use {use}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)
