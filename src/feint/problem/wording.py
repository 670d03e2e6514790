"""Define the wording of questions: their template, the unit of the value, and the asker.

All of it is public: a person who sees the questions sees it.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from feint.errors import InvalidValue, WrongType

MARK = "{value}"
"""The placeholder of the value in the template of a question; nothing else is replaced."""

MOST_QUESTION, MOST_UNIT, MOST_ASKER, MOST_INTRODUCTION = 300, 12, 100, 2000  # characters
_HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f\ud800-\udfff\u2028-\u202e\u2066-\u2069]")
_LINES = re.compile(r"[\t\n\r]")
_BEFORE = "€$£¥₹₩₽₺₪₫฿₦₴₱¢"  # currency signs that stand before an amount


def read_text(given: object, name: str, *, most: int, lines: bool = False) -> str | None:
    """Return a text for people without blanks around it; None if it is empty.

    Args:
        given: The text.
        name: The name of the argument in errors.
        most: The most characters.
        lines: Whether it may have several lines.

    Raises:
        WrongType: The argument is not a string.
        InvalidValue: It is too long, or has characters that cannot be shown.
    """
    if given is None:
        return None
    if not isinstance(given, str):
        raise WrongType.of(name, given, "must be text", "pass a str")
    words = given.replace("\r\n", "\n").strip()
    if len(words) > most:
        rule = f"may have {most} characters, and has {len(words)}"
        raise InvalidValue(name, f"{words[:20]}…", rule, "shorten it")
    if _HIDDEN.search(words) or (not lines and _LINES.search(words)):
        rule = "must be text that can be shown" + ("" if lines else ", in one line")
        raise InvalidValue(name, "something else", rule, "leave control characters out")
    return words or None


def read_question(given: object) -> str | None:
    """Return the template of a question, which must contain {value} once.

    Raises:
        WrongType: The argument is not a string.
        InvalidValue: It does not contain {value}, or contains it twice.

    >>> read_question("Would you buy this at €{value}?")
    'Would you buy this at €{value}?'
    """
    words = read_text(given, "question", most=MOST_QUESTION)
    if words is not None and words.count(MARK) != 1:
        rule = f"must have {MARK} once, where the number goes"
        remedy = f'write such as "Would you buy this at €{MARK}?"'
        raise InvalidValue("question", words, rule, remedy)
    return words


def read_unit(given: object) -> str | None:
    """Return the unit of a number, such as € or kg.

    Raises:
        WrongType: The argument is not a string.
        InvalidValue: It is too long, or could be read as part of the number.
    """
    words = read_text(given, "unit", most=MOST_UNIT)
    if words is not None and re.search(r"[0-9{}]", words):
        rule = "must have no digits and no braces, which would be read as part of the number"
        raise InvalidValue("unit", words, rule, "write a unit such as € or kg")
    return words


def with_unit(shown: str, unit: str | None) -> str:
    """Return a number with its unit, which stands before it for currency signs, else after it.

    >>> with_unit("31.4", "€"), with_unit("-2", "$"), with_unit("31.4", "kg"), with_unit("5", "%")
    ('€31.4', '-$2', '31.4 kg', '5 %')
    """
    if unit is None:
        return shown
    if unit[-1] in _BEFORE:
        sign = "-" if shown.startswith("-") else ""
        return f"{sign}{unit}{shown.removeprefix('-')}"
    return f"{shown} {unit}"


@dataclass(frozen=True, kw_only=True)
class Preface:
    """The text that respondents read besides the questions.

    Attributes:
        asker: The name of the person who asks.
        introduction: The reason for the questions; it may have several lines.

    >>> Preface(asker="Ada's bakery", introduction="We plan a new loaf.").asker
    "Ada's bakery"
    """

    asker: str | None = None
    introduction: str | None = None

    def __post_init__(self) -> None:
        """Check both.

        Raises:
            WrongType: A field is not a string.
            InvalidValue: A field is too long, or cannot be shown.
        """
        asker = read_text(self.asker, "asker", most=MOST_ASKER)
        told = read_text(self.introduction, "introduction", most=MOST_INTRODUCTION, lines=True)
        object.__setattr__(self, "asker", asker)
        object.__setattr__(self, "introduction", told)

    def to_dict(self) -> dict[str, str | None]:
        """Return both for JSON."""
        return asdict(self)
