"""What was measured, written down: on the terminal, as JSON, and into the marked section of `benchmarks/README.md`."""

from __future__ import annotations

import json
import math
import platform
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.engine.suite import GATHER, OURS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.engine.bars import Bar
    from benchmarks.engine.imports import ImportTimes
    from benchmarks.engine.measure import Pace, Times

BEGIN, END = "<!-- engine figures: begin -->", "<!-- engine figures: end -->"
COLUMNS = (OURS, PLAIN, GATHER, "transitions", "apache-burr", "python-statemachine", "pydantic-graph", "langgraph")


class MarksMissingError(Exception):
    """The README has no place for the figures."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} has no section between {BEGIN!r} and {END!r}; add the two lines where the figures belong"
        )
        self.path = path


def show_number(value: float) -> str:
    """Write a number with three digits that matter."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table_of_bars(bars: Sequence[Bar]) -> str:
    """Write the bars as a Markdown table."""
    lines = ["| what | bar | measured | middle half of the rounds | |", "| --- | ---: | ---: | ---: | --- |"]
    for bar in bars:
        low, high = map(show_number, bar.quartiles)
        sign = "≤" if bar.at_most else "≥"
        lines.append(
            f"| {bar.what} | {sign} {bar.limit:g} {bar.unit} | **{show_number(bar.measured)}** | {low} to {high} "
            f"| {'pass' if bar.is_kept else '**fail**'} |"
        )
    return "\n".join(lines)


def table_of_times(times: Mapping[str, Times]) -> str:
    """Write the median microseconds a step as a Markdown table; a dash where a contender has no such thing."""
    lines = ["| workload | " + " | ".join(COLUMNS) + " |", "| --- |" + " ---: |" * len(COLUMNS)]
    for each in times.values():
        if OURS not in each.seconds or each.name == "build":
            continue
        cells = [show_number(each.median(column) * 1e6) if column in each.seconds else "-" for column in COLUMNS]
        lines.append(f"| {each.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def describe_machine() -> str:
    """Name processor and Python."""
    return f"{_read_processor()}, {platform.system()}, Python {platform.python_version()}"


def _read_processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def write_section(
    bars: Sequence[Bar], times: Mapping[str, Times], imports: ImportTimes, versions: Mapping[str, str]
) -> str:
    """Write the section of the README."""
    build, long = times["build"], times["build of many places"]
    kept = sum(bar.is_kept for bar in bars)
    return f"""\
{kept} of {len(bars)} bars kept. Measured on {describe_machine()}; {", ".join(f"{name} {each}" for name, each in versions.items())}.

{table_of_bars(bars)}

![Microseconds a step, log scale](engine/speed.svg)

Median microseconds a step (an item, for the fan-outs):

{table_of_times(times)}

Chain with all events kept: {show_number(times["chain"].median("with events") * 1e6)} µs a step.
Building the routing graph with all checks and claims: {show_number(build.median(OURS) * 1e3)} ms; langgraph, compile alone:
{show_number(build.median("langgraph") * 1e3)} ms, definition and compile: {show_number(build.median("langgraph, defined and compiled") * 1e3)} ms.
The first one in a fresh process: {show_number(imports.first_builds["transitable"] * 1e3)} ms; langgraph, definition and compile:
{show_number(imports.first_builds["langgraph"] * 1e3)} ms. A table of 600 places: {show_number(long.median("600 places") * 1e3)} ms, of 300: {show_number(long.median("300 places") * 1e3)} ms.
Above bare Python, `import attrs` takes {show_number(imports.attrs * 1e3)} ms, `import transitable` {show_number(imports.transitable * 1e3)} ms,
and `from transitable import END, Graph, again, by, then`, which loads the
engine, {show_number(imports.graph * 1e3)} ms ({show_number(statistics.median(imports.graph_ratios))} × `import attrs`); of asyncio, cattrs, sqlite3 and
transitions the last loads {", ".join(imports.loaded) or "none"}.
"""


def rewrite_readme(path: Path, section: str) -> None:
    """Put the section between the marks.

    Raises:
        MarksMissingError: If the file has no such marks.
    """
    text = path.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise MarksMissingError(path)
    path.write_text(f"{before}{BEGIN}\n{section}{END}{after}")


def write_results(
    path: Path,
    bars: Sequence[Bar],
    times: Mapping[str, Times],
    imports: ImportTimes,
    versions: Mapping[str, str],
    pace: Pace,
) -> None:
    """Write everything that was measured as JSON; seconds, one entry a round, null where a contender sat out."""
    document: dict[str, Any] = {
        "machine": describe_machine(),
        "versions": dict(versions),
        "rounds": pace.rounds,
        "bars": [
            {
                "what": bar.what,
                "bar": bar.limit,
                "at_most": bar.at_most,
                "unit": bar.unit,
                "measured": _shorten(bar.measured),
                "quartiles": [_shorten(each) for each in bar.quartiles],
                "pass": bar.is_kept,
            }
            for bar in bars
        ],
        "seconds_a_step": {
            name: {contender: [_shorten(each) for each in rounds] for contender, rounds in workload.seconds.items()}
            for name, workload in times.items()
        },
        "import": {
            "seconds": {
                "attrs": _shorten(imports.attrs),
                "transitable": _shorten(imports.transitable),
                "Graph": _shorten(imports.graph),
            },
            "ratios": [_shorten(each) for each in imports.ratios],
            "ratios of Graph": [_shorten(each) for each in imports.graph_ratios],
            "loaded": list(imports.loaded),
            "seconds of the first build": {name: _shorten(each) for name, each in imports.first_builds.items()},
        },
    }
    path.write_text(_fold(json.dumps(document, indent=1, ensure_ascii=False)) + "\n")


def _shorten(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{value:.4g}")


def _fold(text: str) -> str:
    """Put lists of numbers on one line each."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines():
        if inside:
            lines[-1] += " " + line.strip() if not line.strip().startswith("]") else line.strip()
            inside = not line.strip().startswith("]")
        else:
            lines.append(line)
            inside = line.endswith("[") and not line.strip().startswith('"bars"')
    return "\n".join(lines)
