"""The places of the routing graph, one method each, with the names of the specification.

A node reads the state and the ports and hands back the fields that it changes. Where it leads is the table's business
(`graph`); what a decision leads to is decided in `validation`; how a reply is worded in `wording`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence  # noqa: TC003 - the engine reads the types of what a node writes
from typing import TYPE_CHECKING, Any, Final, TypedDict

from .decisions import Decision, normalise_label, read_decision, read_usage, to_json
from .errors import RequestError, write_error
from .jsontypes import is_mapping
from .ports import (
    Identity,
    RouteCase,
    RouterQuery,
)
from .requests import keep_metadata, parse_request
from .state import Classified, Code, Entry, Route
from .text import detect_language, normalise_text
from .trace import CLARIFY_TURNS, add_trace, read_trace, trace_attempt, trace_candidates, trace_skips, trace_verdict
from .validation import Verdict, judge, judge_rejection, rank_candidates

if TYPE_CHECKING:
    from transitable import Failure, Row

    from .policy import RoutingPolicy
    from .ports import (
        Catalogue,
        Clock,
        Constraint,
        OrderBook,
        Router,
        SignalReader,
        SupportGuide,
    )
    from .routers.chain import Chain
    from .state import Language, RoutingState
    from .wording import Wording

OVERRIDE_KEY: Final = "route_override"
"""Key of the metadata by which a test names the route; only an operator can make it count."""
_ORDER_ID: Final = re.compile(r"(?<![\w-])(?=[A-Za-z-]{0,8}\d{4})[A-Za-z]{0,6}-?\d{4,14}(?![A-Za-z0-9]|-\d)")
"""What may be an order number: four digits and more, letters before them allowed."""
_MOST_ORDERS: Final = 3
"""Order numbers of one text that are looked up."""


class Prepared(TypedDict, total=False):
    """Writes of `preprocess_input`."""

    input: str
    normalized_input: str
    entry: Entry
    errors: Sequence[str]
    metadata: Mapping[str, Any]


class ClassifiedRoute(TypedDict, total=False):
    """Writes of `classify_route`."""

    classified: Classified
    router_output: Any
    errors: Sequence[str]
    metadata: Mapping[str, Any]


class ValidatedRoute(TypedDict, total=False):
    """Writes of `validate_route`."""

    route: Route | None
    route_reason: str | None
    route_confidence: float | None
    router_output: Any
    invalid_count: int
    errors: Sequence[str]
    metadata: Mapping[str, Any]


class Handled(TypedDict, total=False):
    """Writes of a specialist handler."""

    handler_output: str | None
    requires_human_review: bool


class Clarified(TypedDict, total=False):
    """Writes of `clarification_handler`."""

    route: Route
    route_reason: str | None
    handler_output: str | None
    requires_human_review: bool
    metadata: Mapping[str, Any]


class Formatted(TypedDict):
    """Writes of `format_response`."""

    final_output: str


class RoutingNodes:
    """The nodes, bound to what they need."""

    def __init__(
        self,
        *,
        chain: Chain,
        orders: OrderBook,
        catalogue: Catalogue,
        guide: SupportGuide,
        signals: SignalReader,
        wording: Wording,
        policy: RoutingPolicy,
        constraint: Constraint | None = None,
        shadow: Router | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._chain = chain
        self._orders = orders
        self._catalogue = catalogue
        self._guide = guide
        self._signals = signals
        self._wording = wording
        self._policy = policy
        self._constraint = constraint
        self._shadow = shadow
        self._clock = clock

    def preprocess_input(self, state: RoutingState) -> Prepared:
        """Turn the request into typed fields, normalise it, and say whether there is something to classify."""
        try:
            parsed = parse_request(state.request)
        except RequestError as refused:
            metadata = {**state.metadata, **keep_metadata(state.request)}
            return self._ask("", "", Code(refused.code), refused.field, str(refused), metadata)
        metadata = {**state.metadata, **parsed.metadata}
        text = normalise_text(parsed.input)
        if not text:
            return self._ask(parsed.input, text, Code.INPUT_EMPTY, "input", "the request holds no text", metadata)
        if len(parsed.input) > self._policy.max_input_chars:
            found = f"{len(parsed.input)} characters; at most {self._policy.max_input_chars}"
            return self._ask(parsed.input, text, Code.INPUT_TOO_LONG, "input", found, metadata)
        decided = self._policy.allow_route_override and OVERRIDE_KEY in parsed.metadata
        return {
            "input": parsed.input,
            "normalized_input": text,
            "entry": Entry.DECIDED if decided else Entry.CLASSIFY,
            "metadata": self._open_trace(metadata, text, "override" if decided else "router"),
        }

    def classify_route(self, state: RoutingState) -> ClassifiedRoute:
        """Ask the chain of routers for a decision, and keep what came back, whatever it is."""
        text = state.normalized_input
        query = RouterQuery(text, self._language(text))
        begun = self._clock() if self._clock else None
        routed = self._chain.decide(query)
        seconds = self._clock() - begun if self._clock and begun is not None else None
        raw = to_json(routed.raw)
        attempts = [
            *read_trace(state).get("attempts", ()),
            trace_attempt(raw, routed.router, read_usage(raw), seconds, self._policy),
        ]
        chain = {
            "order": [router.name for router in self._chain.routers],
            "skipped": trace_skips(routed.skipped, self._policy),
            "used": routed.router,
        }
        entries: dict[str, Any] = {"attempts": attempts, "chain": chain}
        if self._shadow is not None:
            entries["shadow"] = self._ask_shadow(self._shadow, query)
        errors = [
            self._error(Code.ROUTER_UNAVAILABLE, "classify_route", f"{skip.router}: {skip.reason}")
            for skip in routed.skipped
            if skip.unavailable
        ]
        if routed.router is None and not errors:
            errors = [self._error(Code.ROUTER_UNAVAILABLE, "classify_route", "no router is configured")]
        return {
            "classified": Classified.UNAVAILABLE if routed.router is None else Classified.DECIDED,
            "router_output": raw,
            "errors": errors,
            "metadata": add_trace(state, **entries),
        }

    def validate_route(self, state: RoutingState) -> ValidatedRoute:
        """Read the decision, apply the policy to it, and write the one route that the branch reads."""
        if state.entry is Entry.DECIDED:
            return self._validate_override(state)
        if state.classified is Classified.FAILED:
            retry = state.retry_count < self._policy.max_route_retries
            verdict = Verdict(None if retry else Route.CLARIFY, Code.ROUTER_FAILED, "the router failed")
            return self._reject(state, verdict)
        if state.classified is not Classified.DECIDED:
            return self._reject(state, Verdict(Route.CLARIFY, Code.ROUTER_UNAVAILABLE, "no router could be asked"))
        decision = read_decision(state.router_output, self._policy.label_aliases)
        if isinstance(decision, Decision):
            return self._accept(state, decision)
        count = state.invalid_count + 1
        verdict = judge_rejection(decision, invalid_count=count, retry_count=state.retry_count, policy=self._policy)
        error = self._error(decision.code, decision.field, decision.found)
        news = [] if error in state.errors else [error]
        return {**self._reject(state, verdict), "invalid_count": count, "errors": news}

    def order_status_handler(self, state: RoutingState) -> Handled:
        """Look up the order that the text names, or the latest ones, for the identity of the request alone."""
        language = self._language(state.normalized_input)
        owner = read_identity(state.metadata)
        numbers = list(dict.fromkeys(match.upper() for match in _ORDER_ID.findall(state.normalized_input)))[
            :_MOST_ORDERS
        ]
        if numbers:
            found = [order for number in numbers if (order := self._orders.find_order(number, owner)) is not None]
        else:
            found = list(self._orders.list_orders(owner, limit=self._policy.max_options))
        if not found:
            return {"handler_output": self._wording.fixed("order_not_found", language), "requires_human_review": True}
        return {"handler_output": self._wording.orders(found, language)}

    def product_info_handler(self, state: RoutingState) -> Handled:
        """Look the words of the text up in the catalogue."""
        language = self._language(state.normalized_input)
        products = self._catalogue.search_products(state.normalized_input, limit=self._policy.max_options)
        return {"handler_output": self._wording.products(products, language)}

    def technical_support_handler(self, state: RoutingState) -> Handled:
        """Give the steps of the guide where they are harmless; otherwise hand over to a person, without steps."""
        language = self._language(state.normalized_input)
        advice = self._guide.advise(state.normalized_input)
        if advice.risks or advice.entry is None or advice.entry.risk != "low":
            template = "escalated_danger" if "danger" in advice.risks else "escalated_support"
            return {"handler_output": self._wording.fixed(template, language), "requires_human_review": True}
        return {"handler_output": self._wording.steps(advice.entry, language)}

    def clarification_handler(self, state: RoutingState) -> Clarified:
        """Ask what the request left open, or hand over at once where a person is asked for or needed."""
        language = self._language(state.normalized_input)
        trace = read_trace(state)
        code = read_code(trace)
        turns = trace.get(CLARIFY_TURNS, 0) + 1
        limit = self._policy.person_after_turns
        signals = self._signals.read_signals(state.normalized_input)
        template: str | None = None
        if signals.danger:
            template = "escalated_danger"
        elif signals.person_wish:
            template = "escalated_person"
        elif signals.permission:
            template = "escalated_support"
        elif limit is not None and turns >= limit:
            template = "escalated_turns"
        if signals.person_wish and code in (Code.ROUTER_CLARIFY, Code.UNSUPPORTED):
            code = Code.PERSON_WISH
        options = tuple(Route(label) for label in trace.get("options", ()))
        question = self._wording.question(code, options, language, limit=self._policy.max_input_chars)
        return {
            "route": Route.CLARIFY,
            "route_reason": state.route_reason or trace.get("reason") or "no route was decided",
            "handler_output": question if template is None else self._wording.fixed(template, language),
            "requires_human_review": template is not None,
            "metadata": add_trace(state, **{"code": str(code), CLARIFY_TURNS: turns}),
        }

    def format_response(self, state: RoutingState) -> Formatted:
        """Make the reply: the handler's text, or a fixed one where it failed; an escalation always says so."""
        language = self._language(state.normalized_input)
        reply = state.handler_output
        if reply is None or not reply.strip():
            reply = self._wording.fixed("failed", language)
        marker = self._wording.marker(language)
        if state.requires_human_review and marker not in reply:
            reply = marker
        return {"final_output": reply}

    def says_escalation(self, state: RoutingState) -> bool:
        """Hold that an escalated reply says that a person takes over; an invariant, not a place."""
        if state.final_output is None or not state.requires_human_review:
            return True
        return self._wording.marker(self._language(state.normalized_input)) in state.final_output

    def note_error(self, state: RoutingState, failure: Failure, row: Row) -> dict[str, Any]:
        """Say how a failure that a row catches enters the state; called by the engine, not a place."""
        classifying = row.source == "classify_route"
        code = Code.ROUTER_FAILED if classifying else Code.NODE_FAILED
        kind = failure.names[0].rpartition(".")[2] if failure.names else "Exception"
        attempt_number = f"attempt {state.retry_count + 1}: " if classifying else ""
        errors = [self._error(code, row.source, f"{attempt_number}{kind}: {failure.message}")]
        if classifying:
            attempt = trace_attempt(None, None, read_usage(None), None, self._policy)
            attempts = [*read_trace(state).get("attempts", ()), {**attempt, "failed": kind}]
            return {
                "errors": errors,
                "classified": Classified.FAILED,
                "router_output": None,
                "metadata": add_trace(state, attempts=attempts),
            }
        if row.source == "preprocess_input":
            return {"errors": errors, "metadata": add_trace(state, code=str(code))}
        if row.source == "validate_route":
            return {"errors": errors, "route": None, "metadata": add_trace(state, code=str(code))}
        if row.source == "clarification_handler":
            return {"errors": errors, "handler_output": None, "route": Route.CLARIFY}
        return {"errors": errors, "handler_output": None}

    def _ask(
        self,
        given: str,
        text: str,
        code: Code,
        where: str,
        found: str,
        metadata: Mapping[str, Any],
    ) -> Prepared:
        """Go straight to clarification, with one error."""
        trace = self._open_trace(metadata, text, None)
        trace["routing"] = {**trace["routing"], "code": str(code), "reason": found}
        return {
            "input": given,
            "normalized_input": text,
            "entry": Entry.ASK,
            "errors": [self._error(code, where, found)],
            "metadata": trace,
        }

    def _open_trace(self, metadata: Mapping[str, Any], text: str, source: str | None) -> dict[str, Any]:
        """Begin the trace of a turn; of the last one only the number of clarifying turns stays."""
        last: Any = metadata.get("routing")
        turns: int = last.get(CLARIFY_TURNS, 0) if is_mapping(last) else 0
        trace: dict[str, Any] = {"source": source, "language": str(self._language(text)), CLARIFY_TURNS: turns}
        return {**metadata, "routing": trace}

    def _accept(self, state: RoutingState, decision: Decision) -> ValidatedRoute:
        """Apply the policy, and then the operator's constraint, to a decision."""
        verdict = judge(decision, self._policy)
        if verdict.code is Code.ACCEPTED and verdict.route is not None and self._constraint is not None:
            case = RouteCase(verdict.route, decision.confidence, state.normalized_input, state.metadata)
            objection = self._constraint(case)
            if objection is not None:
                verdict = Verdict(Route.CLARIFY, Code.POLICY, objection, verdict.threshold)
        ranked = rank_candidates(decision.candidates)
        options = decision.intents if len(decision.intents) > 1 else tuple(candidate.route for candidate in ranked)
        entries: dict[str, Any] = {
            **trace_verdict(verdict, self._policy),
            "proposed_route": str(decision.route),
            "candidates": trace_candidates(ranked),
            "intents": [str(intent) for intent in decision.intents],
            "options": [str(option) for option in options or (decision.route,)],
            "calibrated": False,
        }
        return {
            "route": verdict.route,
            "route_reason": entries["reason"],
            "route_confidence": decision.confidence,
            "router_output": None,
            "metadata": add_trace(state, **entries),
        }

    def _reject(self, state: RoutingState, verdict: Verdict) -> ValidatedRoute:
        """Write what the lack of a decision leads to."""
        entries = trace_verdict(verdict, self._policy)
        return {
            "route": verdict.route,
            "route_reason": entries["reason"],
            "route_confidence": None,
            "router_output": None,
            "metadata": add_trace(state, **entries),
        }

    def _validate_override(self, state: RoutingState) -> ValidatedRoute:
        """Read the override as any decision is read; a wrong one is an error, and nobody is asked again."""
        raw = {"route": to_json(state.metadata.get(OVERRIDE_KEY)), "confidence": 1.0, "reason": "override"}
        decision = read_decision(raw, self._policy.label_aliases)
        if isinstance(decision, Decision):
            return self._accept(state, decision)
        reason = f"{OVERRIDE_KEY} is {decision.found}"
        return {
            **self._reject(state, Verdict(Route.CLARIFY, decision.code, reason)),
            "errors": [self._error(decision.code, OVERRIDE_KEY, decision.found)],
        }

    def _ask_shadow(self, shadow: Router, query: RouterQuery) -> dict[str, Any]:
        """Ask the shadow router; whatever it does, the run does not notice."""
        try:
            raw = to_json(shadow.decide(query))
        except Exception as problem:  # noqa: BLE001 - the border behind which a shadow can do no harm
            raw = f"{type(problem).__qualname__}"
        return {"router": shadow.name, **trace_attempt(raw, shadow.name, read_usage(raw), None, self._policy)}

    def _error(self, code: Code, where: str, found: str) -> str:
        return write_error(code, where, found, self._policy.secrets)

    def _language(self, text: str) -> Language:
        return detect_language(text, self._policy.default_language)


def read_identity(metadata: Mapping[str, Any]) -> Identity:
    """Read who asks; an identity that is not a text that says something is none."""
    user, account = metadata.get("user_id"), metadata.get("account_id")
    return Identity(
        user if isinstance(user, str) and user.strip() else None,
        account if isinstance(account, str) and account.strip() else None,
    )


def read_code(trace: Mapping[str, Any]) -> Code:
    """Read why the run came to clarification; a trace without a code means that a node failed."""
    code = normalise_label(str(trace.get("code", "")))
    return Code(code) if code in tuple(Code) else Code.NODE_FAILED
