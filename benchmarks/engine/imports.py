"""What `import transitable` costs beside `import attrs`, in fresh processes, and what it loads."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

from attrs import frozen

STATEMENTS = {
    "bare": "pass",
    "attrs": "import attrs",
    "transitable": "import transitable",
    "graph": "from transitable import END, Graph, again, by, then",
}
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
