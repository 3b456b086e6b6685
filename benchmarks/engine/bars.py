"""The bars: what was promised of the engine's speed, and whether what was measured keeps it."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from attrs import frozen
from benchmarks.engine.suite import GATHER, OURS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from benchmarks.engine.imports import ImportTimes
    from benchmarks.engine.measure import Times


@frozen
class Bar:
    """One promise and the measurement that judges it."""

    what: str
    """What is compared, in words."""
    limit: float
    """The bar."""
    at_most: bool
    """True: the median must not be above the bar; False: not below it."""
    unit: str
    """`×` for ratios, `µs` for microseconds a step, `modules` for a count."""
    rounds: tuple[float, ...]
    """One value a round."""

    @property
    def measured(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.rounds)

    @property
    def quartiles(self) -> tuple[float, float]:
        """Lower and upper quartile of the rounds."""
        if len(self.rounds) < 2:
            return self.rounds[0], self.rounds[0]
        low, _, high = statistics.quantiles(self.rounds, n=4)
        return low, high

    @property
    def is_kept(self) -> bool:
        """Whether the median is on the right side of the bar."""
        return self.measured <= self.limit if self.at_most else self.measured >= self.limit


PEER_BARS = {"langgraph": 100.0, "apache-burr": 20.0, "transitions": 4.0}
"""How many times faster than each peer, on the same work."""


def judge(times: Mapping[str, Times], imports: ImportTimes) -> list[Bar]:
    """Make all bars out of what was measured.

    Args:
        times: By name of the workload.
        imports: Of the fresh processes.
    """
    return [*_judge_plain(times), *_judge_peers(times), *_judge_fans(times), *_judge_rest(times, imports)]


def _judge_plain(times: Mapping[str, Times]) -> Iterator[Bar]:
    limits = (("chain", 0.75), ("chain, async", 0.75), ("loop", 0.85), ("loop, async", 0.85))
    for name, limit in limits:
        yield Bar(f"{name}: time of the plain loop", limit, True, "×", times[name].ratios(OURS, PLAIN))
    yield Bar(
        "chain, all events kept: time of the plain loop", 1.0, True, "×", times["chain"].ratios("with events", PLAIN)
    )
    above = tuple(each * 1e6 for each in times["two fields"].differences(OURS, PLAIN))
    yield Bar("state of two fields: above the plain loop, a step", 1.5, True, "µs", above)


def _judge_peers(times: Mapping[str, Times]) -> Iterator[Bar]:
    for peer, limit in PEER_BARS.items():
        for name in ("chain", "routing", "loop", "chain, async", "routing, async", "loop, async"):
            yield Bar(f"{name}: times faster than {peer}", limit, False, "×", times[name].ratios(peer, OURS))


def _judge_fans(times: Mapping[str, Times]) -> Iterator[Bar]:
    for name in ("fan-out, async", "fan-out of 5,000, async"):
        yield Bar(f"{name}: time of bare `asyncio.gather`", 1.5, True, "×", times[name].ratios(OURS, GATHER))


def _judge_rest(times: Mapping[str, Times], imports: ImportTimes) -> Iterator[Bar]:
    build, long = times["build"], times["build of many places"]
    built = "routing graph built, with checks and claims: time of langgraph's compile alone"
    yield Bar(built, 1.0, True, "×", build.ratios(OURS, "langgraph"))
    yield Bar("table of 600 places: time of one of 300", 2.5, True, "×", long.ratios("600 places", "300 places"))
    yield Bar("`import transitable`: time of `import attrs`", 1.6, True, "×", imports.ratios)
    yield Bar(
        "asyncio, cattrs, sqlite3, transitions loaded with `Graph`", 0, True, "modules", (float(len(imports.loaded)),)
    )
