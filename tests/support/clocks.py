"""A clock that tests share."""


class Clock:
    """A time that is set by hand.

    Attributes:
        now: In seconds.
    """

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now
