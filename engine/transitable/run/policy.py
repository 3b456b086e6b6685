"""The options of a run, and the clock that it reads.

Responsible for: which options there are, their defaults and ranges, and the `Clock` port. Not for: policies of single
places (`transitable.model.nodes.Retry`).
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, cast

from transitable.errors import OptionError, find_nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Clock(Protocol):
    """Where a run's time comes from."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait, under the sync driver."""
        ...

    async def asleep(self, seconds: float) -> None:
        """Wait, under the async driver."""
        ...


class SystemClock:
    """The machine's clock."""

    now = staticmethod(time.time)
    """Seconds since the epoch."""

    def sleep(self, seconds: float) -> None:
        """Wait in this thread."""
        time.sleep(seconds)

    async def asleep(self, seconds: float) -> None:
        """Wait in this task."""
        import asyncio  # only under the async driver, so that importing the engine stays cheap

        await asyncio.sleep(seconds)


class ManualClock:
    """A clock for tests: it stands still, and waiting moves it on at once."""

    def __init__(self, start: float = 0.0) -> None:
        self.time = start
        """Seconds since the epoch; set it to move the clock."""
        self.waits: list[float] = []
        """Every wait asked for, in seconds."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return self.time

    def sleep(self, seconds: float) -> None:
        """Move on by this much."""
        self.waits.append(seconds)
        self.time += seconds

    async def asleep(self, seconds: float) -> None:
        """Move on by this much."""
        self.sleep(seconds)


class DriverOptions(TypedDict, total=False):
    """The options that a run can be started and resumed with."""

    clock: Clock
    """Default the machine's."""
    random: Callable[[], float]
    """Gives numbers from 0 up to 1 for the jitter of waits; default `random.random`."""
    keep_events: bool
    """Keep the events, for `run.events`; default False, and on a resume what the run did. A handle always keeps them."""
    check_invariants: bool
    """Check the graph's invariants after every step, not only at the end; default False."""


class RunOptions(DriverOptions, total=False):
    """The options of `run`, `arun`, `stream`, `astream` and `start`."""

    run_id: str
    """Names the run; default a random one. Idempotency keys start with it."""
    max_steps: int
    """Stop with LIMIT after exactly this many steps; default no limit."""
    max_seconds: float
    """Stop with LIMIT once the run has worked for this many seconds; default no limit."""
    max_cost: float
    """Stop with LIMIT once nodes have spent this much by `context.spend`; default no limit."""


class ResumeOptions(DriverOptions, total=False):
    """The options of `reopen`, `resume` and `aresume`; name and limits are those of the run, extended by what is given."""

    answers: Mapping[str, Any]
    """By question id; questions left out stay open."""
    more_steps: int
    """How many steps beyond those made so far or allowed; default what is left of the limit."""
    more_seconds: float
    """How many seconds more; default what is left of the limit."""
    more_cost: float
    """How much more cost; default what is left of the limit."""


SYSTEM_CLOCK = SystemClock()


def system_random() -> float:
    """Draw from the standard library's generator."""
    import random  # only where a policy has jitter

    return random.random()  # noqa: S311  # waits between attempts need no cryptography


def check_options(options: Mapping[str, Any], known: Mapping[str, Any] = RunOptions.__annotations__) -> None:
    """Refuse options that are unknown or out of range.

    Args:
        options: By name.
        known: The names that this door has.

    Raises:
        OptionError: For the first of them.
    """
    for name, value in options.items():
        if name not in known:
            names = ", ".join(sorted(known))
            raise OptionError(name, "there is no such option here", f"one of {names}", find_nearest(name, known))
        CHECKS[name](name, value)


def check_count(name: str, value: object) -> None:
    """Refuse what is not a whole number of at least 1.

    Raises:
        OptionError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise OptionError(name, f"found {value!r}", "a whole number of at least 1")


def is_finite(value: float) -> bool:
    """Tell whether a number is finite as a float; an int can be too large for one."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_positive(name: str, value: object) -> None:
    """Refuse what is not a finite number above 0.

    Raises:
        OptionError: If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not is_finite(value) or value <= 0:
        raise OptionError(name, f"found {value!r}", "a finite number above 0")


def check_flag(name: str, value: object) -> None:
    """Refuse what is not a bool.

    Raises:
        OptionError: If it is not.
    """
    if not isinstance(value, bool):
        raise OptionError(name, f"found {value!r}", "True or False")


def check_text(name: str, value: object) -> None:
    """Refuse what is not a text with something in it.

    Raises:
        OptionError: If it is not.
    """
    if not (isinstance(value, str) and value):
        raise OptionError(name, f"found {value!r}", "a text that is not empty")


def check_random(name: str, value: object) -> None:
    """Refuse what cannot be called.

    Raises:
        OptionError: If it cannot.
    """
    if not callable(value):
        raise OptionError(name, f"found {value!r}", "a function that gives numbers from 0 up to 1")


def check_clock(name: str, value: object) -> None:
    """Refuse what is no `Clock`.

    Raises:
        OptionError: If it is none.
    """
    if not all(hasattr(value, each) for each in ("now", "sleep", "asleep")):
        raise OptionError(name, f"found {value!r}", "a Clock with now, sleep and asleep")


def check_answers(name: str, value: object) -> None:
    """Refuse what is not a mapping from question ids to answers.

    Raises:
        OptionError: If it is not.
    """
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in cast("dict[object, object]", value)):
        raise OptionError(name, f"found {value!r}", "a dict of answers by question id")


CHECKS: Mapping[str, Callable[[str, object], None]] = {
    "run_id": check_text,
    "max_steps": check_count,
    "max_seconds": check_positive,
    "max_cost": check_positive,
    "clock": check_clock,
    "random": check_random,
    "keep_events": check_flag,
    "check_invariants": check_flag,
    "answers": check_answers,
    "more_steps": check_count,
    "more_seconds": check_positive,
    "more_cost": check_positive,
}
"""The check of each option."""
