"""Transitable's side: the same node functions as the plain loop, in tables.

Every update is checked against the node's `TypedDict` and the field's type, every state is built by the class's own
`__init__`, every run keeps its path, and the tables were proved before the first run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.engine import tables, work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CHAIN = tables.define_chain(awaited=False)
CHAIN_ASYNC = tables.define_chain(awaited=True)
SMALL = tables.define_small()
ROUTING = tables.define_routing()
ROUTING_ASYNC = tables.define_routing(awaited=True)
LOOP = tables.define_loop(awaited=False)
LOOP_ASYNC = tables.define_loop(awaited=True)
FAN = tables.define_fan(work.work_item, 1)
FAN_ASYNC = tables.define_fan(work.wait_item, work.FAN)
FAN_WIDE = tables.define_fan(work.wait_item, work.WIDE_FAN)
FAN_READY = tables.define_fan(work.return_item, work.FAN)

SYNC: Mapping[str, Callable[[], Any]] = {
    "chain": lambda: CHAIN.run(work.START),
    "routing": lambda: ROUTING.run(work.START),
    "loop": lambda: LOOP.run(work.START),
    "fan": lambda: FAN.run(work.FAN_START),
    "small": lambda: SMALL.run(work.SMALL_START),
    "events": lambda: CHAIN.run(work.START, keep_events=True),
}
ASYNC: Mapping[str, Callable[[], Any]] = {
    "chain": lambda: CHAIN_ASYNC.arun(work.START),
    "routing": lambda: ROUTING_ASYNC.arun(work.START),
    "loop": lambda: LOOP_ASYNC.arun(work.START),
    "fan": lambda: FAN_ASYNC.arun(work.FAN_START),
    "wide": lambda: FAN_WIDE.arun(work.WIDE_START),
    "ready": lambda: FAN_READY.arun(work.FAN_START),
}
