"""Times of several contenders, taken so that a noisy machine disturbs all of them alike.

Responsible for: choosing batch sizes, interleaving, ratios within a round. Not for: what is run (`suite`) or which ratio
is good enough (`bars`).

A round visits every contender several times in short batches, in an order that turns with every pass. Only times of the
same round are ever divided by one another, and the answer is the median over the rounds; so a slow second on the machine
slows one round on both sides and moves no ratio. Times are processor time of this process: no workload waits for
anything, and what other processes do meanwhile is not counted.
"""

from __future__ import annotations

import asyncio
import gc
import math
import statistics
from collections.abc import Awaitable, Callable, Mapping
from time import process_time
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

Call = Callable[[], Any]
"""One unit of work, for example one whole run of a graph."""
AsyncCall = Callable[[], Awaitable[Any]]
FEWEST = 5
"""In how many rounds a contender is at least, however slow it is."""


@frozen
class Workload:
    """One piece of work and everybody who does it."""

    name: str
    """Short and unique, for example `chain, async`."""
    steps: int
    """Steps (node visits or items) of one call, the same for all; times are reported per step."""
    contenders: Mapping[str, Call] = field(factory=dict)
    """Sync contenders by name."""
    awaited: Mapping[str, AsyncCall] = field(factory=dict)
    """Async contenders by name; each batch is one coroutine on one event loop."""


@frozen
class Pace:
    """How long to measure."""

    rounds: int = 40
    passes: int = 4
    """Visits of each contender in one round."""
    batch: float = 0.003
    """Seconds that one visit should take; a call that takes longer is made once."""
    share: float = 6.0
    """Seconds that one contender may take in all; slow ones sit out rounds, evenly, but are in at least five."""


@frozen
class Times:
    """What was measured of one workload: seconds a step, by contender; one entry a round, `nan` where it sat out."""

    name: str
    steps: int
    seconds: Mapping[str, tuple[float, ...]]

    def median(self, contender: str) -> float:
        """Median seconds a step."""
        return statistics.median(each for each in self.seconds[contender] if not math.isnan(each))

    def ratios(self, contender: str, against: str) -> tuple[float, ...]:
        """Time of `contender` by time of `against`, round by round."""
        pairs = zip(self.seconds[contender], self.seconds[against], strict=True)
        return tuple(mine / theirs for mine, theirs in pairs if not math.isnan(mine + theirs))

    def differences(self, contender: str, against: str) -> tuple[float, ...]:
        """Seconds a step of `contender` above `against`, round by round."""
        pairs = zip(self.seconds[contender], self.seconds[against], strict=True)
        return tuple(mine - theirs for mine, theirs in pairs if not math.isnan(mine + theirs))


def measure(workload: Workload, pace: Pace) -> Times:
    """Take the times of all contenders of a workload.

    Objects that live before the first round are set apart from the garbage collector, so that nobody pays for the
    modules that the others have loaded; what the runs themselves leave behind is collected as usual.
    """
    with asyncio.Runner() as runner:
        visits: dict[str, Callable[[int], float]] = {
            name: _time_sync(call) for name, call in workload.contenders.items()
        }
        visits |= {name: _time_async(call, runner) for name, call in workload.awaited.items()}
        gc.collect()
        gc.freeze()
        try:
            seconds = _take_rounds(visits, pace)
        finally:
            gc.unfreeze()
    return Times(
        workload.name, workload.steps, {name: _per_step(each, workload.steps) for name, each in seconds.items()}
    )


def _per_step(rounds: Sequence[float], steps: int) -> tuple[float, ...]:
    return tuple(each / steps for each in rounds)


def _take_rounds(visits: Mapping[str, Callable[[int], float]], pace: Pace) -> dict[str, list[float]]:
    sizes = {name: _choose_size(visit, pace) for name, visit in visits.items()}
    taken: dict[str, list[float]] = {name: [] for name in visits}
    names = list(visits)
    for number in range(pace.rounds):
        present = [name for name in names if number % sizes[name][1] == 0]
        spent = dict.fromkeys(present, 0.0)
        for turn in range(pace.passes):
            shift = (number + turn) % max(1, len(present))
            for name in present[shift:] + present[:shift]:
                spent[name] += visits[name](sizes[name][0])
        for name in names:
            calls = sizes[name][0] * pace.passes
            taken[name].append(spent[name] / calls if name in spent else math.nan)
    return taken


def _choose_size(visit: Callable[[int], float], pace: Pace) -> tuple[int, int]:
    """Return calls in one visit, and in which rounds the contender takes part: those that this number divides.

    The second is a power of two, so that the rounds of a slower contender are among those of a faster one.
    """
    visit(1)
    calls, taken = 1, visit(1)
    while taken < pace.batch / 4:
        calls *= 2
        taken = visit(calls)
    size = max(1, round(calls * pace.batch / taken))
    round_takes = taken / calls * size * pace.passes
    stride = 1
    while pace.rounds / stride * round_takes > pace.share and pace.rounds / (2 * stride) >= FEWEST:
        stride *= 2
    return size, stride


def _time_sync(call: Call) -> Callable[[int], float]:
    def visit(calls: int) -> float:
        started = process_time()
        for _ in range(calls):
            call()
        return process_time() - started

    return visit


def _time_async(call: AsyncCall, runner: asyncio.Runner) -> Callable[[int], float]:
    async def batch(calls: int) -> float:
        started = process_time()
        for _ in range(calls):
            await call()
        return process_time() - started

    return lambda calls: runner.run(batch(calls))
