"""Names that load on first use, so that importing a package or a part of it stays light."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def on_first_use(
    package: str, *subpackages: str, names: Mapping[str, str] | None = None
) -> Callable[[str], object]:
    """Return a package's `__getattr__` that imports what it exports on first use.

    Args:
        package: The package's name.
        subpackages: The names of its subpackages that are loaded so.
        names: The module inside the package that has it, by exported name; None: no names.

    Returns:
        A function that imports and returns what has a given name.
    """

    def load(name: str) -> object:
        if name in subpackages:
            return import_module(f"{package}.{name}")
        if names is None or name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{names[name]}"), name)

    return load
