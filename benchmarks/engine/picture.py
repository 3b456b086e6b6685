"""The picture: microseconds a step of every contender, bars on a log scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchmarks.engine.suite import GATHER, OURS, PEERS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from benchmarks.engine.measure import Times
    from matplotlib.axes import Axes

SHOWN = ("chain", "routing", "loop", "fan-out", "chain, async", "routing, async", "loop, async", "fan-out, async")
COLOURS = {
    OURS: "#0b6e4f",
    PLAIN: "#9aa5b1",
    GATHER: "#616e7c",
    "transitions": "#e9b44c",
    "apache-burr": "#d1495b",
    "python-statemachine": "#8d6a9f",
    "pydantic-graph": "#2e86ab",
    "langgraph": "#1c2833",
}


def draw(times: Mapping[str, Times], path: Path) -> None:
    """Draw the picture and write it as SVG.

    Args:
        times: By name of the workload.
        path: Of the file to write; an old one is replaced.
    """
    import matplotlib as mpl  # only by who draws: it takes longer to load than all that is measured
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "benchmarks"
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    axes: Axes = figure.add_subplot()
    width = 0.8 / len(COLOURS)
    for place, (contender, colour) in enumerate(COLOURS.items()):
        heights = [_read_height(times[name], contender) for name in SHOWN]
        spots = [number + (place - len(COLOURS) / 2 + 0.5) * width for number in range(len(SHOWN))]
        bars = axes.bar(spots, heights, width, color=colour, label=contender)
        labels = ["" if math.isnan(height) else f"{height:.3g}" for height in heights]
        axes.bar_label(bars, labels, fontsize=5.5, rotation=90, padding=2)
    axes.set_yscale("log")
    axes.set_ylabel("µs a step (log scale; lower is better)")
    axes.set_xticks(range(len(SHOWN)), [name.replace(", async", "\nasync") for name in SHOWN])
    axes.margins(x=0.01, y=0.12)
    axes.set_axisbelow(True)
    axes.grid(axis="y", which="major", color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(ncols=len(PEERS) + 3, loc="outside upper center", fontsize=8, frameon=False)
    figure.savefig(path, metadata={"Date": None})


def _read_height(times: Times, contender: str) -> float:
    return times.median(contender) * 1e6 if contender in times.seconds else math.nan
