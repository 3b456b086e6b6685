"""The rows of the feature table that are seen from outside a run, one test each."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable import END, Graph, Run, Status, TableError, by, precedes
from transitable.render.mermaid import parse_mermaid
from transitable_patterns.routing import (
    Chain,
    Entry,
    Identity,
    Route,
    RouteCase,
    RoutingPolicy,
    RoutingState,
    RulesRouter,
    ScriptedRouter,
    next_turn,
    open_sample_shop,
    read_guide,
    read_replies,
    routing_graph,
)
from transitable_patterns.routing.errors import ERROR_CHARS, redact, write_error
from transitable_patterns.routing.graph import build_graph
from transitable_patterns.routing.nodes import (
    Formatted,
    Prepared,
    RoutingNodes,
    ValidatedRoute,
    read_code,
    read_identity,
)
from transitable_patterns.routing.state import SPECIALISTS
from transitable_patterns.routing.wording import Wording

Ask = Callable[..., Run[RoutingState]]
Build = Callable[..., Graph[RoutingState]]
LABELS = ("order_status", "product_info", "technical_support", "clarify")
SURE = {"route": "order_status", "confidence": 1.0}


def trace(run: Run[RoutingState]) -> Any:
    return run.state.metadata["routing"]


def test_the_example_input_runs_as_printed() -> None:
    """R:118-124: the example of the specification is answered from the sample data, by the graph without arguments."""
    graph = routing_graph()
    run = graph.run(
        RoutingState(request={"input": "Where is order 12345?", "user_id": "user-123", "metadata": {"channel": "chat"}})
    )
    assert run.places == (
        "preprocess_input",
        "classify_route",
        "validate_route",
        "order_status_handler",
        "format_response",
    )
    assert "NW-880-4417" in str(run.unwrap().final_output)
    assert run.state.metadata["channel"] == "chat"
    assert run.state.metadata["user_id"] == "user-123"


def make_nodes(rules: RulesRouter, kind: type[RoutingNodes] = RoutingNodes) -> RoutingNodes:
    """Nodes bound to the sample data."""
    shop = open_sample_shop()
    return kind(
        chain=Chain([ScriptedRouter([SURE])]),
        orders=shop,
        catalogue=shop,
        guide=read_guide(),
        signals=rules,
        wording=Wording(read_replies(), 3),
        policy=RoutingPolicy(),
    )


def shortcut(nodes: RoutingNodes, **claims: Any) -> Graph[RoutingState]:
    """A table like the shipped one, in which a path leads past the verdict to a specialist."""
    return Graph(
        RoutingState,
        start=nodes.preprocess_input,
        table={
            nodes.preprocess_input: by(
                "entry",
                {
                    Entry.CLASSIFY: nodes.classify_route,
                    Entry.DECIDED: nodes.order_status_handler,
                    Entry.ASK: nodes.clarification_handler,
                },
            ),
            nodes.classify_route: nodes.order_status_handler,
            nodes.order_status_handler: nodes.format_response,
            nodes.clarification_handler: nodes.format_response,
            nodes.format_response: END,
        },
        **claims,
    )


def test_rf_01_18_n1_the_claims_are_proved_and_break_when_the_table_does(build: Build, rules: RulesRouter) -> None:
    """RF-01, RF-18, RF-N1: no path reaches a specialist without its verdict; with a shortcut the graph is not built."""
    assert len(build(SURE).claims) == 8
    nodes = make_nodes(rules)
    shortcut(nodes)
    with pytest.raises(TableError, match="order_status_handler") as caught:
        shortcut(nodes, claims=[precedes(nodes.classify_route, nodes.order_status_handler)])
    assert caught.value.codes == ("broken-claim",)


class Forgetful(RoutingNodes):
    """A validation that forgets to write its route."""

    def validate_route(self, state: RoutingState) -> ValidatedRoute:
        return {"route_reason": "forgot"}


class Smuggling(RoutingNodes):
    """A formatter that writes a field of another node."""

    def format_response(self, state: RoutingState) -> Formatted:
        return {"final_output": "x", "route": Route.CLARIFY}  # type: ignore[typeddict-unknown-key] # what is tested


def test_ei_13_a_decision_left_from_before_cannot_steer(rules: RulesRouter) -> None:
    """EI-13: where validation does not write the route in this step, a preset one is an error at that place."""
    graph = build_graph(make_nodes(rules, Forgetful), RoutingPolicy())
    run = graph.run(RoutingState(request="hello", route=Route.ORDER_STATUS))
    assert (run.status, run.place) == (Status.FAILED, "validate_route")
    assert run.state.route is Route.ORDER_STATUS
    assert "order_status_handler" not in run.places


class Stumbling(RoutingNodes):
    """A preprocessing that raises."""

    def preprocess_input(self, state: RoutingState) -> Prepared:
        raise RuntimeError("stumbled")


def test_ei_08_a_failure_in_preprocessing_ends_in_a_question(rules: RulesRouter) -> None:
    """EI-08: even a fault in the first node leaves an error, a question and no decision."""
    run = build_graph(make_nodes(rules, Stumbling), RoutingPolicy()).run(RoutingState(request="hello"))
    assert run.places[-2:] == ("clarification_handler", "format_response")
    assert run.unwrap().errors == ("node_failed: preprocess_input: RuntimeError: stumbled",)
    assert run.state.route is Route.CLARIFY
    assert run.state.final_output


def test_ei_04_a_node_writes_only_what_it_declares(rules: RulesRouter) -> None:
    """EI-04: a write of another node's field is refused at that place, and no error row hides it."""
    run = build_graph(make_nodes(rules, Smuggling), RoutingPolicy()).run(RoutingState(request="hello"))
    assert run.status is Status.FAILED
    assert run.state.final_output is None
    assert "route" in str(run.failure)


