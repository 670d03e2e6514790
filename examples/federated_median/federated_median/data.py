"""Provide the clients' numbers: from a named distribution, or patients of a real data set."""

from __future__ import annotations

from typing import Any

import numpy as np

from feint.integrations.flower import median_of

LOW, HIGH, EPSILON = 0, 400, 2


def numbers(data: str, clients: int, *, seed: int = 0) -> list[float]:
    """Return one number per client.

    Args:
        data: "drawn": log-normal, with median 130; or "patients": the progression of diabetes a
            year on (Efron et al., 2004, which comes with scikit-learn), 442 patients dealt out to
            clients, each of which holds the median of its own.
        clients: The number of clients.
        seed: Of what is drawn, or how patients are dealt out.

    Returns:
        The clients' numbers, between 0 and 400.
    """
    random = np.random.default_rng(seed)
    if data == "drawn":
        return [float(each) for each in random.lognormal(np.log(130), 0.35, clients).clip(0, 399)]
    from sklearn.datasets import load_diabetes

    target: Any = load_diabetes().target
    dealt = np.array_split(random.permutation(target), clients)
    return [median_of([float(each) for each in share]) for share in dealt]
