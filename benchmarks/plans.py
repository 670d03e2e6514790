"""Measure how long `feint plan` takes, over problems drawn as users might draw them.

Each is planned by a process of its own whose stderr is a terminal, so that what is measured is what
a person waits for: until the answer, and until something moves on the screen.
"""

from __future__ import annotations

import os
import pty
import random
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Figure

from feint import Domain
from feint.errors import InvalidValue

Words = tuple[str, ...]
COUNT, SEED = 300, 15
_LONGEST = 60.0  # seconds after which a plan is given up

# Ranges in the user's units: low, high, and the accuracies that are likely there.
_RANGES: dict[str, list[tuple[str, str, Sequence[str]]]] = {
    "unit": [("0", "1", ("0.1", "0.01", "0.001", "1e-4", "1e-6", "2^-10", "2^-20", "1/64"))],
    "price": [
        ("0", "100", ("0.01", "0.1", "0.5", "1")),
        ("5", "50", ("0.01", "0.05", "0.25")),
        ("0.99", "19.99", ("0.01", "0.1")),
        ("100", "2500", ("1", "5", "10")),
    ],
    "salary": [
        ("20000", "200000", ("100", "500", "1000")),
        ("0", "1000000", ("1000", "5000")),
        ("35000", "95000", ("250", "1000")),
    ],
    "third": [("0", "3", ("0.01", "0.001")), ("-40", "125", ("0.1", "0.5"))],
}
_STEPPED = [
    ("1", "100", "1"),
    ("1", "97", "1"),
    ("0", "255", "1"),
    ("1", "320", "1"),
    ("1", "1000", "1"),
    ("0", "5000", "1"),
    ("1", "12345", "1"),
    ("0", "1000000", "1"),
    ("1", "10^9", "1"),
    ("1", "10^18", "1"),
    ("0", "100", "0.01"),
    ("0", "49.95", "0.05"),
    ("20000", "200000", "500"),
]


class Timed(NamedTuple):
    """One problem, and how long a person waits for its plan.

    Attributes:
        words: What was typed after `feint plan`.
        wall: Seconds until the answer.
        spent: Seconds of processor time.
        first: Seconds until something is shown on stderr; None: nothing is.
        code: The exit code; None: it was given up.
    """

    words: Words
    wall: float
    spent: float
    first: float | None
    code: int | None


def problems(count: int = COUNT, seed: int = SEED) -> list[Words]:
    """Return flags of `feint plan`, drawn as users might choose them; a seed fixes them."""
    dice, found = random.Random(seed), list[Words]()
    while len(found) < count:
        words = _drawn(dice)
        if words is not None:
            found.append(words)
    return found


def _drawn(dice: random.Random) -> Words | None:
    """Draw one problem; return None if its parts do not fit together."""
    stepped = dice.random() < 0.4
    if stepped:
        low, high, step = dice.choice(_STEPPED)
        words, epsilon = ["--low", low, "--high", high, "--step", step], step
        domain = Domain(low, high, step=step)
    else:
        kind = dice.choice(list(_RANGES))
        low, high, fine = dice.choice(_RANGES[kind])
        epsilon = dice.choice(fine)
        words = ["--epsilon", epsilon]
        words += [] if kind == "unit" else ["--low", low, "--high", high]
        domain = Domain(low, high)
        if kind == "price" and dice.random() < 0.3:
            words += ["--tick", dice.choice(["0.01", epsilon])]
    dim = dice.choice([1, 1, 1, 2, 3, dice.randint(4, 10)])
    level = round(2 ** dice.uniform(1, 10)) if dice.random() < 0.5 else dice.choice(_LEVELS)
    noisy = dice.random() < 0.25
    delta = _delta(
        dice,
        domain,
        Fraction(epsilon) if "^" not in epsilon else _power(epsilon),
        level,
        dim,
        noisy,
    )
    if delta is None:
        return None
    words += ["--dim", str(dim)] if dim > 1 else []
    setting = "deterministic" if not noisy and dice.random() < 0.15 else "bayesian"
    words += ["--setting", setting] if setting != "bayesian" else []
    p, sure = dice.choice(_ODDS), dice.choice(_SURE)
    if noisy:
        words += ["--p", p] + (["--confidence", sure] if sure else [])
    try:
        domain.problem(
            epsilon=epsilon,
            delta=delta,
            level=level,
            dim=dim,
            setting="deterministic" if setting != "bayesian" else "bayesian",
            p=p if noisy else None,
            confidence=sure if noisy else None,
        )
    except InvalidValue:
        return None
    secret, private = ["--delta", str(delta)], ["--level", str(level)]
    extra = dice.choice(["", "", "", "rounds", "frontier", "budget", "method"])
    if extra == "budget":
        asked = ["--budget", str(round(10 ** dice.uniform(1, 5)))]
        return (*words, *dice.choice([secret, private]), *asked)
    words += secret + private
    if extra == "rounds":
        words += ["--max-rounds", str(dice.choice([1, 2, 3, 4, 5, 8, 10, 20]))]
    if extra == "frontier":
        words += ["--frontier"]
    if extra == "method":
        words += ["--method", "tight"]
    return tuple(words)


