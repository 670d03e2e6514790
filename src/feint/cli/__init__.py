"""The command line: the one room that draws bars and talks to a person."""

from __future__ import annotations

import sys


def git_bisect() -> None:
    """Run `git feint-bisect`: the words after it are those of `feint bisect`."""
    sys.argv[1:1] = ["bisect"]
    main()


def main() -> None:
    """Run the `feint` command and leave with its exit code."""
    try:
        from feint.cli.app import run
    except ImportError as missing:
        if missing.name not in ("typer", "rich"):
            raise
        from feint.errors import MissingExtra

        sys.stderr.write(f"feint: {MissingExtra('cli', missing.name)}\n")
        raise SystemExit(2) from None
    raise SystemExit(run(sys.argv[1:]))