def test_rf_04_nothing_is_lost_at_the_end(ask: Ask) -> None:
    """RF-04, RA-28: decision, reason, confidence and handler output are in the final state; the formatter changes none."""
    state = ask({**SURE, "reason": "said so"}, request={"input": "where is order 12345", "user_id": "user-123"}).state
    assert (state.route, state.route_reason, state.route_confidence) == ("order_status", "said so", 1.0)
    assert state.handler_output == state.final_output


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ({"route": "clarify", "confidence": 0.9}, "router_clarify"),
        ({"route": "clarify", "confidence": 0.9, "unsupported": True}, "unsupported"),
        ({"route": "order_status", "confidence": 0.1}, "low_confidence"),
        ({"route": "refund", "confidence": 0.9}, "unknown_label"),
        ("I think order_status", "invalid_decision"),
    ],
)
def test_rf_05_the_cause_of_a_question_is_told(ask: Ask, output: Any, code: str) -> None:
    """RF-05: unclear, unsupported, low confidence and malformed are told apart; all end in clarification."""
    run = ask(output)
    assert trace(run)["code"] == code
    assert run.places[-2] == "clarification_handler"


def test_rf_06_ra_38_the_operators_constraint(ask: Ask) -> None:
    """RF-06, RA-38: the operator's rule changes the branch without touching the classifier, and sees the case."""
    cases: list[RouteCase] = []

    def closed(case: RouteCase) -> str | None:
        cases.append(case)
        return "closed on Sundays"

    run = ask(SURE, "Hello", constraint=closed)
    assert (run.state.route, trace(run)["code"], run.state.route_reason) == ("clarify", "policy", "closed on Sundays")
    assert [(case.route, case.normalized_input) for case in cases] == [("order_status", "Hello")]
    assert ask(SURE, constraint=lambda _case: None).state.route == "order_status"


def test_a_constraint_that_raises_clarifies(ask: Ask) -> None:
    """EI-08: a failure in validation ends in a question, with an error; no decision slips through."""

    def broken(case: RouteCase) -> str | None:
        raise KeyError(case.route)

    run = ask(SURE, constraint=broken)
    assert run.state.route == "clarify"
    assert run.state.errors[0].startswith("node_failed: validate_route: KeyError")
    assert run.state.final_output


@pytest.mark.parametrize(
    "output",
    [{"route": None, "confidence": 1.0}, {"route": "", "confidence": 1.0}, {"route": "refund", "confidence": 1.0}],
)
def test_rf_12_a_wrong_label_is_one_error(ask: Ask, output: Any) -> None:
    """RF-12, EA-04: no label, an empty and an unknown one end normally; saying the same twice is one error."""
    run = ask(output)
    assert run.status is Status.COMPLETED
    assert len(run.state.errors) == 1
    assert run.state.retry_count == 1


