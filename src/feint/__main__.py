"""`python -m feint` is `feint`."""

from feint.cli import main

if __name__ == "__main__":
    main()
