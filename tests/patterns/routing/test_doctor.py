"""RF-19: warnings where routing is likely to go wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transitable_patterns.routing import ExampleFileError, Route, RoutingPolicy, RulesRouter, parse_rule_book
from transitable_patterns.routing.doctor import (
    Example,
    check_book,
    check_labels,
    check_overlap,
    check_policy,
    check_shares,
    diagnose,
    read_examples,
)

ORDER, PRODUCT, SUPPORT, CLARIFY = Route


def codes(found: Any) -> list[str]:
    return [advice.code for advice in found]


def test_the_shipped_set_up_is_without_warnings(rules: RulesRouter) -> None:
    """The shipped rules, policy and examples give no advice."""
    assert diagnose(rules, RoutingPolicy(), read_examples()) == ()


def test_one_route_for_everything() -> None:
    """R:28: where everything takes the same way, routing adds a risk and no choice."""
    found = check_shares([Example("x", ORDER, line) for line in range(1, 21)])
    assert codes(found) == ["one-route", "few-examples", "few-examples", "few-examples"]


def test_routes_that_overlap() -> None:
    """R:29: almost the same request under two routes is named with both lines."""
    examples = [
        Example("where is my lamp", ORDER, 1),
        Example("where is my lamp?", PRODUCT, 2),
        Example("lamp", PRODUCT, 3),
    ]
    (advice,) = check_overlap(examples)
    assert advice.message.startswith("line 1 (order_status) and line 2 (product_info)")
    assert check_overlap(examples[1:]) == ()


def test_examples_that_the_rules_misroute(rules: RulesRouter) -> None:
    """R:30: an example that goes to the wrong specialist is named; one that is asked about is not."""
    wrong = [Example("where is my order 12345", PRODUCT, 1), Example("hm", PRODUCT, 2)]
    (advice,) = check_labels(rules, RoutingPolicy(), wrong)
    assert advice.code == "wrong-specialist"
    assert check_labels(rules, RoutingPolicy(confidence_threshold=1.0), wrong) == ()


def test_phrases_that_speak_for_two_routes() -> None:
    """A phrase that alone gives points to two routes is named."""
    book = parse_rule_book(
        {
            "version": 1,
            "settings": {"nothing": 1, "told": 1, "wish": 1},
            "concepts": {"a": {"en": ["bill"]}, "b": {"en": ["bill"]}, "c": {"en": ["idle"]}},
            "rules": [
                {"why": "x", "route": "order_status", "weight": 1, "all": ["a"]},
                {"why": "y", "route": "product_info", "weight": 1, "all": ["b"]},
            ],
        },
        "test",
    )
    assert codes(check_book(book)) == ["shared-phrase", "no-effect"]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({"confidence_threshold": 0.4}, ["low-threshold"] * 3),
        ({"thresholds": {"order_status": 1.0}}, ["closed-route"]),
        ({"allow_route_override": True}, ["open-override"]),
        ({"margin": 0.0}, ["no-margin"]),
        (
            {
                "confidence_threshold": 0.4,
                "misroute_cost": {"order_status": 3, "product_info": 3, "technical_support": 3},
            },
            [],
        ),
    ],
)
def test_thresholds(settings: dict[str, Any], expected: list[str]) -> None:
    """R:30, R:42: thresholds that let everything or nothing through, and permissions left open."""
    assert codes(check_policy(RoutingPolicy(**settings))) == expected


def test_blank_lines_of_examples_are_skipped(tmp_path: Path) -> None:
    """A blank line is no example, and keeps the numbers of the others."""
    path = tmp_path / "examples.jsonl"
    path.write_text('\n{"text": " a ", "route": "clarify"}\n', encoding="utf-8")
    assert read_examples(path) == (Example("a", CLARIFY, 2),)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "the file"),
        ("{", "line 1"),
        ("3", "line 1"),
        ('{"text": "a"}', "line 1.route"),
        ('{"text": "a", "route": "order"}', "line 1.route"),
        ('{"text": " ", "route": "clarify"}', "line 1.text"),
    ],
)
def test_faults_of_examples(tmp_path: Path, text: str, where: str) -> None:
    """A bad line of examples is named."""
    path = tmp_path / "examples.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ExampleFileError) as caught:
        read_examples(path)
    assert [fault.where for fault in caught.value.faults] == [where]
