"""Cases in which a run once broke a promise; each is a rule of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any, Literal, TypedDict

import pytest
from attrs import field, frozen

from transitable import (
    END,
    DriverError,
    Graph,
    OptionError,
    PlaceError,
    ResumeError,
    Status,
    again,
    by,
    node,
    then,
)


@frozen
class Count:
    n: int = 0
    ok: bool | None = None


class Counted(TypedDict):
    n: int


def stay(_state: Count) -> None:
    return None


def leave(_state: Count) -> None:
    return None


def test_two_async_drivers_cannot_share_a_run() -> None:
    """The second driver of a run is refused, and every place ran exactly once, in the order of the path."""
    log: list[str] = []

    async def draft(_state: Count) -> None:
        log.append("draft")
        await asyncio.sleep(0)

    async def check(_state: Count) -> None:
        log.append("check")
        await asyncio.sleep(0)

    graph = Graph(Count, start=draft, table={draft: check, check: END})

    async def listen(handle: Any) -> None:
        async for _event in handle:
            pass

    async def main() -> tuple[list[Any], tuple[str, ...]]:
        handle = graph.start(Count())
        ends = await asyncio.gather(handle.afinish(), listen(handle), listen(handle), return_exceptions=True)
        return ends, handle.run.places

    ends, places = asyncio.run(main())
    assert sum(isinstance(end, DriverError) for end in ends) == 2
    assert places == ("draft", "check")
    assert log == ["draft", "check"]


def test_a_listener_cannot_finish_its_run_in_the_middle_of_a_step() -> None:
    """Finishing a run from inside its own iteration is refused; the iteration goes on."""
    graph = Graph(Count, start=stay, table={stay: leave, leave: END})
    handle = graph.start(Count())
    for event in handle:
        if event.kind == "started" and event.place == "stay":
            with pytest.raises(DriverError, match="under way"):
                handle.finish()
    assert handle.run.places == ("stay", "leave")


def test_a_listener_may_leave_before_a_step_and_finish_it() -> None:
    """A run whose listener left between the start of a step and its work goes on from there."""
    graph = Graph(Count, start=stay, table={stay: END})
    handle = graph.start(Count())
    for event in handle:
        if event.kind == "started":
            break
    assert handle.finish().status is Status.COMPLETED


class Safety(StrEnum):
    SAFE = "safe"
    RISKY = "risky"


def soften(value: Safety | None) -> Safety | None:
    return Safety.SAFE if value is Safety.RISKY else value


@frozen
class Softened:
    safety: Safety | None = field(default=None, converter=soften)


class Judged(TypedDict):
    safety: Safety


def test_a_branch_is_never_taken_on_a_value_that_a_converter_replaced() -> None:
    """EI-13: what the state holds after its converters is what the branch was chosen by, or the update is refused."""

    def judge(_state: Softened) -> Judged:
        return {"safety": Safety.RISKY}

    def run_risk(_state: Softened) -> None:
        raise AssertionError("taken on a value that the state does not have")

    table = {judge: by("safety", {Safety.SAFE: END, Safety.RISKY: run_risk}), run_risk: END}
    run = Graph(Softened, start=judge, table=table).run(Softened())
    assert run.status is Status.FAILED
    assert "made by the class itself" in run.reason


def reset_count(instance: object, _attribute: object, _value: object) -> None:
    object.__setattr__(instance, "count", 0)


@frozen
class Reset:
    label: Literal["a", "b"] | None = None
    count: int = 0
    last: int = field(default=0, validator=reset_count)


class Labelled(TypedDict):
    label: Literal["a", "b"]


def test_a_validator_cannot_reset_a_count() -> None:
    """A loop stays within its limit whatever the class does to its own fields."""

    def go(_state: Reset) -> Labelled:
        return {"label": "a"}

    graph = Graph(
        Reset,
        start=go,
        table={go: by("label", {"a": again(go, count="count", at_most=2, otherwise=END), "b": END})},
    )
    run = graph.run(Reset())
    assert run.status is Status.FAILED
    assert "only the engine writes this field" in run.reason


def test_an_async_time_out_holds_for_nodes_that_ignore_it() -> None:
    """A result that comes after the time-out is dropped, also from a node that swallows the cancellation or holds the loop."""

    async def swallow(_state: Count) -> Counted:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return {"n": 1}

    async def hold(_state: Count) -> Counted:
        time.sleep(0.05)  # holding the loop is what is tested
        return {"n": 2}

    for function in (swallow, hold):
        place = node(function, timeout=0.01)
        run = asyncio.run(Graph(Count, start=place, table={place: END}).arun(Count()))
        assert run.status is Status.FAILED
        assert run.failure is not None
        assert run.failure.name == "transitable.errors.NodeTimeout"
        assert run.state == Count()


def test_stop_iteration_in_a_thread_is_a_failure_like_any_other() -> None:
    """Sync and async agree on an exception that a coroutine cannot raise."""

    def stop(_state: Count) -> None:
        raise StopIteration("x")

    place = node(stop, thread=True, name="stop")
    graph = Graph(
        Count,
        start=place,
        table={place: then(leave, on_error={StopIteration: leave}), leave: END},
        silence=["unnoted-errors"],
    )
    assert graph.run(Count()).path == asyncio.run(graph.arun(Count())).path
    assert graph.run(Count()).status is Status.COMPLETED


BAD_GRAPHS: Mapping[str, dict[str, Any]] = {
    "table": {"table": [stay]},
    "claims": {"claims": 5},
    "invariants": {"invariants": stay},
    "an invariant": {"invariants": [5]},
    "silence": {"silence": "silent-error"},
    "note": {"note": 5},
    "name": {"name": 5},
}


@pytest.mark.parametrize("what", BAD_GRAPHS)
def test_arguments_of_a_graph_of_another_kind_are_refused_by_name(what: str) -> None:
    """A graph says which argument cannot be used, and what it needs."""
    arguments = {"start": stay, "table": {stay: END}, **BAD_GRAPHS[what]}
    with pytest.raises(PlaceError, match=what):
        Graph(Count, **arguments)


def test_other_bad_input_is_refused_by_name() -> None:
    """No bare AttributeError or TypeError leaves the vocabulary or the doors."""
    graph = Graph(Count, start=stay, table={stay: END})
    with pytest.raises(PlaceError, match="the name of a field"):
        by(5, {})  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(OptionError, match="max_seconds"):
        graph.run(Count(), max_seconds=-1)
    with pytest.raises(ResumeError, match="found int"):
        graph.resume(5)  # type: ignore[arg-type]  # wrong on purpose
