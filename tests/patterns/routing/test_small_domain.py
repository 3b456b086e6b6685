"""The small domain of routing, exhausted: every script of router outputs, blank and not, every fate of a handler.

An oracle written from the specification, not from the code, says what must come out. An output after a decision cannot
matter, as nobody asks for it; that the router is asked exactly as often as the script is long is part of the check.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from transitable import Graph, RowKind, Run, Status
from transitable_patterns.routing import (
    GuideAdvice,
    GuideEntry,
    Identity,
    Order,
    Product,
    RoutingPolicy,
    RoutingState,
    ScriptedRouter,
    Signals,
)

Build = Callable[..., Graph[RoutingState]]

THRESHOLD = 0.6
LABELS = ("order_status", "product_info", "technical_support", "clarify")
CONFIDENCES = (0.0, THRESHOLD - 1e-6, THRESHOLD, 1.0)
DECISIONS = [{"route": label, "confidence": score} for label, score in itertools.product(LABELS, CONFIDENCES)]
BAD_LABEL = {"route": "refund", "confidence": 1.0}
NAN = {"route": "order_status", "confidence": math.nan}
FAILURE = TimeoutError("slow")
FATES = ("ok", "raises", "review")
HANDLER_OF = {label: f"{label}_handler" for label in LABELS} | {"clarify": "clarification_handler"}
ENTRY = GuideEntry("e", {"en": "t", "ko": "t"}, "low", {"en": ("s",), "ko": ("s",)})
PRODUCT = Product("p", {"en": "n", "ko": "n"}, "1", 1, {"en": "f", "ko": "f"})
ORDER = Order("o", "placed", ("i",), "2026-01-01")


SCRIPTS = 16 + (3 * 16 + 4) + (5 * 19)
"""Scripts that end where the specification ends them: one output decides; or one bad one and a decision, or two bad ones (2 x 2);
or two that leave a budget (one bad at most: 5 pairs) and anything at all."""


class World:
    """All ports at once, with one fate."""

    def __init__(self, fate: str) -> None:
        self.fate = fate

    def _live(self) -> bool:
        if self.fate == "raises":
            raise ValueError("a handler's own trouble")
        return self.fate == "ok"

    def find_order(self, order_id: str, owner: Identity) -> Order | None:
        return ORDER if self._live() else None

    def list_orders(self, owner: Identity, *, limit: int) -> tuple[Order, ...]:
        return (ORDER,) if self._live() else ()

    def search_products(self, text: str, *, limit: int) -> tuple[Product, ...]:
        return (PRODUCT,) if self._live() else ()

    def advise(self, text: str) -> GuideAdvice:
        return GuideAdvice(ENTRY if self._live() else None)

    def read_signals(self, text: str) -> Signals:
        return Signals(person_wish=not self._live())


def scripts() -> Iterator[tuple[Any, ...]]:
    """Every script of up to three outputs, each but the last one worth another attempt."""
    everything: list[Any] = [*DECISIONS, BAD_LABEL, NAN, FAILURE]
    for length in (1, 2, 3):
        for script in itertools.product(everything, repeat=length):
            if all(each in (BAD_LABEL, FAILURE) or each is NAN for each in script[:-1]):
                yield script


def expect(script: tuple[Any, ...]) -> tuple[str, int, int]:
    """Say what the specification asks for: route, attempts, errors. Two retries in all, one of them for bad output."""
    errors: list[str] = []
    invalid = 0
    for attempt, output in enumerate(script, start=1):
        if isinstance(output, dict) and output is not NAN and output["route"] in LABELS:
            passes = output["confidence"] >= THRESHOLD
            return (output["route"] if passes else "clarify"), attempt, len(errors)
        if isinstance(output, dict):
            invalid += 1
            kind = "nan" if output is NAN else "label"
            if kind not in errors:
                errors.append(kind)
            if invalid > 1:
                return "clarify", attempt, len(errors)
        else:
            errors.append(f"failure {attempt}")
        if attempt == 3:
            return "clarify", attempt, len(errors)
    return "pending", len(script), len(errors)


def review_expected(route: str, fate: str) -> bool:
    """Say whether a person takes over: a handler that asks for it; a product that is not found needs none."""
    return fate == "review" and route != "product_info"


@pytest.mark.parametrize("fate", FATES)
def test_every_script_of_the_small_domain(build: Build, fate: str) -> None:
    """RI-01, RI-02, RI-03, RI-06, RI-10 to RI-13, RI-26: outcome, path, counts and errors are those of the oracle."""
    world: Any = World(fate)
    remaining: list[Any] = []
    router = ScriptedRouter(lambda _query: remaining.pop(0))
    graph = build(router, orders=world, catalogue=world, guide=world, signals=world)
    done = 0
    for script in scripts():
        route, attempts, errors = expect(script)
        if route == "pending" or attempts < len(script):
            continue
        remaining[:] = script
        run = graph.run(RoutingState(request="my question"))
        check(run, script, route, fate)
        assert remaining == []
        assert attempts == run.state.retry_count + 1
        assert len(run.state.errors) == errors + (fate == "raises")
        done += 1
    assert done == SCRIPTS
    assert graph.longest_run == 5 + 2 * 2


def check(run: Run[RoutingState], script: tuple[Any, ...], route: str, fate: str) -> None:
    """Compare one run with the oracle."""
    state = run.state
    assert run.status is Status.COMPLETED, script
    assert state.route == route, script
    handlers = [place for place in run.places if place.endswith("_handler")]
    assert handlers == [HANDLER_OF[route]], script
    assert run.places.count("format_response") == 1
    assert run.places[-1] == "format_response"
    assert state.final_output
    assert (state.handler_output is None) == (fate == "raises"), script
    assert state.requires_human_review == review_expected(route, fate), script
    assert run.places.count("classify_route") == state.retry_count + 1


@pytest.mark.parametrize("fate", FATES)
@pytest.mark.parametrize("text", ["", " \u200b\n", None, 7])
def test_blank_input_of_the_small_domain(build: Build, fate: str, text: object) -> None:
    """RI-08: with nothing to classify, the router is not asked, whatever becomes of the handler."""
    world: Any = World(fate)
    router = ScriptedRouter.always("order_status")
    run = build(router, orders=world, catalogue=world, guide=world, signals=world).run(
        RoutingState(request={"input": text})
    )
    assert router.queries == []
    assert run.places == ("preprocess_input", "clarification_handler", "format_response")
    assert run.state.route == "clarify"
    assert len(run.state.errors) == 1 + (fate == "raises")
    assert run.state.final_output


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 5])
def test_longest_run_is_five_and_two_a_retry(build: Build, limit: int) -> None:
    """EA-05: the longest run is 5 steps and 2 a retry, and a router that always fails takes it."""
    graph = build(FAILURE, policy=RoutingPolicy(max_route_retries=limit))
    run = graph.run(RoutingState(request="x"))
    assert graph.longest_run == 5 + 2 * limit
    assert len(run.places) == 5 + 2 * limit
    assert sum(row.kind is RowKind.ERROR for row in run.path) == limit + 1
