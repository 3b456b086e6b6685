"""LangGraph: a `StateGraph` over a `TypedDict`, compiled once, no checkpointer.

Of the state schemas that it accepts, `TypedDict` is the fastest: nothing is checked, nothing is built. Writes go through
one channel a field. It keeps no history without a checkpointer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from benchmarks.engine import work
from benchmarks.engine.peers.langgraph_graphs import (
    FIRST,
    define_chain,
    define_fan,
    define_loop,
    define_routing,
    send_wait_item,
    send_work_item,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CHAINS = define_chain(awaited=False), define_chain(awaited=True)
_ROUTINGS = define_routing().compile(), define_routing(awaited=True).compile()
_LOOPS = define_loop(awaited=False), define_loop(awaited=True)
_FANS = define_fan(send_work_item), define_fan(send_wait_item)
_LONG: Any = {"recursion_limit": work.LOOPS + 10}
_ITEMS: Any = {"items": list(work.FAN_START.items), "results": []}

SYNC: Mapping[str, Callable[[], Any]] = {
    "chain": lambda: _CHAINS[0].invoke(FIRST),
    "routing": lambda: _ROUTINGS[0].invoke(FIRST),
    "loop": lambda: _LOOPS[0].invoke(FIRST, _LONG),
    "fan": lambda: _FANS[0].invoke(_ITEMS),
}
ASYNC: Mapping[str, Callable[[], Any]] = {
    "chain": lambda: _CHAINS[1].ainvoke(FIRST),
    "routing": lambda: _ROUTINGS[1].ainvoke(FIRST),
    "loop": lambda: _LOOPS[1].ainvoke(FIRST, _LONG),
    "fan": lambda: _FANS[1].ainvoke(_ITEMS),
}


def check() -> None:
    """Run each workload once and compare what it ends with.

    Raises:
        work.UnequalError: If this peer did other work.
    """
    ends = {"chain": work.CHAIN_END, "routing": work.ROUTING_END, "loop": work.LOOP_END, "fan": work.FAN_END}
    for name, end in ends.items():
        work.check_end(f"langgraph, {name}", SYNC[name]().__getitem__, end)
        work.check_end(f"langgraph, async {name}", asyncio.run(ASYNC[name]()).__getitem__, end)
