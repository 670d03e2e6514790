"""Load the names of a package on first use, so that importing the package stays fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def on_first_use(
    package: str, *subpackages: str, names: Mapping[str, str] | None = None
) -> Callable[[str], object]:
    """Return a package's `__getattr__` that imports what it exports on first use.

    Args:
        package: The package's name.
        subpackages: The names of its subpackages that load on first use.
        names: The module inside the package that defines each exported name; None: no names.

    Returns:
        A function that imports and returns the object with a given name.
    """

    def load(name: str) -> object:
        if name in subpackages:
            return import_module(f"{package}.{name}")
        if names is None or name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{names[name]}"), name)

    return load
