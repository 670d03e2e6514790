"""Answer questions on clients with one bit each, given a number, an array or a function."""

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
"""A number; a sequence with one number per coordinate; or a function of a question and its
coordinate that returns True or False."""


def replied(message: Any, values: Values) -> Any:
    """Return the reply to a message of questions.

    Args:
        message: The message.
        values: The client's number, or one number per coordinate: an int, a Fraction, a Decimal or
            a float, compared exactly. Or a result of `private_values`, for flipped bits. Or a
            function that takes the value of a question and its coordinate, and returns True if the
            client's number is at least the value. The sign of a local update is such a function:
            `lambda w, i: local[i] >= w`. The value is an int or a float, or a Fraction if the
            search is finer than floats.

    Returns:
        The reply, with one bit per question: whether the number is at least its value.

    Raises:
        InvalidValue: The message has no questions, or the values are not numbers, or their number
            does not match the search.
    """
    asked, dim = read_questions(message.content)
    terms = read_terms(message.content)
    if isinstance(values, PrivateValues):
        if terms is None:
            raise _other_bits("asks for true bits, and this client flips them")
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

    Register training, evaluation and your own queries on it as usual. Questions have the message
    type "query.feint", so a plain `@app.query()` stays available to you.

    Args:
        values: Returns the client's number, as in `replied`, given Flower's Context.
        mods: Flower's mods, which also wrap the answers.

    Returns:
        The app.

    Raises:
        MissingExtra: Flower is not installed.
    """
    return _answering(values, mods)


def norm_client_app(mods: Sequence[Any] = ()) -> Any:
    """Return a ClientApp for `private_clipping`, which answers about the norm of its last update.

    Register training on it as usual. The norm stays in the client's context.

    Args:
        mods: Other mods of Flower. The norm is that of the update after them.

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

    Its handlers stay unchanged, including plain queries, and its mods also wrap the answers.

    Args:
        app: The ClientApp, made without a `client_fn`. For an app with one, see `answering_mod`.
        values: As in `client_app`; None: the norm of the last update, for `private_clipping`. The
            first mod of the app must then be `norm_mod`.
        mods: Flower's mods for the answers alone.

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
        remedy = "of an app with a client_fn, put answering_mod(values) among its mods"
        raise InvalidValue("app", type(app).__name__, rule, remedy) from None


def answering_mod(values: Callable[[Any], Values]) -> Any:
    """Return a mod that answers feint's questions and passes every other message on.

    Use it for a ClientApp with a `client_fn`, which takes no handlers but passes every message to
    its mods. Other apps pass messages only to registered handlers: use `add_answers` for them.

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
    """Return a client's number from many: their median, or another quantile.

    Between two neighbours it is interpolated, as in NumPy: the median of an even number is the mean
    of the middle two.

    Args:
        array: The client's data.
        share: The quantile, such as 0.5.

    Returns:
        The quantile.

    Raises:
        InvalidValue: There is no quantile, because the data are empty or contain NaN.
    """
    held = np.asarray(array, float)
    if held.size == 0 or np.isnan(held).any():
        rule = "must have numbers, and NaN is not one"
        raise InvalidValue("array", f"{held.size} entries", rule, "leave this client out")
    return float(np.quantile(held, share))


def norm_mod(message: Any, context: Any, call_next: Callable[[Any, Any], Any]) -> Any:
    """Keep the norm of an update in the client's state after training, and pass everything on.

    Use it as the first mod of your ClientApp, `ClientApp(mods=[norm_mod, ...])`. The norm is then
    that of the update after the other mods. `add_answers(app)` answers about it.

    Args:
        message: The message.
        context: The client's context.
        call_next: Handles the message next.

    Returns:
        The unchanged reply.

    Raises:
        InvalidValue: The update has other arrays than the model; Flower then replies with an error.
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
    """Return the norm of the last update.

    Raises:
        InvalidValue: No update was sent.
    """
    if RECORD not in context.state.metric_records:
        rule = "a client is asked about the update that it sent, but it sent none"
        raise InvalidValue("message", "a question", rule, "train first")
    return float(context.state.metric_records[RECORD][_NORM])


def _bits(values: Values, asked: Sequence[Question], dim: int | None) -> list[bool]:
    """Return for each question whether the client's number is at least its value.

    Raises:
        InvalidValue: The values are not numbers, or their count is wrong.
    """
    if callable(values):
        return [_said(values(each.number, each.coordinate)) for each in asked]
    own = _listed(values)
    wanted = 1 + max((each.coordinate for each in asked), default=0)
    if len(own) < wanted or len(own) != (dim or len(own)):
        rule = f"must be one number per coordinate: {dim or f'at least {wanted}'}"
        remedy = "give one per coordinate; for an array in place of a number, give its median_of"
        raise InvalidValue("values", f"{len(own)} numbers", rule, remedy)
    exact = [_exactly(each) for each in own]
    return [exact[each.coordinate] >= each.value for each in asked]


def _said(answer: object) -> bool:
    """Return the result of the client's function.

    Raises:
        InvalidValue: The result is neither True nor False.
    """
    if not isinstance(answer, bool | np.bool_):
        rule = "must return True or False"
        raise InvalidValue("values", type(answer).__name__, rule, "compare with the number")
    return bool(answer)


def _listed(values: Values) -> list[Any]:
    """Return one number or several as a list, without conversion to floats."""
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
        rule = "must be a finite number, and so must each of several"
        raise InvalidValue("values", type(own).__name__, rule, "leave this client out") from None
