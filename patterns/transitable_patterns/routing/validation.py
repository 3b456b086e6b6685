"""What a decision leads to: the pure core of `validate_route`.

`judge` looks at a decision that could be read; `judge_rejection` at an output that could not. Both say a route, a code and
a reason. Scores are compared nowhere else, and only through `scores.compare_scores`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from .scores import compare_scores
from .state import SPECIALISTS, Code, Route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .decisions import Candidate, Decision, Rejection
    from .policy import RoutingPolicy


@frozen
class Verdict:
    """What a decision leads to."""

    route: Route | None
    """Where the request goes; `None` where another attempt may help."""
    code: Code
    """Why."""
    reason: str
    """The same for people."""
    threshold: float | None = None
    """Confidence that was asked for; `None` where none was."""


def judge(decision: Decision, policy: RoutingPolicy) -> Verdict:
    """Apply the fallback policy to a decision, in this order: several wishes, closeness, confidence, disabled routes.

    A decision for `clarify` passes whatever its confidence.
    """
    route = decision.route
    if len(decision.intents) > 1:
        if policy.multi_intent == "clarify":
            names = ", ".join(intent for intent in decision.intents if intent in SPECIALISTS) or "clarify"
            return Verdict(Route.CLARIFY, Code.MULTI_INTENT, f"several wishes: {names}", policy.threshold_of(route))
        route = next((each for each in policy.priority if each in decision.intents), route)
    threshold = policy.threshold_of(route)
    if route is Route.CLARIFY:
        code = Code.UNSUPPORTED if decision.unsupported else Code.ROUTER_CLARIFY
        return Verdict(route, code, decision.reason or "the router asks for clarification", threshold)
    return _find_objection(decision, route, policy) or Verdict(
        route, Code.ACCEPTED, decision.reason or f"the router chose {route}", threshold
    )


def _find_objection(decision: Decision, route: Route, policy: RoutingPolicy) -> Verdict | None:
    """Find what stands against a specialist; `None` where nothing does."""
    threshold = policy.threshold_of(route)
    if len(decision.intents) < 2 and is_close(decision.candidates, policy.margin):
        names = ", ".join(f"{each.route} {each.score:.2f}" for each in rank_candidates(decision.candidates)[:2])
        return Verdict(Route.CLARIFY, Code.AMBIGUOUS, f"too close: {names}", threshold)
    if compare_scores(decision.confidence, threshold) < 0:
        reason = f"confidence {decision.confidence:.4g} is below the threshold {threshold:.4g} of {route}"
        return Verdict(Route.CLARIFY, Code.LOW_CONFIDENCE, reason, threshold)
    if route in policy.disabled_routes:
        return Verdict(Route.CLARIFY, Code.ROUTE_DISABLED, f"{route} is disabled", threshold)
    return None


def judge_rejection(rejection: Rejection, *, invalid_count: int, retry_count: int, policy: RoutingPolicy) -> Verdict:
    """Say whether an output that is no decision is worth another attempt.

    Args:
        rejection: Why it is none.
        invalid_count: Outputs that were none so far, this one included.
        retry_count: Attempts after the first so far.
        policy: The budget: all retries, and those for invalid outputs among them.
    """
    retry = invalid_count <= policy.max_invalid_retries and retry_count < policy.max_route_retries
    reason = f"{rejection.field} of the router's output is {rejection.found}"
    return Verdict(None if retry else Route.CLARIFY, rejection.code, reason)


def is_close(candidates: Sequence[Candidate], margin: float) -> bool:
    """Tell if the two best candidates are nearer to each other than the margin; one alone is not close to anything."""
    ranked = rank_candidates(candidates)
    return len(ranked) > 1 and compare_scores(ranked[0].score - ranked[1].score, margin) < 0


def rank_candidates(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Put candidates in order, best first, each route once with its best score; equal scores keep their order."""
    best: dict[Route, Candidate] = {}
    for candidate in candidates:
        known = best.get(candidate.route)
        if known is None or compare_scores(candidate.score, known.score) > 0:
            best[candidate.route] = candidate
    return tuple(sorted(best.values(), key=lambda each: each.score, reverse=True))
