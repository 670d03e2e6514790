"""Simulate a person at a terminal."""

import io
import sys


class Keyboard:
    """A keyboard whose typed lines show on the screen; "-" is Enter alone.

    Words are typed one a line; "-" is Enter alone.
    """

    def __init__(self, words: str) -> None:
        typed = (f"{'' if word == '-' else word}\n" for word in words.split())
        self.lines = io.StringIO("".join(typed))

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        line = self.lines.readline()
        sys.stdout.write(line)
        return line
