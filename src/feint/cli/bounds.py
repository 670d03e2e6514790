"""`feint bounds`: every bound of the theory for the user's numbers."""

from __future__ import annotations

from feint.bounds import table
from feint.cli import options as flag
from feint.cli import show


def bounds(
    epsilon: flag.Epsilon = None,
    delta: flag.Delta = None,
    level: flag.Level = None,
    setting: flag.SettingName = "bayesian",
    p: flag.P = None,
    confidence: flag.Confidence = None,
    dim: flag.Dim = "1",
    low: flag.Low = None,
    high: flag.High = None,
    step: flag.Step = None,
    json: flag.Json = False,
) -> None:
    """Show what the theorems say about the number of questions."""
    wanted = flag.request(
        epsilon=epsilon,
        delta=delta,
        level=level,
        setting=setting,
        p=p,
        confidence=confidence,
        dim=dim,
        low=low,
        high=high,
        step=step,
    )
    rows = table(wanted.problem)
    if json:
        show.as_json(
            {
                "problem": wanted.problem.to_dict(),
                "domain": wanted.domain.to_dict(),
                "bounds": [row.to_dict() for row in rows],
            }
        )
        return
    line = show.problem_line(wanted.problem, wanted.domain)
    show.lines(line, show.bounds_table(rows), *show.reasons(rows))
