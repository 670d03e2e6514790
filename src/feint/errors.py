"""Everything that can go wrong, as one tree.

FeintError
├── InvalidValue (ValueError)       one argument is wrong by itself
│   ├── WrongType (TypeError)       it is something else than is wanted there
│   ├── OutOfRegime                 the arguments do not fit together: no theorem covers them
│   ├── UnknownMethod               a method that does not exist in this setting
│   ├── NoPlan                      nothing in the family meets the request
│   ├── TooLarge                    the exact computation would not fit
│   ├── UnknownQuery (LookupError)  no such query, or not shown yet
│   ├── AnswerFixed                 another answer, after the next round or the result was shown
│   ├── UnknownSearch (LookupError) no search of this name
│   ├── NameTaken                   another search has this name
│   ├── NumberTaken                 another event has this number: somebody else went on
│   ├── NotAllowed (PermissionError) this token does not allow it
│   └── BadState                    a saved search that cannot be read
│       └── WrongKey                it was sealed under another key
│           └── Tampered            events or rows were deleted, or older ones put back
├── SearchError (RuntimeError)      not at this point of a search
│   ├── SearchDone                  nothing is left to ask
│   ├── NotDone                     no result yet
│   ├── NotOpen                     a poll that is paused or over, a question that has closed
│   ├── Contradictory               answers that cannot all be right, and no way on
│   ├── ReplayDiffers               a resumed search would ask something else than it did
│   └── OracleFailed                whoever answers raised an error
├── Unavailable (OSError)           what keeps searches cannot be reached or written now
├── WorkerLost (RuntimeError)       whoever shared the work is gone
├── LawBroken (AssertionError)      a strategy does not obey a law of the contract
└── MissingExtra (ImportError)      an optional dependency is not installed

RepeatedSearch (UserWarning)        a second search for one number tells more than one does
OutsideRange (UserWarning)          much of what is believed lies outside the range
MotionBroken (UserWarning)          a number moved further between two searches than was assumed

Every message names the argument, the value received, the rule and the remedy.
"""

from __future__ import annotations


class FeintError(Exception):
    """Root of every error that feint raises on purpose.

    Attributes:
        for_owner: What only the owner of a search may read, such as an answer or what an oracle's
            own error said; None where there is nothing. It is in no message, log or pickle.
    """

    for_owner: str | None = None


class InvalidValue(FeintError, ValueError):
    """One argument is wrong by itself, whatever the others are."""

    def __init__(self, argument: str, value: object, rule: str, remedy: str) -> None:
        """Word the error in the house form.

        Args:
            argument: The name of the argument as the caller wrote it.
            value: What was received.
            rule: What must hold.
            remedy: The nearest value that works, or what to do instead.
        """
        super().__init__(f"{argument} = {_show(value)}: {rule}; {remedy}")
        self.argument = argument
        self.value = value
        self.rule = rule
        self.remedy = remedy

    def about(self, argument: str) -> InvalidValue:
        """The same error about an argument of another name, such as the flag that stands for it."""
        error = type(self)(argument, self.value, self.rule, self.remedy)
        error.for_owner = self.for_owner
        return error

    def __reduce__(self) -> tuple[type[InvalidValue], tuple[str, object, str, str]]:
        """Cross a process boundary whole."""
        return type(self), (self.argument, self.value, self.rule, self.remedy)


class WrongType(InvalidValue, TypeError):
    """An argument is something else than is wanted there, such as a tuple for a `Domain`."""

    @classmethod
    def of(cls, argument: str, value: object, rule: str, remedy: str) -> WrongType:
        """The error about a value, of which it keeps what it is and no more.

        Args:
            argument: As in `InvalidValue`.
            value: What was received. A number, a word or a list is shown as it is written; of
                anything else, which may be long or secret, only what it is: "a Search".
            rule: As in `InvalidValue`.
            remedy: As in `InvalidValue`.
        """
        return cls(argument, _kind(value), rule, remedy)


class OutOfRegime(InvalidValue):
    """The arguments are fine one by one but no theorem covers them together."""


class UnknownMethod(InvalidValue):
    """A method that does not exist in this setting."""


