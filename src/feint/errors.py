"""Everything that can go wrong, as one tree.

FeintError
├── InvalidValue (ValueError)       one argument is wrong by itself
│   ├── WrongType (TypeError)       one argument has the wrong type
│   ├── OutOfRegime                 the arguments do not fit together: no theorem covers them
│   ├── UnknownMethod               a method that does not exist in this setting
│   ├── NoPlan                      no strategy of the family meets the request
│   ├── TooLarge                    the exact computation would not fit
│   ├── UnknownQuery (LookupError)  no such query, or not shown yet
│   ├── AnswerFixed                 an answer that can no longer be changed
│   ├── UnknownSearch (LookupError) no search of this name
│   ├── NameTaken                   another search has this name
│   ├── NumberTaken                 another event has this number, from another process
│   ├── NotAllowed (PermissionError) the token does not permit this
│   └── BadState                    a saved search that cannot be read
│       └── WrongKey                it was sealed under another key
│           └── Tampered            events or rows were deleted or replaced by older ones
├── SearchError (RuntimeError)      the search is in the wrong state for this
│   ├── SearchDone                  every question is answered
│   ├── NotDone                     no result yet
│   ├── NotOpen                     a poll that is paused or over, a question that has closed
│   ├── Contradictory               the answers contradict each other
│   ├── ReplayDiffers               a resumed search would ask other questions than it has shown
│   └── OracleFailed                the oracle raised an error
├── Unavailable (OSError)           the journal cannot be reached or written now
├── WorkerLost (RuntimeError)       a worker process or cluster is gone
├── LawBroken (AssertionError)      a strategy does not obey a law of the contract
└── MissingExtra (ImportError)      an optional dependency is not installed

RepeatedSearch (UserWarning)        a second search for a number reveals more than one search
OutsideRange (UserWarning)          much of the prior lies outside the range
MotionBroken (UserWarning)          a number moved further between two searches than was assumed

Every message names the argument, the value received, the rule and the remedy.
"""

from __future__ import annotations


class FeintError(Exception):
    """Base class of all errors that feint raises on purpose.

    Attributes:
        for_owner: Text that only the owner of a search may read, such as an answer or the message
            of an oracle's own error; None if there is none. It is in no message, log or pickle.
    """

    for_owner: str | None = None


class InvalidValue(FeintError, ValueError):
    """One argument is wrong by itself, independently of the others."""

    def __init__(self, argument: str, value: object, rule: str, remedy: str) -> None:
        """Compose the message from its four parts.

        Args:
            argument: The name of the argument as the caller wrote it.
            value: The value received.
            rule: The rule that it breaks.
            remedy: The nearest value that works, or another fix.
        """
        super().__init__(f"{argument} = {_show(value)}: {rule}; {remedy}")
        self.argument = argument
        self.value = value
        self.rule = rule
        self.remedy = remedy

    def about(self, argument: str) -> InvalidValue:
        """Return the same error for another argument name, such as that of a flag."""
        error = type(self)(argument, self.value, self.rule, self.remedy)
        error.for_owner = self.for_owner
        return error

    def __reduce__(self) -> tuple[type[InvalidValue], tuple[str, object, str, str]]:
        """Pickle the parts of the message, so that another process rebuilds the same error."""
        return type(self), (self.argument, self.value, self.rule, self.remedy)


class WrongType(InvalidValue, TypeError):
    """An argument has the wrong type, such as a tuple for a `Domain`."""

    @classmethod
    def of(cls, argument: str, value: object, rule: str, remedy: str) -> WrongType:
        """Return the error for a value, and keep no reference to the value.

        Args:
            argument: As in `InvalidValue`.
            value: The value received. A number, a string or a list is shown as written. Anything
                else may be long or secret, so only its type is shown: "a Search".
            rule: As in `InvalidValue`.
            remedy: As in `InvalidValue`.
        """
        return cls(argument, _kind(value), rule, remedy)


class OutOfRegime(InvalidValue):
    """Each argument is valid, but no theorem covers their combination."""


class UnknownMethod(InvalidValue):
    """The method does not exist in this setting."""


class NoPlan(InvalidValue):
    """No strategy of the family meets the request."""


class TooLarge(InvalidValue):
    """The exact computation would exceed the stated limits."""


class LawBroken(FeintError, AssertionError):
    """A strategy breaks a law that every strategy must obey."""


class UnknownQuery(InvalidValue, LookupError):
    """The plan has no such query, or it has not been shown yet."""


class AnswerFixed(InvalidValue):
    """The answer differs from the recorded one, which is fixed since the next round was shown."""


class BadState(InvalidValue):
    """The saved search cannot be read."""


class WrongKey(BadState):
    """The stored data was sealed under another key."""


class Tampered(WrongKey):
    """Events or rows of a search were deleted or replaced by older ones, outside feint."""


class UnknownSearch(InvalidValue, LookupError):
    """The journal has no search of this name."""


class NameTaken(InvalidValue):
    """Another search of the journal has this name."""


class NumberTaken(InvalidValue):
    """Another event of the search has this number: another process continued it meanwhile."""


class NotAllowed(InvalidValue, PermissionError):
    """The caller is not permitted to do this."""


class SearchError(FeintError, RuntimeError):
    """The search is in the wrong state for this."""


class SearchDone(SearchError):
    """Every question is answered, so there is none left to ask."""


class NotDone(SearchError):
    """There is no result before every question is answered."""


class NotOpen(SearchError):
    """The poll is paused or over, or its question has closed."""


class Contradictory(SearchError):
    """The answers contradict each other, and the strategy cannot continue."""


class ReplayDiffers(SearchError):
    """A resumed search would ask other questions than it has already shown."""


class OracleFailed(SearchError):
    """The oracle raised an error. The search can continue from its current state.

    Attributes:
        search: The search with all its answers; None if the oracle was called directly.
    """

    def __init__(self, message: str, search: object = None) -> None:
        """Set the message. The search is not part of the message, nor of a pickle."""
        super().__init__(message)
        self.search = search

    def __reduce__(self) -> tuple[type[OracleFailed], tuple[str]]:
        """Pickle the message without the search, which is secret."""
        return type(self), (str(self),)


class Unavailable(FeintError, OSError):
    """The journal cannot be reached or written now. Everything acknowledged is safe."""


class WorkerLost(FeintError, RuntimeError):
    """A worker process or cluster is gone, and part of the work is lost."""

    def __init__(self, lost: str, remedy: str) -> None:
        """Compose the message.

        Args:
            lost: A description of the lost work.
            remedy: The fix.
        """
        super().__init__(f"{lost}; {remedy}")
        self.lost = lost
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[WorkerLost], tuple[str, str]]:
        """Pickle the parts of the message, so that another process rebuilds the same error."""
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
        """Pickle the parts of the message, so that another process rebuilds the same error."""
        return type(self), (self.extra, self.package)


class OutsideRange(UserWarning):
    """Much of the prior lies outside the range; its units may be wrong."""


class MotionBroken(UserWarning):
    """A number moved further between two searches than was assumed: no promise covers them."""


class RepeatedSearch(UserWarning):
    """A second search for a number reveals more than one search, and no promise covers both."""


def _kind(value: object) -> str:
    """Return a value as it is written, or only its type."""
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
    # Half a surrogate pair cannot be printed, and control characters may act on a terminal.
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
