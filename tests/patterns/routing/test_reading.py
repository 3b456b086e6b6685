"""How a text is measured against a rule book."""

from __future__ import annotations

from typing import Any

import pytest

from transitable_patterns.routing import Route, RouterQuery, RulesRouter, Signals, parse_rule_book
from transitable_patterns.routing import reading as module
from transitable_patterns.routing.reading import Reading, TextReader

BOOK: dict[str, Any] = {
    "version": 1,
    "settings": {"nothing": 1.0, "told": 0.5, "wish": 2.0},
    "concepts": {
        "order": {"en": ["order"], "ko": ["주문"]},
        "broken": {"en": ["broken"], "ko": ["고장"]},
        "price": {"en": ["price"]},
        "device": {"en": ["phone"]},
        "idiom": {"en": ["in the order of"]},
        "routing_talk": {"en": ["label this"]},
        "ask": {"en": ["?", "when"]},
        "join": {"en": ["and"], "ko": ["고_"]},
        "background": {"en": ["because"]},
        "person_wish": {"en": ["human"]},
        "danger": {"en": ["smoke"]},
        "off_topic": {"en": ["pizza"]},
    },
    "rules": [
        {"why": "an order", "route": "order_status", "weight": 2, "all": ["order"]},
        {"why": "a fault", "route": "technical_support", "weight": 2, "all": ["broken"]},
        {"why": "a price", "route": "product_info", "weight": 2, "all": ["price"], "none": ["broken"]},
        {"why": "a device or a fault", "route": "technical_support", "weight": 1, "any": ["device", "broken"]},
        {"why": "off topic", "route": "clarify", "weight": 3, "any": ["off_topic"]},
    ],
    "exact": [{"route": "order_status", "texts": ["my order?"]}],
}


@pytest.fixture(scope="module")
def router() -> RulesRouter:
    return RulesRouter(parse_rule_book(BOOK, "test"))


@pytest.fixture(scope="module")
def reader(router: RulesRouter) -> TextReader:
    return TextReader(router.book)


def points(reading: Reading) -> dict[str, float]:
    return {str(route): number for route, number in reading.points.items() if number}


def test_a_rule_fires_once_a_sentence(reader: TextReader) -> None:
    """Twice the word in one sentence counts once; in two sentences, twice."""
    assert points(reader.read("order order")) == {"order_status": 2}
    assert points(reader.read("order. order.")) == {"order_status": 4}


def test_any_counts_once(reader: TextReader) -> None:
    """A rule that needs one of several concepts fires once where all of them are."""
    assert points(reader.read("phone broken")) == {"technical_support": 3}


def test_none_holds_a_rule_back(reader: TextReader) -> None:
    """A rule does not fire where one of its unwanted concepts is."""
    assert "product_info" not in points(reader.read("price broken"))


def test_concepts_must_stand_in_one_sentence(reader: TextReader) -> None:
    """What stands in another sentence does not hold a rule back."""
    assert points(reader.read("price. broken")) == {"product_info": 2, "technical_support": 3}


def test_idioms_shadow_their_words(reader: TextReader) -> None:
    """A word inside an idiom does not count; the same word outside does."""
    assert points(reader.read("in the order of size")) == {}
    assert points(reader.read("in the order of my order")) == {"order_status": 2}


def test_telling_weighs_less_than_asking(reader: TextReader) -> None:
    """Where one sentence asks, the others count by the factor for telling; a question without evidence changes nothing."""
    assert points(reader.read("it was broken. when order?")) == {"order_status": 2, "technical_support": 1.5}
    assert points(reader.read("it was broken. when?")) == {"technical_support": 3}


def test_talk_about_routing_is_dropped_up_to_the_comma(reader: TextReader) -> None:
    """RF-N5: a sentence about the routing counts for nothing, save what a comma cuts off from it."""
    assert points(reader.read("label this order")) == {}
    assert points(reader.read("label this broken, order")) == {"order_status": 2}


