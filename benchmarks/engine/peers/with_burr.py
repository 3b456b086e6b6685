"""Apache Burr: actions over an immutable `State`, transitions with conditions; no tracker, no persister.

One application is built and set back to its start for every run, which is several times cheaper than building an
application a run. Burr checks that an action wrote the fields it declared, and nothing about their types.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.engine import work
from burr.core import ApplicationBuilder, State, action, default
from burr.core import when as _when
from burr.core.parallelism import MapStates, RunnableGraph

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Mapping

    from burr.core import Application

AnyState = State[Any]
when: Any = _when  # Burr's own has no annotations
Node = Callable[[AnyState], AnyState]
FIRST: Mapping[str, Any] = {
    "input": work.REQUEST,
    "normalized_input": "",
    "route": None,
    "route_reason": None,
    "route_confidence": None,
    "handler_output": None,
    "final_output": None,
    "errors": (),
    "retry_count": 0,
    "requires_human_review": False,
    "metadata": {"channel": "chat", "account": "a-77"},
}


def _make_writer(name: str, value: object) -> Node:
    return lambda state: state.update(**{name: value})


def _preprocess_input(state: AnyState) -> AnyState:
    return state.update(normalized_input=" ".join(state["input"].lower().split()))


def _classify_route(state: AnyState) -> AnyState:
    return state.update(route=work.Route.ORDER_STATUS, route_reason="an order number", route_confidence=0.93)


def _validate_route(state: AnyState) -> AnyState:
    confidence = state["route_confidence"]
    certain = confidence is not None and confidence >= 0.5
    return state.update(route=state["route"] if certain else work.Route.CLARIFY)


def _handle(state: AnyState) -> AnyState:
    return state.update(handler_output="found")


def _format_response(state: AnyState) -> AnyState:
    return state.update(final_output=state["handler_output"] or "")


def _attempt(state: AnyState) -> AnyState:
    if state["retry_count"] < work.LOOPS - 1:
        return state.update(route=None, retry_count=state["retry_count"] + 1)
    return state.update(route=work.Route.CLARIFY)


def _make_action(node: Node, reads: list[str], writes: list[str], *, awaited: bool) -> Any:
    function: Any = work.make_async(node) if awaited else node
    if not awaited and node.__name__ == "<lambda>":

        def function(state: AnyState) -> AnyState:
            return node(state)

    function.__annotations__ = {"state": State, "return": State}
    return action(reads=reads, writes=writes)(function)


def _start() -> Any:
    return ApplicationBuilder()  # type: ignore[no-untyped-call]  # Burr's own constructor has no annotations


def _define_chain(*, awaited: bool) -> Any:
    actions = {
        f"n{number}": _make_action(_make_writer(*write), [], [write[0]], awaited=awaited)
        for number, write in enumerate(work.CHAIN, start=1)
    }
    names = list(actions)
    return (
        _start()
        .with_actions(**actions)
        .with_transitions(*itertools.pairwise(names))
        .with_state(**FIRST)
        .with_entrypoint("n1")
        .build()
    )


def _define_routing(*, awaited: bool) -> Any:
    decision = ["route", "route_reason", "route_confidence"]
    actions = {
        "preprocess_input": _make_action(_preprocess_input, ["input"], ["normalized_input"], awaited=awaited),
        "classify_route": _make_action(_classify_route, ["normalized_input"], decision, awaited=awaited),
        "validate_route": _make_action(_validate_route, ["route", "route_confidence"], ["route"], awaited=awaited),
        "format_response": _make_action(_format_response, ["handler_output"], ["final_output"], awaited=awaited),
    }
    for name in work.HANDLERS.values():
        actions[name] = _make_action(_handle, ["normalized_input"], ["handler_output"], awaited=awaited)
    return (
        _start()
        .with_actions(**actions)
        .with_transitions(
            ("preprocess_input", "classify_route"),
            ("classify_route", "validate_route"),
            *[("validate_route", name, when(route=route)) for route, name in work.HANDLERS.items()],
            ("validate_route", "classify_route", when(route=None)),
            *[(name, "format_response") for name in work.HANDLERS.values()],
        )
        .with_state(**FIRST)
        .with_entrypoint("preprocess_input")
        .build()
    )


def _define_loop(*, awaited: bool) -> Any:
    fields = ["route", "retry_count"]
    return (
        _start()
        .with_actions(
            attempt=_make_action(_attempt, ["retry_count"], fields, awaited=awaited),
            done=_make_action(lambda state: state, [], [], awaited=awaited),
        )
        .with_transitions(("attempt", "attempt", when(route=None)), ("attempt", "done", default))
        .with_state(**FIRST)
        .with_entrypoint("attempt")
        .build()
    )


@action(reads=["item"], writes=["result"])
def _work_item(state: AnyState) -> AnyState:
    return state.update(result=work.work_item(state["item"]))


@action(reads=["item"], writes=["result"])
async def _wait_item(state: AnyState) -> AnyState:
    await asyncio.sleep(0)
    return state.update(result=state["item"] + 1)


_SYNC_WORKER = RunnableGraph.create(_work_item)
_ASYNC_WORKER = RunnableGraph.create(_wait_item)


class _SyncFan(MapStates):  # the parameters below that are not read are those that Burr calls with
    def action(self, state: AnyState, inputs: dict[str, Any]) -> RunnableGraph:  # noqa: ARG002  # Burr's signature
        return _SYNC_WORKER

    def states(self, state: AnyState, *_context_and_inputs: Any, **_named: Any) -> Generator[AnyState, None, None]:
        for item in state["items"]:
            yield state.update(item=item)

    def reduce(self, state: AnyState, results: Any) -> AnyState:
        return state.update(results=[each["result"] for each in results])

    @property
    def reads(self) -> list[str]:
        return ["items"]

    @property
    def writes(self) -> list[str]:
        return ["results"]


class _AsyncFan(_SyncFan):
    def action(self, state: AnyState, inputs: dict[str, Any]) -> RunnableGraph:  # noqa: ARG002  # Burr's signature
        return _ASYNC_WORKER

    async def reduce(self, state: AnyState, results: AsyncGenerator[AnyState, None]) -> AnyState:  # type: ignore[override]  # Burr's own async form
        return state.update(results=[each["result"] async for each in results])

    def is_async(self) -> bool:
        return True


def _define_fan(fan: Any) -> Any:
    return (
        _start()
        .with_actions(fan=fan())
        .with_transitions()
        .with_state(items=list(work.FAN_START.items), results=[])
        .with_entrypoint("fan")
        .build()
    )


def _make_run(app: Application[Any], last: str, *, before: bool = False) -> Callable[[], Any]:
    first = app.state
    halt: Any = {"halt_before": [last]} if before else {"halt_after": [last]}

    def run() -> Any:
        app.update_state(first)
        return app.run(**halt)[2]

    return run


def _make_arun(app: Application[Any], last: str, *, before: bool = False) -> Callable[[], Any]:
    first = app.state
    halt: Any = {"halt_before": [last]} if before else {"halt_after": [last]}

    async def run() -> Any:
        app.update_state(first)
        return (await app.arun(**halt))[2]

    return run


SYNC: Mapping[str, Callable[[], Any]] = {
    "chain": _make_run(_define_chain(awaited=False), "n10"),
    "routing": _make_run(_define_routing(awaited=False), "format_response"),
    "loop": _make_run(_define_loop(awaited=False), "done", before=True),
    "fan": _make_run(_define_fan(_SyncFan), "fan"),
}
ASYNC: Mapping[str, Callable[[], Any]] = {
    "chain": _make_arun(_define_chain(awaited=True), "n10"),
    "routing": _make_arun(_define_routing(awaited=True), "format_response"),
    "loop": _make_arun(_define_loop(awaited=True), "done", before=True),
    "fan": _make_arun(_define_fan(_AsyncFan), "fan"),
}


def check() -> None:
    """Run each workload once and compare what it ends with.

    Raises:
        work.UnequalError: If this peer did other work.
    """
    ends = {"chain": work.CHAIN_END, "routing": work.ROUTING_END, "loop": work.LOOP_END, "fan": work.FAN_END}
    for name, end in ends.items():
        work.check_end(f"burr, {name}", SYNC[name]().__getitem__, end)
        work.check_end(f"burr, async {name}", asyncio.run(ASYNC[name]()).__getitem__, end)
