"""Find medians, quantiles and thresholds over Flower clients, with one bit per client and question.

Every client sees every broadcast, so an ordinary search shows its result to all of them. A client
who keeps every question of these searches still cannot tell the result.
"""

from feint.integrations.flower.claims import band, vote_p
from feint.integrations.flower.clients import (
    add_answers,
    answering_mod,
    client_app,
    median_of,
    norm_client_app,
    norm_mod,
    replied,
)
from feint.integrations.flower.clipping import clipping_plan, private_clipping
from feint.integrations.flower.inprocess import InProcess
from feint.integrations.flower.private_values import private_values
from feint.integrations.flower.quantile import Learned, private_quantile
from feint.integrations.flower.server import Clients

__all__ = [
    "Clients",
    "InProcess",
    "Learned",
    "add_answers",
    "answering_mod",
    "band",
    "client_app",
    "clipping_plan",
    "median_of",
    "norm_client_app",
    "norm_mod",
    "private_clipping",
    "private_quantile",
    "private_values",
    "replied",
    "vote_p",
]
