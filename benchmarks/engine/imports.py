"""What only a fresh process shows: the cost of `import transitable`, what it loads, and the first build of a graph."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
from pathlib import Path

from attrs import frozen

TOP = Path(__file__).resolve().parents[2]
STATEMENTS = {
    "bare": "pass",
    "attrs": "import attrs",
    "transitable": "import transitable",
    "graph": "from transitable import END, Graph, again, by, then",
}
FIRST_BUILDS = {
    "transitable": "from benchmarks.engine.tables import define_routing as build",
    "langgraph": "from benchmarks.engine.peers.langgraph_graphs import define_routing\nbuild = lambda: define_routing().compile()",
}
"""How to get at the function that builds the routing graph, without building anything before."""
UNWANTED = ("asyncio", "cattrs", "sqlite3", "transitions")
"""Modules that `import transitable` must not load."""


@frozen
class ImportTimes:
    """What was measured."""

    ratios: tuple[float, ...]
    """`import transitable` by `import attrs`, both above bare Python, round by round."""
    graph_ratios: tuple[float, ...]
    """The same for an import that asks for `Graph` and the words of tables: what a program that builds a graph pays."""
    attrs: float
    """Median seconds of `import attrs` above bare Python."""
    transitable: float
    """Median seconds of `import transitable` above bare Python."""
    graph: float
    """Median seconds of the import that asks for `Graph`, above bare Python."""
    first_builds: dict[str, float]
    """Median seconds of the first build of the routing graph in a process; for langgraph definition and compile."""
    loaded: tuple[str, ...]
    """Those of `UNWANTED` that the import that asks for `Graph` loads."""


def measure_imports(rounds: int) -> ImportTimes:
    """Start processes in turn, several of a kind in a round, and compare their medians within the round."""
    taken: dict[str, list[float]] = {name: [] for name in STATEMENTS}
    for _ in range(rounds):
        within: dict[str, list[float]] = {name: [] for name in STATEMENTS}
        for _ in range(5):
            for name, statement in STATEMENTS.items():
                within[name].append(_time_process(statement))
        for name, each in within.items():
            taken[name].append(statistics.median(each))
    above = {name: [one - bare for one, bare in zip(taken[name], taken["bare"], strict=True)] for name in STATEMENTS}
    return ImportTimes(
        ratios=_divide(above["transitable"], above["attrs"]),
        graph_ratios=_divide(above["graph"], above["attrs"]),
        attrs=statistics.median(above["attrs"]),
        transitable=statistics.median(above["transitable"]),
        graph=statistics.median(above["graph"]),
        first_builds={
            name: statistics.median(_time_first_build(setup) for _ in range(max(5, rounds // 4)))
            for name, setup in FIRST_BUILDS.items()
        },
        loaded=list_loaded(),
    )


def _divide(ours: list[float], theirs: list[float]) -> tuple[float, ...]:
    return tuple(mine / other for mine, other in zip(ours, theirs, strict=True))


def list_loaded() -> tuple[str, ...]:
    """Ask a fresh process which unwanted modules the import that asks for `Graph` loads."""
    code = f"{STATEMENTS['graph']}; import sys; print(*[name for name in {UNWANTED!r} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return tuple(answer.stdout.split())


def _time_process(statement: str) -> float:
    """Seconds of processor time that a fresh process takes, from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _time_first_build(setup: str) -> float:
    code = f"{setup}\nfrom time import process_time\nbegun = process_time()\nbuild()\nprint(process_time() - begun)"
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=TOP)
    return float(answer.stdout)
