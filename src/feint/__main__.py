"""Run `feint` as `python -m feint`."""

from feint.cli import main

if __name__ == "__main__":
    main()
