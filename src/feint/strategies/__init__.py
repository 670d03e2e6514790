"""The instances of `Strategy`, one idea a file."""