def test_rf_13_a_router_that_recovers(ask: Ask) -> None:
    """RF-13: failing twice and then answering gives the right handler, with two retries and an error for each failure."""
    run = ask(ScriptedRouter([TimeoutError("a"), ConnectionError("b"), SURE]))
    assert run.places.count("order_status_handler") == 1
    assert run.state.retry_count == 2
    assert run.state.errors == (
        "router_failed: classify_route: attempt 1: TimeoutError: a",
        "router_failed: classify_route: attempt 2: ConnectionError: b",
    )
    assert [attempt.get("failed") for attempt in trace(run)["attempts"]] == ["TimeoutError", "ConnectionError", None]


def test_rf_15_an_override_that_is_allowed(ask: Ask) -> None:
    """RF-15, RA-22: allowed by the operator, the override goes to validation and the router is not called."""
    router = ScriptedRouter.always("clarify")
    policy = RoutingPolicy(allow_route_override=True)
    request = {"input": "hello", "metadata": {"route_override": "Product-Info"}}
    run = ask(router, request=request, policy=policy)
    assert router.queries == []
    assert run.places == ("preprocess_input", "validate_route", "product_info_handler", "format_response")
    assert (trace(run)["source"], run.state.route_confidence) == ("override", 1.0)


@pytest.mark.parametrize("override", ["refund", None, 3, ["order_status"]])
def test_rf_15_an_override_is_validated_as_well(ask: Ask, override: object) -> None:
    """RA-22: a wrong override is an error and a question; nobody is asked instead."""
    router = ScriptedRouter.always("order_status")
    request = {"input": "hello", "metadata": {"route_override": override}}
    run = ask(router, request=request, policy=RoutingPolicy(allow_route_override=True))
    assert router.queries == []
    assert run.state.route == "clarify"
    assert run.state.errors[0].startswith("unknown_label: route_override: ")


def test_rf_15_an_override_of_a_disabled_route_is_refused(ask: Ask) -> None:
    """RA-22, RA-38: an override is held to the policy like any decision."""
    policy = RoutingPolicy(allow_route_override=True, disabled_routes=("product_info",))
    run = ask(SURE, request={"input": "hi", "metadata": {"route_override": "product_info"}}, policy=policy)
    assert trace(run)["code"] == "route_disabled"


def test_rf_16_raw_outputs_are_kept_short_and_clean(ask: Ask) -> None:
    """RF-16, EA-06: each raw output is in the trace, cut, without secrets."""
    policy = RoutingPolicy(secrets=("sk-very-secret",))
    run = ask(ScriptedRouter(["key sk-very-secret " + "x" * 500, SURE]), policy=policy)
    raws = [attempt["raw"] for attempt in trace(run)["attempts"]]
    assert len(raws) == 2
    assert all(len(raw) <= 200 for raw in raws)
    assert raws[0].startswith('"key *** xxx')
    assert "sk-very-secret" not in json.dumps({**run.state.metadata, "errors": run.state.errors}, default=dict)


def test_rf_17_ei_11_the_diagram_is_the_table(build: Build) -> None:
    """RF-17, EI-11: four labelled arrows leave `route_by_decision`, and the drawing reads back as exactly the rows."""
    graph = build(SURE)
    drawing = graph.draw("mermaid")
    assert "route_by_decision" in drawing
    for label in LABELS:
        assert f"Route.{label.upper()}" in drawing
    assert parse_mermaid(drawing, graph.table.model) == graph.rows


def test_rf_20_the_decision_can_be_followed(ask: Ask, rules: RulesRouter) -> None:
    """RF-20: candidates with scores, the rule that decided and the threshold are in the trace."""
    entries = trace(ask(rules, "where is my order 12345"))
    assert entries["threshold"] == 0.6
    assert entries["candidates"][0]["route"] == "order_status"
    assert "asks where something ordered is" in entries["reason"]
    assert entries["calibrated"] is False


def test_rf_23_parts_stand_alone(rules: RulesRouter) -> None:
    """RF-23: a router is called without a graph, and a graph without a handler's real port."""
    graph = routing_graph(Chain([rules]))
    assert graph.longest_run == 9


