"""Self-join benchmark: one fresh process a cell, medians; writes join.json, join.png and the tables in README.md.

Usage: python benchmarks/similarity/join.py [--repeats 3] [--limit 30] [--resume] [--draw-only]
A contender that needs longer than the limit (seconds) at one n is not tried at a larger one.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "join.json"
INPUTS = (("english", "words"), ("korean", "words"), ("korean", "mixed"), ("long", "words"))
SIZES = (100, 1_000, 10_000, 50_000)
PEERS = (
    "transitable",
    "rensa 32x4",
    "rensa 25x5",
    "datasketch",
    "SetSimilaritySearch",
    "sparse product",
    "rapidfuzz",
    "naive",
)
START, END = "<!-- join -->", "<!-- /join -->"

Cell = dict[str, float | int | str]


def measure_cell(contender: str, kind: str, tokens: str, n: int, repeats: int, limit: float) -> Cell | None:
    """Measure one cell; `None` when it takes longer than the limit."""
    command = [sys.executable, str(HERE / "cell.py"), contender, kind, tokens, str(n)]
    runs: list[Cell] = []
    for _ in range(repeats):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit + 20)
        except subprocess.TimeoutExpired:
            return None
        runs.append(json.loads(done.stdout))
        if float(runs[-1]["wall"]) > limit / 4:
            break
    middle = {
        key: statistics.median([float(run[key]) for run in runs]) for key in ("seconds", "wall", "split", "extra_mb")
    }
    return {**middle, "runs": len(runs), "pairs": runs[0]["pairs"], "digest": runs[0]["digest"]}


def measure_all(repeats: int, limit: float, *, resume: bool) -> dict[str, Cell]:
    """Measure all cells, or those that an earlier run did not come to, printing each."""
    cells: dict[str, Cell] = json.loads(RESULTS.read_text(encoding="utf-8")) if resume else {}
    for kind, tokens in INPUTS:
        given_up: set[str] = set()
        for n in SIZES:
            for contender in PEERS:
                if contender in given_up or (contender == "naive" and n > 10_000):
                    continue
                if f"{kind}/{tokens}/{n}/{contender}" in cells:
                    continue
                cell = measure_cell(contender, kind, tokens, n, repeats, limit)
                if cell is None:
                    given_up.add(contender)
                    continue
                cells[f"{kind}/{tokens}/{n}/{contender}"] = cell
                print(kind, tokens, n, contender, f"{float(cell['seconds']):.4f} s", cell["pairs"], flush=True)
                RESULTS.write_text(json.dumps(cells, indent=1) + "\n", encoding="utf-8")
    return cells


def write_tables(cells: dict[str, Cell]) -> str:
    """Write a table for each input: processor seconds (recall against the exact pairs), and extra memory at the largest n."""
    lines: list[str] = []
    for kind, tokens in INPUTS:
        lines += [
            f"### {kind}, {tokens}",
            "",
            "| | " + " | ".join(f"n = {n:,}" for n in SIZES) + " | extra MB at the largest n |",
        ]
        lines += ["| --- | " + " | ".join("---:" for _ in SIZES) + " | ---: |"]
        for contender in PEERS:
            row, memory = [], ""
            for n in SIZES:
                cell, exact = (cells.get(f"{kind}/{tokens}/{n}/{name}") for name in (contender, "transitable"))
                if cell is None or exact is None:
                    row.append("-")
                    continue
                recall = int(cell["pairs"]) / int(exact["pairs"]) if int(exact["pairs"]) else 1.0
                mark = "" if cell["digest"] == exact["digest"] else f" ({recall:.1%})"
                row.append(f"{float(cell['seconds']):.4f} s{mark}")
                memory = f"{float(cell['extra_mb']):.0f}"
            lines.append(f"| {contender} | {' | '.join(row)} | {memory} |")
        lines += ["", write_growth(cells, kind, tokens), ""]
    return "\n".join(lines)


def write_growth(cells: dict[str, Cell], kind: str, tokens: str) -> str:
    """State the exponent of growth from 1,000 to 10,000, and the pairs found at the largest n."""
    small, large, last = (cells.get(f"{kind}/{tokens}/{n}/transitable") for n in (1_000, 10_000, 50_000))
    if small is None or large is None or last is None:
        return "Not measured to the end."
    exponent = math.log10(float(large["seconds"]) / float(small["seconds"]))
    return (
        f"Growth exponent of transitable from 1,000 to 10,000: {exponent:.2f}. Pairs at 50,000: {int(last['pairs']):,}. "
        f"Splitting the texts into tokens, not counted above, takes {float(last['split']):.2f} s at 50,000."
    )


def draw(cells: dict[str, Cell]) -> None:
    """Draw time against n, one panel an input."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(INPUTS), figsize=(17, 4.2), sharey=True)
    for panel, (kind, tokens) in zip(panels, INPUTS, strict=True):
        for contender in PEERS:
            points = [(n, cells[key]["seconds"]) for n in SIZES if (key := f"{kind}/{tokens}/{n}/{contender}") in cells]
            if points:
                width = 3 if contender == "transitable" else 1.2
                panel.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=width, label=contender)
        panel.set(xscale="log", yscale="log", title=f"{kind}, {tokens}", xlabel="texts")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("processor seconds")
    panels[-1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(HERE / "join.png", dpi=110)


def main() -> None:
    """Measure, draw, and put the tables into README.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=30.0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--draw-only", action="store_true")
    options = parser.parse_args()
    if options.draw_only:
        cells = json.loads(RESULTS.read_text(encoding="utf-8"))
    else:
        cells = measure_all(options.repeats, options.limit, resume=options.resume)
    draw(cells)
    readme = HERE / "README.md"
    text = readme.read_text(encoding="utf-8")
    head, tail = text.split(START)[0], text.split(END)[1]
    readme.write_text(f"{head}{START}\n\n{write_tables(cells)}\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