class NoPlan(InvalidValue):
    """No strategy of the family meets the request."""


class TooLarge(InvalidValue):
    """The exact computation would not fit in the stated limits."""


class LawBroken(FeintError, AssertionError):
    """A strategy does not obey a law that every strategy must."""


class UnknownQuery(InvalidValue, LookupError):
    """The plan has no such query, or it has not been shown yet."""


class AnswerFixed(InvalidValue):
    """Another answer than before, after the next round was shown, or the result."""


class BadState(InvalidValue):
    """A saved search that cannot be read."""


class WrongKey(BadState):
    """What is kept was sealed under another key."""


class Tampered(WrongKey):
    """Events or rows of a search were deleted, or older ones put back, outside feint."""


class UnknownSearch(InvalidValue, LookupError):
    """The journal has no search of this name."""


class NameTaken(InvalidValue):
    """Another search of the journal has this name."""


class NumberTaken(InvalidValue):
    """Another event of the search has this number: somebody else went on in the meantime."""


class NotAllowed(InvalidValue, PermissionError):
    """Whoever asks may not do this."""


class SearchError(FeintError, RuntimeError):
    """It cannot be done at this point of a search."""


class SearchDone(SearchError):
    """Every question is answered: nothing is left to ask."""


class NotDone(SearchError):
    """There is no result before every question is answered."""


class NotOpen(SearchError):
    """A poll that is paused or over, or a question of it that has closed."""


class Contradictory(SearchError):
    """Answers that cannot all be right, which the strategy has no way to follow."""


class ReplayDiffers(SearchError):
    """A resumed search would ask something else than what it has shown."""


class OracleFailed(SearchError):
    """Whoever answers raised an error; the search can go on from where it was.

    Attributes:
        search: The search, with every answer it was told; None when the oracle was asked directly.
    """

    def __init__(self, message: str, search: object = None) -> None:
        """Say what happened; the search is no part of the message, nor of a pickle."""
        super().__init__(message)
        self.search = search

    def __reduce__(self) -> tuple[type[OracleFailed], tuple[str]]:
        """Cross a process boundary without the search, which is secret."""
        return type(self), (str(self),)


class Unavailable(FeintError, OSError):
    """What keeps searches cannot be reached or written now; what was acknowledged is not lost."""


class WorkerLost(FeintError, RuntimeError):
    """Whoever shared the work is gone, and part of the work with it."""

    def __init__(self, lost: str, remedy: str) -> None:
        """Say what is known and what to do.

        Args:
            lost: Who is gone.
            remedy: What to do.
        """
        super().__init__(f"{lost}; {remedy}")
        self.lost = lost
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[WorkerLost], tuple[str, str]]:
        """Cross a process boundary whole."""
        return type(self), (self.lost, self.remedy)


class MissingExtra(FeintError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, extra: str, package: str) -> None:
        """Name the extra to install.

        Args:
            extra: The extra of this package that brings the dependency.
            package: The dependency that is missing.
        """
        super().__init__(f"{package} is not installed: pip install 'feint[{extra}]'")
        self.extra = extra
        self.package = package

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        """Cross a process boundary whole."""
        return type(self), (self.extra, self.package)


class OutsideRange(UserWarning):
    """Much of what is believed of a number lies outside the range: its units may be wrong."""


class MotionBroken(UserWarning):
    """A number moved further between two searches than was assumed: no promise covers them."""


class RepeatedSearch(UserWarning):
    """A second search for one number tells more than one does, and no promise covers both."""


def _kind(value: object) -> str:
    """What a value is: as it is written, or only its type."""
    if value is None or isinstance(value, bool | int | float | str | tuple | list | dict | set):
        return _show(repr(value))
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value) and (name := getattr(value, "__name__", "")):
        return f"the function {name}"
    word = type(value).__name__
    return f"{'an' if word[0] in 'AEIOUaeiou' else 'a'} {word}"


def _show(value: object) -> str:
    try:
        text = str(value)
    except ValueError:  # Python refuses to print a whole number of thousands of digits
        return "a number of thousands of digits"
    shown = text if len(text) <= 80 else text[:77] + "..."
    # Half a character cannot be printed, and a control character may do something to a terminal.
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