def test_rf_f1_blank_input(ask: Ask) -> None:
    """RF-F1: missing input stops in preprocessing, with one error and a reply."""
    requests: list[Any] = [{}, {"input": None}, {"input": "  "}, "", {"metadata": {}}]
    for request in requests:
        run = ask(SURE, request=request)
        assert run.places == ("preprocess_input", "clarification_handler", "format_response")
        assert run.state.route == "clarify"
        assert run.state.errors == ("input_empty: input: the request holds no text",)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (None, "input_type: input: "),
        (3, "input_type: input: "),
        ({"input": 7}, "input_type: input: "),
        ({"input": ["a"]}, "input_type: input: "),
        ({"input": "a", "inputs": "b"}, "request_invalid: inputs: "),
        ({"input": "a", "metadata": 3}, "request_invalid: metadata: "),
        ({"input": "a", "metadata": {"routing": {}}}, "request_invalid: metadata.routing: "),
        ({"input": "a", "user_id": 5}, "request_invalid: user_id: "),
    ],
)
def test_ra_21_31_requests_of_the_wrong_shape(ask: Ask, request_: Any, error: str) -> None:
    """RA-21, RA-31: a wrong type, an unknown key and the reserved key are refused by name, and answered."""
    run = ask(SURE, request=request_)
    assert run.state.route == "clarify"
    assert len(run.state.errors) == 1
    assert run.state.errors[0].startswith(error)
    assert "classify_route" not in run.places


def test_ra_31_a_request_that_is_too_long(ask: Ask) -> None:
    """RA-31: one character above the limit is not classified; the limit itself is."""
    policy = RoutingPolicy(max_input_chars=10)
    long = ask(SURE, "x" * 11, policy=policy)
    assert "classify_route" not in long.places
    assert trace(long)["code"] == "input_too_long"
    assert long.state.input == "x" * 11
    assert "10" in str(long.state.final_output)
    assert "classify_route" in ask(SURE, "x" * 10, policy=policy).places


def test_refused_metadata_is_kept(ask: Ask) -> None:
    """RI-18: the metadata of a refused request is kept, so that it can be found."""
    run = ask(SURE, request={"input": "a", "nope": 1, "metadata": {"channel": "chat"}})
    assert run.state.metadata["channel"] == "chat"


def test_rf_f4_two_wishes(ask: Ask) -> None:
    """RF-F4: a question by default, with both wishes named and recorded; by priority the operator's order wins."""
    output = {**SURE, "intents": ["order_status", "technical_support"]}
    run = ask(output)
    assert trace(run)["code"] == "multi_intent"
    assert trace(run)["intents"] == ("order_status", "technical_support")
    assert "an order, delivery" in str(run.state.final_output)
    assert "a device that does not work" in str(run.state.final_output)
    policy = RoutingPolicy(multi_intent="priority", priority=("technical_support", "order_status"))
    by_priority = ask(output, policy=policy)
    assert by_priority.state.route == "technical_support"
    assert trace(by_priority)["intents"] == ("order_status", "technical_support")


def test_rf_p2_p8_the_question_names_at_most_three(ask: Ask) -> None:
    """RF-P2, RF-P8, RA-34: close candidates are named, in the user's language, at most three."""
    scores = {"order_status": 0.72, "product_info": 0.68, "technical_support": 0.67, "clarify": 0.1}
    output = {**SURE, "candidates": [{"route": route, "score": score} for route, score in scores.items()]}
    reply = str(ask(output).state.final_output)
    assert [reply.find(part) >= 0 for part in ("an order", "a product", "a device", "something else")] == [
        True,
        True,
        True,
        False,
    ]
    korean = str(ask(output, "뭐가 맞나요").state.final_output)
    assert "주문, 배송" in korean
    two = ask(output, policy=RoutingPolicy(max_options=2))
    assert "a device" not in str(two.state.final_output)


def test_ra_34_a_question_is_never_generic_with_a_candidate(ask: Ask) -> None:
    """RA-34: low confidence in one route asks about that route."""
    assert "an order, delivery" in str(ask({**SURE, "confidence": 0.3}).state.final_output)


@pytest.mark.parametrize(("turns", "escalated"), [(1, False), (2, False), (3, True)])
def test_rf_p7_a_person_after_some_turns(ask: Ask, build: Build, turns: int, escalated: bool) -> None:
    """RF-P7, RA-18, RA-27: after the configured number of clarifying turns of a conversation a person takes over."""
    graph = build({"route": "clarify", "confidence": 1.0}, policy=RoutingPolicy(person_after_turns=3))
    state = RoutingState(request={"input": "that thing", "metadata": {"channel": "chat"}})
    for _ in range(turns):
        state = graph.run(state).state
        last, state = state, next_turn(state, {"input": "that thing"})
    assert last.requires_human_review is escalated
    assert last.metadata["channel"] == "chat"
    assert last.errors == ()


