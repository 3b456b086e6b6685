"""What the tests of the routing pattern share: a graph around a scripted router, and a network that is out of reach."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transitable import Graph, Run
from transitable_patterns.routing import (
    RoutingState,
    RulesRouter,
    ScriptedRouter,
    open_sample_shop,
    read_guide,
    read_replies,
    routing_graph,
)

SUPPORT_REQUESTS = Path(__file__).parents[4] / "shared" / "data" / "support_requests_dev.jsonl"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """EI-10: a test of routing that opens a network socket fails."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a network socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def rules() -> RulesRouter:
    """The shipped rules, read once."""
    return RulesRouter()


@pytest.fixture(scope="session")
def build(rules: RulesRouter) -> Callable[..., Graph[RoutingState]]:
    """Build a graph around a router, or around the one output of a scripted router; the other parts are shared."""
    shop, guide, replies = open_sample_shop(), read_guide(), read_replies()
    shipped = {"orders": shop, "catalogue": shop, "guide": guide, "replies": replies, "signals": rules}

    def make(output: Any = None, **parts: Any) -> Graph[RoutingState]:
        router = output if hasattr(output, "decide") else ScriptedRouter([output])
        return routing_graph(router, **{**shipped, **parts})

    return make


@pytest.fixture(scope="session")
def ask(build: Callable[..., Graph[RoutingState]]) -> Callable[..., Run[RoutingState]]:
    """Run one request through such a graph."""

    def run(output: Any = None, text: Any = "my question", **parts: Any) -> Run[RoutingState]:
        request = parts.pop("request", {"input": text})
        return build(output, **parts).run(RoutingState(request=request))

    return run


@pytest.fixture(scope="session")
def support_requests() -> list[dict[str, Any]]:
    """The labelled requests that the rules are measured on."""
    if not SUPPORT_REQUESTS.exists():
        pytest.skip("the labelled support requests are not here")
    return [json.loads(line) for line in SUPPORT_REQUESTS.read_text(encoding="utf-8").splitlines()]
