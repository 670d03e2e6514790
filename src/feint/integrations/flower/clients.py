"""Answer questions on a client, one bit per question, from a number, an array or a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Number
from typing import Any

import numpy as np

from feint.errors import InvalidValue, MissingExtra
from feint.integrations.flower.private_values import PrivateValues
from feint.integrations.flower.updates import update_norm
from feint.integrations.flower.wire import (
    ACTION,
    RECORD,
    Question,
    bits,
    flwr,
    holds_questions,
    read_questions,
    read_terms,
)

_TRAIN = "train"
_NORM = "norm"
Values = Any
"""A number; a sequence of numbers, one per coordinate; or a function of a question and its
coordinate that returns True or False."""


def replied(message: Any, values: Values) -> Any:
    """Return the reply to a message of questions.

    Args:
        message: The message.
        values: The client's own number, or one number per coordinate. They are compared exactly,
            whether an int, a Fraction, a Decimal or a float. For flipped bits, pass the result of
            `private_values`. A function of the asked number and its coordinate can say whether the
            client's own number is at least that. The sign of a local update is such a function:
            `lambda w, i: local[i] >= w`. Its argument is an int or a float, or a Fraction if the
            search is finer than floats.

    Returns:
        The reply, with one bit per question: whether the number is at least the asked one.

    Raises:
        InvalidValue: The message contains no questions, the values are not numbers, or their number
            differs from that of the search.
    """
    asked, dim = read_questions(message.content)
    terms = read_terms(message.content)
    if isinstance(values, PrivateValues):
        if terms is None:
            raise _other_bits("asks for bits as they are, and this client flips them")
        told = values.answer(asked, terms, lambda some: _bits(values.values, some, dim))
        return flwr().Message(bits(told), reply_to=message)
    if terms is not None:
        raise _other_bits("asks for flipped bits, and this client has no budget")
    return flwr().Message(bits(_bits(values, asked, dim)), reply_to=message)


def _other_bits(rule: str) -> InvalidValue:
    remedy = "use private_values on clients if the server gives local_epsilon, and only then"
    return InvalidValue("message", "its content", f"it {rule}", remedy)


def client_app(values: Callable[[Any], Values], *, mods: Sequence[Any] = ()) -> Any:
    """Return a ClientApp that answers the questions of feint.

    Register other work on it as usual: training, evaluation, and queries of your own. Questions
    come as messages of type "query.feint", so a plain `@app.query()` stays yours.

    Args:
        values: A function from Flower's Context to the client's own number, as in `replied`.
        mods: Mods of Flower, which wrap the answers too.

    Returns:
        The app.

    Raises:
        MissingExtra: Flower is not installed.
    """
    return _answering(values, mods)


def norm_client_app(mods: Sequence[Any] = ()) -> Any:
    """Return a ClientApp for `private_clipping`, which answers about the norm of its last update.

    Register training on it as usual. The norm stays in the client's own context.

    Args:
        mods: Other mods of Flower. The norm is that of the update after these mods.

    Returns:
        The app.

    Raises:
        MissingExtra: Flower is not installed.
    """
    return _answering(_kept_norm, [norm_mod, *mods])


def add_answers(
    app: Any, values: Callable[[Any], Values] | None = None, *, mods: Sequence[Any] = ()
) -> None:
    """Add the answers to feint's questions to an existing ClientApp.

    Its own handlers stay unchanged, including those for plain queries. The mods it was made with
    also wrap the answers.

    Args:
        app: The ClientApp, made without a `client_fn`; for one with it see `answering_mod`.
        values: As in `client_app`. None: the norm of the last update that was sent, for
            `private_clipping`. The app must then have been made with `norm_mod` as its first mod.
        mods: Mods of Flower for the answers only.

    Raises:
        InvalidValue: The app has a `client_fn`, or answers already.

    Example:
        >>> from flwr.clientapp import ClientApp
        >>> from feint.integrations.flower import add_answers
        >>> app = ClientApp()
        >>> add_answers(app, lambda context: 41.5)
    """
    answer = _answer(_kept_norm if values is None else values)
    try:
        app.query(ACTION, mods=list(mods))(answer)
    except ValueError:
        rule = "must have no client_fn, and no answers to feint's questions yet"
        remedy = "for an app with a client_fn, put answering_mod(values) among its mods"
        raise InvalidValue("app", type(app).__name__, rule, remedy) from None


def answering_mod(values: Callable[[Any], Values]) -> Any:
    """Return a mod that answers feint's questions and passes on every other message.

    It is for a ClientApp with a `client_fn`, which accepts no handlers but passes every message to
    its mods. Other apps pass messages to registered handlers only; use `add_answers` for them.

    Args:
        values: As in `client_app`.

    Returns:
        The mod.
    """
    answer = _answer(values)

    def mod(message: Any, context: Any, call_next: Callable[[Any, Any], Any]) -> Any:
        ours = holds_questions(message)
        return answer(message, context) if ours else call_next(message, context)

    return mod


def _answering(values: Callable[[Any], Values], mods: Sequence[Any]) -> Any:
    """Return an app that answers questions, including those of servers of earlier versions.

    Raises:
        MissingExtra: Flower is not installed.
    """
    try:
        from feint.integrations.flower.apps import Answering
    except ImportError:
        raise MissingExtra("flower", "flwr") from None
    return Answering(_answer(values), mods)


def _answer(values: Callable[[Any], Values]) -> Callable[[Any, Any], Any]:
    return lambda message, context: replied(message, values(context))


def median_of(array: Sequence[float], share: float = 0.5) -> float:
    """Return a client's own number from many: their median, or another quantile.

    The quantile is interpolated between two neighbours, as in NumPy: the median of an even number
    of values is the mean of the two middle ones.

    Args:
        array: The client's data.
        share: The quantile to return.

    Returns:
        The quantile.

    Raises:
        InvalidValue: There is no data, or NaN is among the data.
    """
    held = np.asarray(array, float)
    if held.size == 0 or np.isnan(held).any():
        rule = "must hold numbers, and NaN is none"
        raise InvalidValue("array", f"{held.size} entries", rule, "leave this client out")
    return float(np.quantile(held, share))


def norm_mod(message: Any, context: Any, call_next: Callable[[Any, Any], Any]) -> Any:
    """Store the norm of an update in the client's state after training, and pass everything on.

    Make your ClientApp with it as the first mod, `ClientApp(mods=[norm_mod, ...])`. The norm is
    then that of the update after the other mods. `add_answers(app)` answers questions about it.

    Args:
        message: The message.
        context: The client's own context.
        call_next: The function that handles the message next.

    Returns:
        The unchanged reply.

    Raises:
        InvalidValue: The update has other arrays than the model. Flower then replies with an error.
    """
    kind = message.metadata.message_type.partition(".")[0]
    before = list(message.content.array_records.values())
    reply = call_next(message, context)
    if kind == _TRAIN and not reply.has_error():
        after = list(reply.content.array_records.values())
        held = {_NORM: update_norm(before[0], after[0])}
        context.state.metric_records[RECORD] = flwr().MetricRecord(held)
    return reply


def _kept_norm(context: Any) -> float:
    """Return the norm of the last update that was sent.

    Raises:
        InvalidValue: No update was sent.
    """
    if RECORD not in context.state.metric_records:
        rule = "a client is asked about the update that it sent, and sent none"
        raise InvalidValue("message", "a question", rule, "train first")
    return float(context.state.metric_records[RECORD][_NORM])


def _bits(values: Values, asked: Sequence[Question], dim: int | None) -> list[bool]:
    """Return for each question whether the client's number is at least the asked one.

    Raises:
        InvalidValue: The values are not numbers, or their number differs from the asked one.
    """
    if callable(values):
        return [_said(values(each.number, each.coordinate)) for each in asked]
    own = _listed(values)
    wanted = 1 + max((each.coordinate for each in asked), default=0)
    if len(own) < wanted or len(own) != (dim or len(own)):
        rule = f"must be {dim or f'at least {wanted}'}, one per coordinate"
        remedy = "give that many, or median_of an array that stands for one number"
        raise InvalidValue("values", f"{len(own)} numbers", rule, remedy)
    exact = [_exactly(each) for each in own]
    return [exact[each.coordinate] >= each.value for each in asked]


def _said(answer: object) -> bool:
    """Return the result of a client's own function, checked.

    Raises:
        InvalidValue: It is neither True nor False.
    """
    if not isinstance(answer, bool | np.bool_):
        rule = "must return True or False"
        raise InvalidValue("values", type(answer).__name__, rule, "compare with the number")
    return bool(answer)


def _listed(values: Values) -> list[Any]:
    """Return one or several numbers as a list, without converting any of them to a float."""
    if isinstance(values, str | Number):
        return [values]
    if hasattr(values, "__array__"):
        held = np.asarray(values)
        return list(held) if held.ndim else [held[()]]
    try:
        return list(values)
    except TypeError:
        return [values]


def _exactly(own: Any) -> Fraction:
    """Return a client's number exactly: a float is the binary fraction that it represents.

    Raises:
        InvalidValue: It is not a finite number.
    """
    try:
        plain = own.item() if hasattr(own, "ndim") and own.ndim == 0 else own
        if isinstance(plain, str | int):
            return Fraction(plain)
        above, below = plain.as_integer_ratio()
        return Fraction(int(above), int(below))
    except (AttributeError, TypeError, ValueError, ArithmeticError):
        rule = "must be a finite number, or several finite numbers"
        raise InvalidValue("values", type(own).__name__, rule, "leave this client out") from None
