"""Define the command line, the only package that talks to people and draws progress bars."""

from __future__ import annotations

import sys


def git_bisect() -> None:
    """Run `git feint-bisect`, which takes the arguments of `feint bisect`.

    Git handles --help itself by looking for a manual page, so use -h instead.
    """
    words = ["--help"] if sys.argv[1:] == ["-h"] else sys.argv[1:]
    sys.argv[1:] = ["bisect", *words]
    main()


def main() -> None:
    """Run the `feint` command and exit with its status."""
    from feint.cli.app import run

    raise SystemExit(run(sys.argv[1:]))