def test_ra_27_a_turn_starts_anew() -> None:
    """RA-27: the next turn keeps the metadata, save an override that was meant for the last, and nothing else."""
    old = RoutingState(errors=("x: y: z",), retry_count=2, metadata={"a": 1, "route_override": "clarify"})
    new = next_turn(old, "hello")
    assert new == RoutingState(request="hello", metadata={"a": 1})


def test_rf_p9_cost_and_latency(ask: Ask) -> None:
    """RF-P9: tokens and cost as the router says, milliseconds by the operator's clock; none without one."""
    ticks = iter([1.0, 1.25])
    output = {**SURE, "usage": {"tokens": 12, "cost": 0.001}}
    (attempt,) = trace(ask(output, clock=lambda: next(ticks)))["attempts"]
    assert (attempt["tokens"], attempt["cost"], attempt["ms"]) == (12, 0.001, 250.0)
    assert trace(ask(output))["attempts"][0]["ms"] is None


@pytest.mark.parametrize("shadow", [{"route": "product_info", "confidence": 1.0}, ValueError("x"), object()])
def test_rf_n6_a_shadow_router_changes_nothing(ask: Ask, shadow: Any) -> None:
    """RF-N6: the shadow's answer is in the trace and the run is the same, even if the shadow breaks."""
    plain, shadowed = ask(SURE), ask(SURE, shadow=ScriptedRouter([shadow], name="next"))
    assert plain.places == shadowed.places
    assert plain.state.final_output == shadowed.state.final_output
    assert plain.state.errors == shadowed.state.errors
    assert trace(shadowed)["shadow"]["router"] == "next"
    assert "shadow" not in trace(plain)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("I want to speak to a human", "take over"),
        ("상담원 연결", "담당자"),
        ("My charger is on fire", "emergency services"),
        ("unlock my husband's account", "judgement"),
    ],
)
def test_ra_17_a_wish_for_a_person_is_met_at_once(ask: Ask, text: str, reply: str) -> None:
    """RA-17: on the clarify route, a wish for a person, or danger, hands over without a second question."""
    run = ask({"route": "clarify", "confidence": 1.0}, text)
    assert run.state.requires_human_review
    assert reply in str(run.state.final_output)
    assert run.state.errors == ()


def test_ra_17_the_code_of_a_wish_for_a_person(ask: Ask) -> None:
    """RA-17: the trace says that a person was asked for."""
    assert trace(ask({"route": "clarify", "confidence": 1.0}, "I want to speak to a human"))["code"] == "person_wish"


@pytest.mark.parametrize("text", ["order 12345", "orders 12345 and 12346", "where are my things"])
def test_ra_29_orders_of_the_owner(ask: Ask, text: str) -> None:
    """RA-29: named orders, or the latest ones, of the identity of the request."""
    state = ask(SURE, request={"input": text, "user_id": "user-123"}).state
    assert "Kestrel" in str(state.final_output)
    assert ("Studio 40" in str(state.final_output)) == (text != "order 12345")
    assert not state.requires_human_review


def test_ra_29_an_account_shares_its_orders(ask: Ask) -> None:
    """RA-29: the members of an account see each other's orders."""
    state = ask(SURE, request={"input": "order 20418", "account_id": "acct-7"}).state
    assert "Bloom smart speaker" in str(state.final_output)


@pytest.mark.parametrize("identity", [{"user_id": ""}, {"user_id": "  "}, {"user_id": 3}, {"account_id": None}, {}])
def test_ra_29_an_identity_that_says_nothing_is_none(identity: dict[str, Any]) -> None:
    """RA-29: blanks and numbers are nobody."""
    assert read_identity(identity) == Identity()


def test_order_numbers_with_letters(ask: Ask) -> None:
    """A number in lower case and with letters is looked up as printed; at most three are."""
    asked: list[str] = []

    class Book:
        def find_order(self, order_id: str, owner: Identity) -> None:
            asked.append(order_id)

        def list_orders(self, owner: Identity, *, limit: int) -> tuple[()]:
            return ()

    ask(SURE, "ab-1234 x12345 2024-2024 and 777777 888888 999", orders=Book())
    assert asked == ["AB-1234", "X12345", "777777"]


