"""RF-07, RF-08: every router behind one protocol, each held to the same conformance test, none of them on the network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.routing import (
    Chain,
    Decision,
    Language,
    Route,
    Router,
    RouterQuery,
    RouterUnavailable,
    RoutingPolicy,
    RulesRouter,
    ScriptedRouter,
)
from transitable_patterns.routing.decisions import read_decision, to_json
from transitable_patterns.routing.routers.chain import Routed
from transitable_patterns.routing.validation import judge

QUERY = RouterQuery("Where is order 12345?", Language.EN)


@pytest.fixture(params=["rules", "scripted", "chain"])
def router(request: pytest.FixtureRequest, rules: RulesRouter) -> Router:
    """Every shipped router."""
    routers: dict[str, Router] = {
        "rules": rules,
        "scripted": ScriptedRouter.always("clarify"),
        "chain": Chain([rules]),
    }
    return routers[request.param]


def read(output: object) -> object:
    return read_decision(to_json(output.raw if isinstance(output, Routed) else output), {})


def test_conformance(router: Router) -> None:
    """A router has a name, gives a readable decision, and gives the same one again."""
    first, second = router.decide(QUERY), router.decide(QUERY)
    assert router.name
    assert isinstance(read(first), Decision)
    assert first == second


@given(text=st.text(min_size=1, max_size=60))
def test_rules_decide_on_any_text(rules: RulesRouter, text: str) -> None:
    """The rules router never raises, and its confidence is a score."""
    decision = rules.decide(RouterQuery(text, Language.EN))
    assert isinstance(read(decision), Decision)


def test_a_script_is_replayed_and_its_end_repeated() -> None:
    """Outputs come one after the other; the last one again and again; exceptions are raised."""
    router = ScriptedRouter([1, ValueError("x"), 2])
    assert router.decide(QUERY) == 1
    with pytest.raises(ValueError, match="x"):
        router.decide(QUERY)
    assert [router.decide(QUERY), router.decide(QUERY)] == [2, 2]
    assert router.queries == [QUERY] * 4
    assert ScriptedRouter([]).decide(QUERY) is None


def test_a_script_may_be_a_function() -> None:
    """A function answers by the query."""
    assert ScriptedRouter(lambda query: query.text.upper()).decide(QUERY) == "WHERE IS ORDER 12345?"


def test_an_exception_does_not_gather_frames() -> None:
    """The same exception raised a thousand times does not grow."""
    router = ScriptedRouter([ValueError("x")])
    depths = []
    for _ in range(3):
        with pytest.raises(ValueError, match="x") as caught:
            router.decide(QUERY)
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def down(name: str) -> Any:
    return ScriptedRouter([RouterUnavailable(name, "not loaded")], name=name)


def test_rf_f7_the_chain_asks_in_order() -> None:
    """RF-F7: the first that can be asked answers; what was skipped is said."""
    last = ScriptedRouter([3], name="c")
    routed = Chain([down("a"), ScriptedRouter([2], name="b"), last]).decide(QUERY)
    assert (routed.raw, routed.router) == (2, "b")
    assert [(skip.router, skip.unavailable) for skip in routed.skipped] == [("a", True)]
    assert last.queries == []


def test_rf_p6_a_cheap_router_hands_on_what_it_is_not_sure_of() -> None:
    """RF-P6: below the mark the next one is asked, not a default; the last answer is taken as it is."""
    settled: Callable[[object], bool] = lambda raw: isinstance(raw, int) and raw > 5  # noqa: E731 - one line says it
    cheap, dear = ScriptedRouter([1], name="cheap"), ScriptedRouter([2], name="dear")
    routed = Chain([cheap, dear], settled=settled).decide(QUERY)
    assert (routed.raw, routed.router) == (2, "dear")
    assert [(skip.router, skip.reason) for skip in routed.skipped] == [("cheap", "not sure enough")]
    assert Chain([ScriptedRouter([9], name="cheap"), dear], settled=settled).decide(QUERY).router == "cheap"
    unsure_then_down = Chain([cheap, down("dear")], settled=settled).decide(QUERY)
    assert (unsure_then_down.raw, unsure_then_down.router) == (1, "cheap")


def test_an_error_of_a_router_is_not_unavailability() -> None:
    """What is not `RouterUnavailable` is raised, so that another attempt can be made."""
    with pytest.raises(TimeoutError):
        Chain([ScriptedRouter([TimeoutError()]), ScriptedRouter([1])]).decide(QUERY)


def test_names() -> None:
    """A chain is called by its routers."""
    assert Chain([down("a"), down("b")]).name == "a > b"
    assert RouterUnavailable("a", "not loaded").describe() == "router 'a' is unavailable: not loaded"


@pytest.mark.parametrize(
    ("text", "route"),
    [
        ("Where is order 12345?", Route.ORDER_STATUS),
        ("Does this laptop support two external monitors?", Route.PRODUCT_INFO),
        ("My device will not connect to Wi-Fi.", Route.TECHNICAL_SUPPORT),
        ("Can you help me with that thing from yesterday?", Route.CLARIFY),
        ("주문한 노트북 언제 도착하나요?", Route.ORDER_STATUS),
        ("가벼운 노트북 하나 추천해 주세요.", Route.PRODUCT_INFO),
        ("프린터가 와이파이에 연결이 안 됩니다.", Route.TECHNICAL_SUPPORT),
        ("그거 어떻게 됐어요?", Route.CLARIFY),
    ],
)
def test_the_examples_of_the_specification(rules: RulesRouter, text: str, route: Route) -> None:
    """The example requests of the specification, and their like in Korean, go where they belong."""
    assert judge(rules.decide(RouterQuery(text, Language.EN)), RoutingPolicy()).route is route


@pytest.mark.parametrize(
    "text",
    [
        "프린터가 안 켜지고 주문한 모니터는 언제 오나요?",
        "노트북이 자꾸 꺼지는데 지난주 반품 환불은 언제 되나요?",
        "택배 어디쯤인지 확인하면서 가습기도 하나 추천해 주세요.",
    ],
)
def test_rf_n4_korean_wishes_joined_by_endings(rules: RulesRouter, text: str) -> None:
    """RF-N4: wishes joined by -고, -는데, -면서 are two wishes."""
    assert len(rules.decide(RouterQuery(text, Language.KO)).intents) == 2
