"""The command line: the one room that draws bars and talks to a person."""

from __future__ import annotations

import sys


def git_bisect() -> None:
    """Run `git feint-bisect`: the words after it are those of `feint bisect`.

    Git itself answers --help, by looking for a page of the manual; -h reaches us.
    """
    words = ["--help"] if sys.argv[1:] == ["-h"] else sys.argv[1:]
    sys.argv[1:] = ["bisect", *words]
    main()


def main() -> None:
    """Run the `feint` command and leave with its exit code."""
    try:
        from feint.cli.app import run
    except ImportError as missing:
        if missing.name not in ("typer", "rich"):
            raise
        from feint.cli.codes import REFUSED
        from feint.errors import MissingExtra

        sys.stderr.write(f"feint: {MissingExtra('cli', missing.name)}\n")
        raise SystemExit(REFUSED) from None
    raise SystemExit(run(sys.argv[1:]))
