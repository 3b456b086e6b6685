"""python-statemachine: a `StateMachine` class, sent one event a step; its engine turns async with async callbacks.

The machine object is made once, and the last state of a run leads to its first one, as in `with_transitions`. Its model holds
the fields of the run in an object that is new for each run; callbacks change that in place. Nothing is checked or kept.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmarks.engine import work
from benchmarks.engine.peers.with_transitions import Fields
from statemachine import State, StateMachine

if TYPE_CHECKING:
    from collections.abc import Mapping


class Model:
    """What the machine drives."""

    def __init__(self) -> None:
        self.state: Any = None
        self.fields = Fields()


Callback = Callable[[Any], Any]


def _make_writer(name: str, value: object) -> Callback:
    def write(self: Any) -> None:
        setattr(self.model.fields, name, value)

    return write


def _preprocess_input(self: Any) -> None:
    self.model.fields.normalized_input = " ".join(self.model.fields.input.lower().split())


def _classify_route(self: Any) -> None:
    fields = self.model.fields
    fields.route, fields.route_reason, fields.route_confidence = work.Route.ORDER_STATUS, "an order number", 0.93


def _validate_route(self: Any) -> None:
    if self.model.fields.route_confidence is None or self.model.fields.route_confidence < 0.5:
        self.model.fields.route = work.Route.CLARIFY


def _handle(self: Any) -> None:
    self.model.fields.handler_output = "found"


def _format_response(self: Any) -> None:
    self.model.fields.final_output = self.model.fields.handler_output or ""


def _attempt(self: Any) -> None:
    if self.model.fields.retry_count < work.LOOPS - 1:
        self.model.fields.retry_count += 1
    else:
        self.model.fields.route = work.Route.CLARIFY


def _make_condition(route: work.Route | None) -> Callback:
    def is_route(self: Any) -> bool:
        return bool(self.model.fields.route is route)

    return is_route


def _twin(callback: Callback, *, awaited: bool) -> Callback:
    async def twin(self: Any) -> None:
        callback(self)

    return twin if awaited else callback


def _make_machine(
    visits: Mapping[str, Callback],
    states: Mapping[str, State],
    advance: Any,
    extra: Mapping[str, Callback],
    *,
    awaited: bool,
) -> Any:
    """Make the class, as a class statement would, and one machine of it."""
    body: dict[str, Any] = {**states, "advance": advance, **extra}
    for name, visit in visits.items():
        body[f"on_enter_{name}"] = _twin(visit, awaited=awaited)
    metaclass: Any = type(StateMachine)
    kind = metaclass("Machine", (StateMachine,), body)
    return kind(model=Model())


def _define_chain(*, awaited: bool) -> Any:
    visits = {f"n{number}": _make_writer(*write) for number, write in enumerate(work.CHAIN, start=1)}
    states = {name: State(initial=name == "n10") for name in visits}
    names = list(visits)
    advance: Any = states["n10"].to(states["n1"])
    for source, dest in itertools.pairwise(names):
        advance |= states[source].to(states[dest])
    return _make_machine(visits, states, advance, {}, awaited=awaited)


def _define_routing(*, awaited: bool) -> Any:
    visits: dict[str, Callback] = {
        "preprocess_input": _preprocess_input,
        "classify_route": _classify_route,
        "validate_route": _validate_route,
        **dict.fromkeys(work.HANDLERS.values(), _handle),
        "format_response": _format_response,
    }
    states = {name: State(initial=name == "format_response") for name in visits}
    conditions = {f"is_{route.value}": _make_condition(route) for route in work.Route}
    advance: Any = states["format_response"].to(states["preprocess_input"])
    advance |= states["preprocess_input"].to(states["classify_route"])
    advance |= states["classify_route"].to(states["validate_route"])
    for route, name in work.HANDLERS.items():
        advance |= states["validate_route"].to(states[name], cond=f"is_{route.value}")
        advance |= states[name].to(states["format_response"])
    advance |= states["validate_route"].to(states["classify_route"], cond="is_none")
    return _make_machine(visits, states, advance, {**conditions, "is_none": _make_condition(None)}, awaited=awaited)


def _define_loop(*, awaited: bool) -> Any:
    attempt: Any = State(initial=True)
    return _make_machine({"attempt": _attempt}, {"attempt": attempt}, attempt.to.itself(), {}, awaited=awaited)


def _make_run(machine: Any, steps: int) -> Callable[[], Any]:
    model: Model = machine.model

    def run() -> Fields:
        model.fields = Fields()
        for _ in range(steps):
            machine.advance()
        return model.fields

    return run


def _make_arun(machine: Any, steps: int) -> Callable[[], Any]:
    model: Model = machine.model

    async def run() -> Fields:
        model.fields = Fields()
        for _ in range(steps):
            await machine.advance()
        return model.fields

    return run


SYNC: Mapping[str, Callable[[], Any]] = {
    "chain": _make_run(_define_chain(awaited=False), len(work.CHAIN)),
    "routing": _make_run(_define_routing(awaited=False), 5),
    "loop": _make_run(_define_loop(awaited=False), work.LOOPS),
}
ASYNC: Mapping[str, Callable[[], Any]] = {
    "chain": _make_arun(_define_chain(awaited=True), len(work.CHAIN)),
    "routing": _make_arun(_define_routing(awaited=True), 5),
    "loop": _make_arun(_define_loop(awaited=True), work.LOOPS),
}


def check() -> None:
    """Run each workload once and compare what it ends with.

    Raises:
        work.UnequalError: If this peer did other work.
    """
    ends = {"chain": work.CHAIN_END, "routing": work.ROUTING_END, "loop": work.LOOP_END}
    for name, end in ends.items():
        for kind, fields in (("", SYNC[name]()), ("async ", asyncio.run(ASYNC[name]()))):
            work.check_end(f"python-statemachine, {kind}{name}", vars(fields).__getitem__, end)
