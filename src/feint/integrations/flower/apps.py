"""Define a ClientApp that answers feint's questions. This module needs Flower."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flwr.app import Context, Message
from flwr.clientapp import ClientApp

from feint.integrations.flower.wire import ACTION, KIND, holds_questions

Answer = Callable[[Any, Any], Any]
_EARLIER = (
    "a server of feint before 0.2 asked by a plain query: update it; this version answers, and"
    " later ones will not"
)


class Answering(ClientApp):
    """A ClientApp with a handler for "query.feint".

    Servers of earlier versions send the same record as a plain "query". The app answers it too. Its
    record distinguishes it from a user's query, so the user's handler never gets it.
    """

    def __init__(self, answer: Answer, mods: Sequence[Any]) -> None:
        """Register the answer.

        Args:
            answer: Returns the reply to a message, given the message and a context.
            mods: Flower's mods, the outermost first.
        """
        super().__init__(mods=list(mods))
        self.query(ACTION)(answer)
        self._to_earlier = answer
        for mod in reversed(mods):
            self._to_earlier = partial(_wrapped, mod, self._to_earlier)

    def __call__(self, message: Message, context: Context) -> Message:
        """Handle a message."""
        if message.metadata.message_type != KIND and holds_questions(message):
            warnings.warn(_EARLIER, DeprecationWarning, stacklevel=2)
            reply: Message = self._to_earlier(message, context)
            return reply
        return super().__call__(message, context)


def _wrapped(mod: Any, call_next: Answer, message: Any, context: Any) -> Any:
    return mod(message, context, call_next)
