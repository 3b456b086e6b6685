"""The trace of a decision: what stands under `metadata.routing`, and how a node adds to it.

Nothing here decides anything. Raw outputs of routers are cut and cleared of secrets before they are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .decisions import show_raw
from .errors import RAW_CHARS, clip, redact
from .jsontypes import is_mapping
from .requests import RESERVED_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .decisions import Candidate, Usage
    from .policy import RoutingPolicy
    from .routers.chain import Skip
    from .state import RoutingState
    from .validation import Verdict

ROUTING: Final = RESERVED_KEY
"""Key of the trace in the metadata."""
CLARIFY_TURNS: Final = "clarify_turns"
"""Key in the trace: clarifying turns of this conversation so far."""


def read_trace(state: RoutingState) -> Mapping[str, Any]:
    """Read the trace of this run; empty before the first entry."""
    trace: Any = state.metadata.get(ROUTING)
    return trace if is_mapping(trace) else {}


def add_trace(state: RoutingState, **entries: Any) -> dict[str, Any]:
    """Give the metadata with entries added to the trace; everything else stays."""
    return {**state.metadata, ROUTING: {**read_trace(state), **entries}}


def trace_attempt(
    raw: object, router: str | None, usage: Usage, seconds: float | None, policy: RoutingPolicy
) -> dict[str, Any]:
    """Describe one attempt to classify.

    Args:
        raw: Output as `decisions.to_json` left it.
        router: Name of the router that answered; `None` where none did.
        usage: What it cost.
        seconds: How long it took; `None` where no clock was given.
        policy: Names the secrets.
    """
    return {
        "raw": clip(redact(show_raw(raw), policy.secrets), RAW_CHARS),
        "router": router,
        "ms": None if seconds is None else round(seconds * 1000, 3),
        "tokens": usage.tokens,
        "cost": usage.cost,
    }


def trace_skips(skipped: Sequence[Skip], policy: RoutingPolicy) -> list[dict[str, Any]]:
    """Describe the routers that a chain passed over."""
    return [
        {
            "router": skip.router,
            "reason": clip(redact(skip.reason, policy.secrets), RAW_CHARS),
            "unavailable": skip.unavailable,
        }
        for skip in skipped
    ]


def trace_verdict(verdict: Verdict, policy: RoutingPolicy) -> dict[str, Any]:
    """Describe what a decision led to."""
    return {
        "code": str(verdict.code),
        "reason": clip(redact(verdict.reason, policy.secrets), RAW_CHARS),
        "threshold": verdict.threshold,
    }


def trace_candidates(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Describe what a router weighed."""
    return [{"route": str(candidate.route), "score": candidate.score} for candidate in candidates]
