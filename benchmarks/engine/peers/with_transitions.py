"""transitions: one `Machine` and one model, triggered once a step; `AsyncMachine` for the async rows.

Machine and model are made once, because a model a run would take several times as long; the model holds the fields of the
run in an object that is new for each run, and callbacks change that in place. Nothing is checked or kept. The last state
of a run leads to its first one, so that a run of ten steps is ten transitions.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from benchmarks.engine import work
from transitions import Machine
from transitions.extensions.asyncio import AsyncMachine

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class Fields:
    """The eleven fields."""

    input: str = work.REQUEST
    normalized_input: str = ""
    route: work.Route | None = None
    route_reason: str | None = None
    route_confidence: float | None = None
    handler_output: str | None = None
    final_output: str | None = None
    errors: list[str] = field(default_factory=list)
    retry_count: int = 0
    requires_human_review: bool = False
    metadata: dict[str, Any] = field(default_factory=lambda: {"channel": "chat", "account": "a-77"})


class Model:
    """What the machine drives."""

    def __init__(self) -> None:
        self.state = ""
        self.fields = Fields()

    def advance(self) -> Any:
        """Take the next transition; the machine puts its own in this place."""
        raise NotImplementedError


Visit = Callable[[], Any]


def _make_writer(model: Model, name: str, value: object) -> Visit:
    def write() -> None:
        setattr(model.fields, name, value)

    return write


def _twin(visit: Visit, *, awaited: bool) -> Visit:
    async def twin() -> None:
        visit()

    return twin if awaited else visit


def _make_machine(
    model: Model, visits: Mapping[str, Visit], rows: list[dict[str, Any]], first: str, *, awaited: bool
) -> None:
    kind: Any = AsyncMachine if awaited else Machine
    kind(
        model=model,
        states=[{"name": name, "on_enter": _twin(visit, awaited=awaited)} for name, visit in visits.items()],
        transitions=[{"trigger": "advance", **row} for row in rows],
        initial=first,
        auto_transitions=False,
        model_override=True,
    )


def _define_chain(*, awaited: bool) -> Model:
    model = Model()
    visits = {f"n{number}": _make_writer(model, *write) for number, write in enumerate(work.CHAIN, start=1)}
    names = list(visits)
    rows = [{"source": source, "dest": dest} for source, dest in zip(names, names[1:] + names[:1], strict=True)]
    _make_machine(model, visits, rows, names[-1], awaited=awaited)
    return model


def _define_routing(*, awaited: bool) -> Model:
    model = Model()

    def preprocess_input() -> None:
        model.fields.normalized_input = " ".join(model.fields.input.lower().split())

    def classify_route() -> None:
        model.fields.route, model.fields.route_reason, model.fields.route_confidence = (
            work.Route.ORDER_STATUS,
            "an order number",
            0.93,
        )

    def validate_route() -> None:
        if model.fields.route_confidence is None or model.fields.route_confidence < 0.5:
            model.fields.route = work.Route.CLARIFY

    def handle() -> None:
        model.fields.handler_output = "found"

    def format_response() -> None:
        model.fields.final_output = model.fields.handler_output or ""

    def make_condition(route: work.Route | None) -> Callable[[], bool]:
        return lambda: model.fields.route is route

    visits = {
        "preprocess_input": preprocess_input,
        "classify_route": classify_route,
        "validate_route": validate_route,
        **dict.fromkeys(work.HANDLERS.values(), handle),
        "format_response": format_response,
    }
    rows: list[dict[str, Any]] = [
        {"source": "format_response", "dest": "preprocess_input"},
        {"source": "preprocess_input", "dest": "classify_route"},
        {"source": "classify_route", "dest": "validate_route"},
        *[
            {"source": "validate_route", "dest": name, "conditions": make_condition(route)}
            for route, name in work.HANDLERS.items()
        ],
        {"source": "validate_route", "dest": "classify_route", "conditions": make_condition(None)},
        {"source": list(work.HANDLERS.values()), "dest": "format_response"},
    ]
    _make_machine(model, visits, rows, "format_response", awaited=awaited)
    return model


def _define_loop(*, awaited: bool) -> Model:
    model = Model()

    def attempt() -> None:
        if model.fields.retry_count < work.LOOPS - 1:
            model.fields.retry_count += 1
        else:
            model.fields.route = work.Route.CLARIFY

    _make_machine(model, {"attempt": attempt}, [{"source": "attempt", "dest": "attempt"}], "attempt", awaited=awaited)
    return model


def _make_run(model: Model, last: str) -> Callable[[], Fields]:
    def run() -> Fields:
        model.fields = Fields()
        model.advance()
        while model.state != last:
            model.advance()
        return model.fields

    return run


def _make_arun(model: Model, last: str) -> Callable[[], Any]:
    async def run() -> Fields:
        model.fields = Fields()
        await model.advance()
        while model.state != last:
            await model.advance()
        return model.fields

    return run


def _run_loop(model: Model) -> Fields:
    model.fields = Fields()
    while model.fields.route is None:
        model.advance()
    return model.fields


async def _arun_loop(model: Model) -> Fields:
    model.fields = Fields()
    while model.fields.route is None:
        await model.advance()
    return model.fields


_LOOPS = _define_loop(awaited=False), _define_loop(awaited=True)
SYNC: Mapping[str, Callable[[], Any]] = {
    "chain": _make_run(_define_chain(awaited=False), "n10"),
    "routing": _make_run(_define_routing(awaited=False), "format_response"),
    "loop": lambda: _run_loop(_LOOPS[0]),
}
ASYNC: Mapping[str, Callable[[], Any]] = {
    "chain": _make_arun(_define_chain(awaited=True), "n10"),
    "routing": _make_arun(_define_routing(awaited=True), "format_response"),
    "loop": lambda: _arun_loop(_LOOPS[1]),
}


def check() -> None:
    """Run each workload once and compare what it ends with.

    Raises:
        work.UnequalError: If this peer did other work.
    """
    ends = {"chain": work.CHAIN_END, "routing": work.ROUTING_END, "loop": work.LOOP_END}
    for name, end in ends.items():
        for kind, fields in (("", SYNC[name]()), ("async ", asyncio.run(ASYNC[name]()))):
            work.check_end(f"transitions, {kind}{name}", vars(fields).__getitem__, end)
