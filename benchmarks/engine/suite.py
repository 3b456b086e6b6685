"""The suite: which contenders meet in which workload.

Responsible for: putting `plain`, `ours` and the peers together, and making sure that all end with the same values
before any time is taken.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from benchmarks.engine import ours, plain, tables, work
from benchmarks.engine.measure import Workload
from benchmarks.engine.peers import (
    langgraph_graphs,
    with_burr,
    with_langgraph,
    with_pydantic_graph,
    with_statemachine,
    with_transitions,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

OURS = "transitable"
PLAIN = "plain loop"
GATHER = "asyncio.gather"
PEERS: Mapping[str, Any] = {
    "langgraph": with_langgraph,
    "pydantic-graph": with_pydantic_graph,
    "apache-burr": with_burr,
    "transitions": with_transitions,
    "python-statemachine": with_statemachine,
}
"""Modules by the name of the distribution."""


def list_versions() -> dict[str, str]:
    """Versions of all that is measured."""
    return {name: version(name) for name in (OURS, "attrs", *PEERS)}


def check_all() -> None:
    """Run everything once and compare what it ends with.

    Raises:
        work.UnequalError: If a contender did other work.
    """
    ends = {"chain": work.CHAIN_END, "events": work.CHAIN_END, "routing": work.ROUTING_END, "loop": work.LOOP_END}
    for name, end in ends.items():
        _check_state(f"transitable, {name}", ours.SYNC[name]().unwrap(), end)
        if name in ours.ASYNC:
            _check_state(f"transitable, async {name}", asyncio.run(ours.ASYNC[name]()).unwrap(), end)
    fan_end = {"results": tuple(range(1, work.FAN + 1))}
    _check_state("transitable, fan", ours.SYNC["fan"]().unwrap(), fan_end)
    _check_state("transitable, async fan", asyncio.run(ours.ASYNC["fan"]()).unwrap(), fan_end)
    for name, end, state, awaited in (
        ("chain", work.CHAIN_END, plain.chain(), asyncio.run(plain.achain())),
        ("routing", work.ROUTING_END, plain.routing(), asyncio.run(plain.arouting())),
        ("loop", work.LOOP_END, plain.loop(), asyncio.run(plain.aloop())),
    ):
        _check_state(f"plain, {name}", state, end)
        _check_state(f"plain, async {name}", awaited, end)
    for peer in PEERS.values():
        peer.check()


def _check_state(contender: str, state: Any, end: Mapping[str, object]) -> None:
    work.check_end(contender, lambda name: getattr(state, name), end)


def _meet_sync(name: str) -> dict[str, Any]:
    return {OURS: ours.SYNC[name]} | {peer: module.SYNC[name] for peer, module in PEERS.items() if name in module.SYNC}


def _meet_async(name: str) -> dict[str, Any]:
    return {OURS: ours.ASYNC[name]} | {
        peer: module.ASYNC[name] for peer, module in PEERS.items() if name in module.ASYNC
    }


def list_workloads() -> list[Workload]:
    """All run-time workloads; steps are node visits, for the fan-outs items."""
    chain, fan, wide = len(work.CHAIN), work.FAN, work.WIDE_FAN
    return [
        Workload("chain", chain, {PLAIN: plain.chain, **_meet_sync("chain"), "with events": ours.SYNC["events"]}),
        Workload("routing", 5, {PLAIN: plain.routing, **_meet_sync("routing")}),
        Workload("loop", work.LOOPS, {PLAIN: plain.loop, **_meet_sync("loop")}),
        Workload("two fields", 10, {PLAIN: plain.small, OURS: ours.SYNC["small"]}),
        Workload("fan-out", fan, {PLAIN: lambda: plain.fan(work.FAN_START), **_meet_sync("fan")}),
        Workload("chain, async", chain, awaited={PLAIN: plain.achain, **_meet_async("chain")}),
        Workload("routing, async", 5, awaited={PLAIN: plain.arouting, **_meet_async("routing")}),
        Workload("loop, async", work.LOOPS, awaited={PLAIN: plain.aloop, **_meet_async("loop")}),
        Workload(
            "fan-out, async",
            fan,
            awaited={GATHER: lambda: plain.gather(work.FAN_START, work.wait_item), **_meet_async("fan")},
        ),
        Workload(
            "fan-out of 5,000, async",
            wide,
            awaited={GATHER: lambda: plain.gather(work.WIDE_START, work.wait_item), OURS: ours.ASYNC["wide"]},
        ),
        Workload(
            "fan-out, async, no wait",
            fan,
            awaited={GATHER: lambda: plain.gather(work.FAN_START, work.return_item), OURS: ours.ASYNC["ready"]},
        ),
        Workload("build", 1, {OURS: tables.define_routing, **_build_langgraph()}),
        Workload(
            "build of many places",
            1,
            {"600 places": lambda: tables.define_long(600), "300 places": lambda: tables.define_long(300)},
        ),
    ]


def _build_langgraph() -> dict[str, Any]:
    """Compile alone, on a graph defined before; and definition with compile."""
    defined = langgraph_graphs.define_routing()
    return {
        "langgraph": defined.compile,
        "langgraph, defined and compiled": lambda: langgraph_graphs.define_routing().compile(),
    }
