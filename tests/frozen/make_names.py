"""Write the list of public names: `python -m tests.frozen.make_names`.

Names are added to the list. One leaves it, by hand, a minor version after it was deprecated.
"""

import importlib
import json

from scripts.site.names import PACKAGES, public
from tests.support.frozen import FOLDER

NAMES = FOLDER / "names.json"


def main() -> None:
    """Write every public name, by module; names that were written before stay."""
    found: dict[str, list[str]] = json.loads(NAMES.read_text("utf-8")) if NAMES.exists() else {}
    for module in ("feint", *(f"feint.{package}" for package in PACKAGES)):
        names = public(importlib.import_module(module))
        found[module] = sorted({*names, *found.get(module, [])})
    lines = (f"{json.dumps(module)}: {json.dumps(names)}" for module, names in found.items())
    NAMES.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
