"""Run the whole comparison: `python -m benchmarks.engine`, from the top of the repository.

`--quick` takes a sixth of the rounds, `--only` a few workloads; both print and write nothing. The exit code is 0 when
every bar is kept, 1 otherwise.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).resolve().parent
if __package__ in (None, ""):
    sys.path.insert(0, str(HERE.parent.parent))  # started as a file: make `benchmarks` importable


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, measure, judge, write.

    Args:
        arguments: Of the command line; None takes the process's own.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.engine", description="The engine beside a plain loop and its peers."
    )
    parser.add_argument("--quick", action="store_true", help="a sixth of the rounds; writes no file")
    parser.add_argument(
        "--only", nargs="+", metavar="WORKLOAD", help="only these workloads; prints their times and writes no file"
    )
    options = parser.parse_args(arguments)
    logging.disable(logging.CRITICAL)  # a peer's log lines would be part of its time

    from benchmarks.engine import bars, imports, picture, report, suite  # after the path is right; loads every peer
    from benchmarks.engine.measure import Pace, measure

    pace = Pace(rounds=7, share=1.0) if options.quick else Pace()
    suite.check_all()
    times = {}
    for workload in suite.list_workloads():
        if options.only and workload.name not in options.only:
            continue
        times[workload.name] = taken = measure(workload, pace)
        print(
            f"{workload.name}: " + ", ".join(f"{name} {taken.median(name) * 1e6:.2f} µs" for name in taken.seconds),
            flush=True,
        )
    if options.only:
        return 0
    imported = imports.measure_imports(pace.rounds)
    judged = bars.judge(times, imported)
    print("\n" + report.table_of_bars(judged))
    if not options.quick:
        versions = suite.list_versions()
        report.write_results(HERE / "results.json", judged, times, imported, versions, pace)
        picture.draw(times, HERE / "speed.svg")
        report.rewrite_readme(HERE.parent / "README.md", report.write_section(judged, times, imported, versions))
    return 0 if all(bar.is_kept for bar in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