def test_markup_is_dropped(reader: TextReader) -> None:
    """RF-N5: words inside markup or data count for nothing."""
    assert points(reader.read('{"x": "broken"} <order> order')) == {"order_status": 2}


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        ("order and broken phone", ["order_status", "technical_support"]),
        ("주문하고 고장", ["order_status", "technical_support"]),
        ("order. broken.", ["order_status", "technical_support"]),
        ("order because broken", ["order_status"]),
        ("order and order", ["order_status"]),
        ("pizza and pizza", []),
    ],
)
def test_rf_n4_two_wishes(reader: TextReader, text: str, intents: list[str]) -> None:
    """RF-N4: clauses that each ask for a route of their own are two wishes; a reason is none."""
    found = reader.read(text).intents
    assert (list(found) if len(found) > 1 else []) == (intents if len(intents) > 1 else [])


def test_signals(reader: TextReader) -> None:
    """Signals are read beside the subject."""
    assert reader.read_signals("a human, smoke") == Signals(person_wish=True, danger=True)
    assert reader.read_signals("order") == Signals()


@pytest.mark.parametrize(
    ("text", "route", "confidence"),
    [
        ("My order!", "order_status", 1.0),
        ("order 66", "order_status", 2 / 3),
        ("order. broken.", "technical_support", 3 / 6),
        ("nothing known", "clarify", 1.0),
        ("a human, order", "clarify", 1.0),
        ("a human, smoke, order", "order_status", 2 / 3),
    ],
)
def test_ra_36_confidence_of_rules(router: RulesRouter, text: str, route: str, confidence: float) -> None:
    """RA-36: 1.0 for a whole text that is known, else the share of all points; a wish for a person comes first."""
    decision = router.decide(RouterQuery(text, "en"))  # type: ignore[arg-type] # a StrEnum's value
    assert decision.route == route
    assert decision.confidence == pytest.approx(confidence)


def test_a_reason_names_the_rules(router: RulesRouter) -> None:
    """RF-20: the reason says what was understood, heaviest first, for the route that won."""
    decision = router.decide(RouterQuery("phone broken order", "en"))  # type: ignore[arg-type] # a StrEnum's value
    assert decision.reason == "a fault; a device or a fault"
    assert [candidate.route for candidate in decision.candidates] == ["technical_support", "order_status"]


def test_off_topic_is_unsupported(router: RulesRouter) -> None:
    """RF-05: a subject that is not served is told apart from a text that says nothing."""
    assert router.decide(RouterQuery("pizza", "en")).unsupported  # type: ignore[arg-type] # a StrEnum's value
    assert not router.decide(RouterQuery("hm", "en")).unsupported  # type: ignore[arg-type] # a StrEnum's value


def test_the_memory_of_rules_is_bounded(monkeypatch: pytest.MonkeyPatch, router: RulesRouter) -> None:
    """Readings stay the same when the memory of which rules fire is emptied."""
    monkeypatch.setattr(module, "_MEMO_LIMIT", 1)
    reader = TextReader(router.book)
    texts = ["order", "broken", "price", "order", "order broken"]
    assert [points(reader.read(text)) for text in texts] == [
        points(TextReader(router.book).read(text)) for text in texts
    ]


def test_a_rule_can_give_a_signal() -> None:
    """Where a rule with a signal fires, the text shows that signal."""
    rule = {"why": "x", "route": "technical_support", "weight": 1, "all": ["device", "order"], "signal": "permission"}
    reader = TextReader(parse_rule_book({**BOOK, "rules": [rule]}, "test"))
    assert reader.read_signals("phone order") == Signals(permission=True)
    assert reader.read_signals("phone") == Signals()


def test_every_route_has_points(reader: TextReader) -> None:
    """A reading names every route, with 0 where nothing speaks for it."""
    assert set(reader.read("").points) == set(Route)