def test_the_reply_to_a_product_question(ask: Ask) -> None:
    """The catalogue's answer has name, price and stock; without a product the question asks which one."""
    product = {"route": "product_info", "confidence": 1.0}
    assert "USD 399, 3 in stock" in str(ask(product, "how bright is the projector").state.final_output)
    assert "Which product" in str(ask(product, "hm").state.final_output)
    assert "현재 품절" in str(ask(product, "벽걸이 에어컨 얼마예요").state.final_output)


def test_ra_39_support_with_and_without_an_entry(ask: Ask) -> None:
    """RA-39: a harmless entry gives its steps; no entry, or one without a risk mark, asks for a person."""
    support = {"route": "technical_support", "confidence": 1.0}
    steps = ask(support, "my printer prints stripes").state
    assert "1. Run the head cleaning" in str(steps.final_output)
    assert not steps.requires_human_review
    unjudged = ask(support, "all photos disappeared").state
    assert unjudged.requires_human_review
    assert "1." not in str(unjudged.final_output)


def test_a_reply_that_lost_its_marker_gets_it_back(build: Build) -> None:
    """RI-14: templates whose escalation forgets the marker are made good by the formatter."""
    run = build(
        {"route": "clarify", "confidence": 1.0}, policy=RoutingPolicy(person_after_turns=1), replies=ForgetfulReplies()
    ).run(RoutingState(request="hm"))
    assert run.unwrap().final_output == "MARK"


class ForgetfulReplies:
    """Templates without a marker in them."""

    def write(self, template: str, language: str, **places: object) -> str:
        return template

    def marker(self, language: str) -> str:
        return "MARK"


@given(
    secret=st.text(alphabet="abcdef0123", min_size=8, max_size=20),
    before=st.text(max_size=300),
    after=st.text(max_size=300),
    code=st.sampled_from(["router_failed", "node_failed"]),
)
def test_ei_09_errors_are_short_coded_and_clean(secret: str, before: str, after: str, code: str) -> None:
    """EI-09: at most 300 characters, a code first, one line, and no secret, wherever the cut falls."""
    error = write_error(code, "field", f"{before}{secret}{after}{secret}", [secret])
    assert len(error) <= ERROR_CHARS
    assert error.startswith(f"{code}: field: ")
    assert "\n" not in error
    assert secret not in error


def test_ei_09_half_a_secret_is_not_left_at_the_cut() -> None:
    """EI-09: a secret across the cut is taken out before it."""
    error = write_error("c", "f", "x" * 190 + "supersecretkey", ["supersecretkey"])
    assert "super" not in error


def test_ei_09_secrets_within_secrets() -> None:
    """EI-09: the longest first, until none is left."""
    assert redact("aXbbbbbbbbYc bbbbbbbb", ["bbbbbbbb", "XbbbbbbbbY"]) == "a***c ***"


def test_ei_06_counts_are_in_the_state() -> None:
    """EI-06: the count of retries is a field of the state that no node declares to write."""
    graph = routing_graph()
    bounds = {row.bound.count for row in graph.rows if row.bound}
    assert bounds == {"retry_count"}
    assert RoutingState().retry_count == 0


def test_ei_03_every_place_is_reachable_and_ends(build: Build) -> None:
    """EI-03: a graph whose place is unreachable or cannot end does not construct; this one has no finding at all."""
    assert build(SURE).warnings == ()


def test_ei_02_a_label_without_a_row_is_found_when_built(rules: RulesRouter) -> None:
    """EI-02: leaving out the row of one label is a finding, not a KeyError in a run."""
    nodes = make_nodes(rules)
    with pytest.raises(TableError, match="CLARIFY") as caught:
        Graph(
            RoutingState,
            start=nodes.validate_route,
            table={
                nodes.validate_route: by(
                    "route", {**dict.fromkeys(SPECIALISTS, nodes.format_response), None: nodes.format_response}
                ),
                nodes.format_response: END,
            },
        )
    assert caught.value.codes == ("missing-member",)


def test_read_code_of_a_broken_trace() -> None:
    """A trace without a readable code means that a node failed."""
    assert read_code({}) == read_code({"code": "nonsense"}) == "node_failed"