_LEVELS = (2, 3, 4, 5, 8, 10, 20, 50, 100, 1000)
_ODDS = ("0.55", "0.6", "0.7", "0.75", "0.8", "0.9", "0.95", "0.99")
_SURE = (None, None, "0.9", "0.95", "0.99")


def _power(written: str) -> Fraction:
    base, _, exponent = written.partition("^")
    return Fraction(int(base)) ** int(exponent)


def _delta(
    dice: random.Random, domain: Domain, epsilon: Fraction, level: int, dim: int, noisy: bool
) -> Fraction | None:
    """Draw a round number between the limits that the accuracy and the level allow."""
    most = domain.width / Fraction(max(2, round(level ** (1 / dim) + 0.499)))
    least = epsilon if domain.step else (4 if noisy else 2) * epsilon
    fits = [
        digit * Fraction(10) ** power
        for power in range(-8, 19)
        for digit in (1, 2, 3, 4, 5, 7)
        if least <= digit * Fraction(10) ** power <= most
        and (domain.step is None or digit * Fraction(10) ** power % domain.step == 0)
    ]
    return dice.choice(fits) if fits else None


def timed(words: Words) -> Timed:
    """Run `feint plan` with its stderr on a terminal, and watch the clock."""
    ours, theirs = pty.openpty()
    start, first = time.monotonic(), None
    command = [str(Path(sys.executable).parent / "feint"), "plan", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        code: int | None = None
        usage = None
        while usage is None:
            ready, _, _ = select.select([ours], [], [], 0.05)
            if ready:
                try:
                    seen = os.read(ours, 1 << 16)
                except OSError:  # the other end was closed
                    seen = b""
                if seen and first is None:
                    first = time.monotonic() - start
            late = time.monotonic() - start > _LONGEST
            if late:
                process.kill()
            pid, status, used = os.wait4(process.pid, 0 if late else os.WNOHANG)
            if pid:
                usage, code = used, None if late else os.waitstatus_to_exitcode(status)
                process.returncode = os.waitstatus_to_exitcode(status)
    os.close(ours)
    spent = usage.ru_utime + usage.ru_stime
    return Timed(words, time.monotonic() - start, spent, first, code)


def waiting() -> list[Figure]:
    """Measure how long a person waits for a plan: without a sign of life, and in total."""
    measured = [timed(words) for words in problems()]
    slow = sorted(measured, key=lambda each: -each.wall)
    # A refusal is said at the end, on stderr too: that is no progress.
    silent = [each for each in measured if each.first is None or each.first > each.wall - 0.3]
    moving = [each for each in measured if each.wall > 2 and each not in silent]
    worst = "; ".join(f"{each.wall:.1f} s `{' '.join(each.words)}`" for each in slow[:10])
    return [
        Figure("the slowest plan without progress / 2 s", max(each.wall for each in silent) / 2, 1),
        Figure(
            "the latest first progress of a slow plan / 1 s",
            max((each.first or 0.0 for each in moving), default=0.0),
            1,
        ),
        Figure("the slowest plan of all / 20 s", slow[0].wall / 20, 1, worst),
    ]
