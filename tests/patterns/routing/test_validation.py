"""What a decision leads to."""

from __future__ import annotations

from typing import Any

import pytest

from transitable_patterns.routing import Candidate, Code, Decision, Route, RoutingPolicy
from transitable_patterns.routing.decisions import Rejection
from transitable_patterns.routing.validation import judge, judge_rejection, rank_candidates

ORDER, PRODUCT, SUPPORT, CLARIFY = Route


@pytest.mark.parametrize(
    ("policy", "confidence", "route"),
    [
        ({"thresholds": {"technical_support": 0.8}}, 0.79, CLARIFY),
        ({"thresholds": {"technical_support": 0.8}}, 0.8, SUPPORT),
        ({"thresholds": {"technical_support": 0.0}}, 0.0, SUPPORT),
        ({"thresholds": {"order_status": 0.9}}, 0.6, SUPPORT),
        ({"misroute_cost": {"technical_support": 4}}, 0.79, CLARIFY),
        ({"misroute_cost": {"technical_support": 4}}, 0.8, SUPPORT),
        ({"misroute_cost": {"technical_support": 0.5}}, 0.6, SUPPORT),
    ],
)
def test_rf_p1_19_thresholds_by_route(policy: dict[str, Any], confidence: float, route: Route) -> None:
    """RF-P1, RF-19, RA-35: a threshold of its own, an explicit 0.0, and a cost that raises it."""
    assert judge(Decision(SUPPORT, confidence), RoutingPolicy(**policy)).route is route


def test_rf_p10_disabled_routes() -> None:
    """RF-P10, RF-06: a disabled route becomes a question, with its code."""
    verdict = judge(Decision(PRODUCT, 1.0), RoutingPolicy(disabled_routes=("product_info",)))
    assert (verdict.route, verdict.code) == (CLARIFY, Code.ROUTE_DISABLED)


def test_rf_f4_priority() -> None:
    """RF-F4: by priority the first of the operator's order wins; without one of these, the router's own label."""
    policy = RoutingPolicy(multi_intent="priority", priority=("technical_support", "order_status"))
    assert judge(Decision(ORDER, 0.9, intents=(ORDER, SUPPORT)), policy).route is SUPPORT
    assert judge(Decision(PRODUCT, 0.9, intents=(PRODUCT, CLARIFY)), policy).route is PRODUCT
    assert judge(Decision(ORDER, 0.5, intents=(ORDER, SUPPORT)), policy).code is Code.LOW_CONFIDENCE


@pytest.mark.parametrize(("unsupported", "code"), [(False, Code.ROUTER_CLARIFY), (True, Code.UNSUPPORTED)])
def test_ra_30_clarify_passes_at_any_confidence(unsupported: bool, code: Code) -> None:
    """RA-30: the router's own clarify is no low confidence."""
    assert judge(Decision(CLARIFY, 0.01, unsupported=unsupported), RoutingPolicy()).code is code


def test_rf_p2_close_candidates() -> None:
    """RF-P2: 0.72 against 0.68 with margin 0.05 is a question."""
    candidates = (Candidate(ORDER, 0.72), Candidate(SUPPORT, 0.68))
    verdict = judge(Decision(ORDER, 0.72, candidates=candidates), RoutingPolicy(margin=0.05))
    assert (verdict.route, verdict.code) == (CLARIFY, Code.AMBIGUOUS)
    assert verdict.reason == "too close: order_status 0.72, technical_support 0.68"


def test_candidates_of_one_route_are_one() -> None:
    """The same route twice is not close to itself."""
    candidates = (Candidate(ORDER, 0.7), Candidate(ORDER, 0.71), Candidate(SUPPORT, 0.2))
    assert rank_candidates(candidates) == (Candidate(ORDER, 0.71), Candidate(SUPPORT, 0.2))
    assert judge(Decision(ORDER, 0.71, candidates=candidates), RoutingPolicy()).route is ORDER


@pytest.mark.parametrize(
    ("invalid", "retries", "route"), [(1, 0, None), (1, 1, None), (2, 1, CLARIFY), (1, 2, CLARIFY)]
)
def test_ra_08_one_retry_for_bad_output(invalid: int, retries: int, route: Route | None) -> None:
    """RA-08: one retry of the shared budget may go to outputs that are no decision."""
    rejection = Rejection(Code.UNKNOWN_LABEL, "route", "'refund'")
    assert judge_rejection(rejection, invalid_count=invalid, retry_count=retries, policy=RoutingPolicy()).route is route
