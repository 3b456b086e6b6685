"""Rules as data: every fault of a book, all at once, and what a good one compiles to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transitable_patterns.routing import RuleFileError, parse_rule_book, read_rule_book
from transitable_patterns.routing.rulebook import RESERVED, find_unused


def book(**changes: Any) -> dict[str, Any]:
    """A small sound book, with changes."""
    return {
        "version": 1,
        "settings": {"nothing": 1.0, "told": 0.5, "wish": 3},
        "concepts": {"order": {"en": ["order"], "ko": ["주문"]}, "where": {"en": ["where"]}},
        "rules": [
            {"why": "asks for an order", "route": "order_status", "weight": 2, "all": ["order"], "any": ["where"]}
        ],
        **changes,
    }


def rule(**changes: Any) -> dict[str, Any]:
    return book(rules=[{"why": "w", "route": "clarify", "weight": 1, "all": ["order"], **changes}])


@pytest.mark.parametrize(
    ("data", "where", "expected"),
    [
        (book(version=2), "version", "1"),
        (book(rule=[]), "rule", "did you mean rules"),
        (book(settings={}), "settings.nothing", "above 0"),
        (book(settings={"nothing": 0, "told": 1, "wish": 1}), "settings.nothing", "above 0"),
        (book(settings={"nothing": 1, "told": True, "wish": 1}), "settings.told", "above 0"),
        (book(settings={"nothing": 1, "told": 1, "wish": 1, "wishes": 1}), "settings.wishes", "did you mean wish"),
        (book(settings=3), "settings", "a table"),
        (book(spelling={"u": 1}), "spelling.u", "not blank"),
        (book(words={"known": "x"}), "words.known", "a list of texts"),
        (book(words={"know": []}), "words.know", "did you mean known"),
        (book(concepts={"order": {"fr": ["ordre"]}}), "concepts.order.fr", "one of en, ko"),
        (book(concepts={"order": {"en": ["order", 3]}, "where": {"en": ["x"]}}), "concepts.order.en[1]", "not blank"),
        (book(concepts={"order": {"en": ["--"]}, "where": {"en": ["x"]}}), "concepts.order.en[0]", "a letter"),
        (book(concepts={"order": {"en": ["a* b"]}, "where": {"en": ["x"]}}), "concepts.order.en[0]", "at its end only"),
        (book(concepts={"order": {"en": []}, "where": {"en": ["x"]}}), "concepts.order", "en or ko"),
        (book(concepts={"order": 3, "where": {"en": ["x"]}}), "concepts.order", "a table"),
        (book(rules=[]), "rules", "at least one"),
        (book(rules={}), "rules", "[[rules]]"),
        (book(rules=[3]), "rules[0]", "a table"),
        (rule(route="order"), "rules[0].route", "did you mean order_status"),
        (rule(weight=0), "rules[0].weight", "above 0"),
        (rule(weight="2"), "rules[0].weight", "above 0"),
        (rule(weight=float("inf")), "rules[0].weight", "above 0"),
        (rule(all=["ordr"]), "rules[0].all", "did you mean order"),
        (rule(all="order"), "rules[0].all", "a list of texts"),
        (rule(all=[]), "rules[0]", "concepts that the rule needs"),
        (rule(none=["nothing"]), "rules[0].none", "the name of a concept"),
        (rule(why=" "), "rules[0].why", "not blank"),
        (rule(signal="panic"), "rules[0].signal", "one of person_wish, danger, permission"),
        (rule(when=["order"]), "rules[0].when", "one of why"),
        (book(exact={}), "exact", "[[exact]]"),
        (book(exact=[3]), "exact[0]", "a table"),
        (book(exact=[{"route": "clarify"}]), "exact[0].texts", "a list of texts"),
        (book(exact=[{"route": "x", "texts": ["hi"]}]), "exact[0].route", "one of order_status"),
        (
            book(exact=[{"route": "clarify", "texts": ["hi"]}, {"route": "order_status", "texts": ["Hi!"]}]),
            "exact[1].texts",
            "already mean clarify",
        ),
    ],
)
def test_every_fault_names_its_place(data: dict[str, Any], where: str, expected: str) -> None:
    """A fault says where it is, what stands there and what is expected."""
    with pytest.raises(RuleFileError) as caught:
        parse_rule_book(data, "my.toml")
    faults = {fault.where: str(fault) for fault in caught.value.faults}
    assert where in faults
    assert expected in faults[where]
    assert str(caught.value).startswith("my.toml has ")


def test_all_faults_at_once() -> None:
    """Four faults in four parts of the file come in one error, in the order of the file."""
    data = book(version=0, spelling={"u": ""}, rules=[{"why": "w", "route": "x", "weight": -1, "all": ["order"]}])
    with pytest.raises(RuleFileError) as caught:
        parse_rule_book(data, "my.toml")
    assert [fault.where for fault in caught.value.faults] == [
        "version",
        "spelling.u",
        "rules[0].weight",
        "rules[0].route",
    ]


def test_a_sound_book_compiles() -> None:
    """A sound book has its rules in order, its phrases as written, and every reserved concept."""
    compiled = parse_rule_book(book(), "my.toml")
    assert [each.why for each in compiled.rules] == ["asks for an order"]
    assert compiled.concepts["order"] == ("order", "주문")
    assert set(RESERVED) <= set(compiled.concepts)


def test_from_a_file(tmp_path: Path) -> None:
    """A file that is not TOML, or not there, is a fault with its name."""
    path = tmp_path / "rules.toml"
    path.write_text("version = ", encoding="utf-8")
    with pytest.raises(RuleFileError, match="expected TOML"):
        read_rule_book(path)
    with pytest.raises(RuleFileError, match="can be read"):
        read_rule_book(tmp_path / "none.toml")


def test_unused_concepts_and_dead_rules_are_found() -> None:
    """A concept that no rule reads, and rules that contradict themselves, are advice, not faults."""
    rules = [
        {"why": "never", "route": "clarify", "weight": 1, "all": ["order"], "none": ["order"]},
        {"why": "nor this", "route": "clarify", "weight": 1, "any": ["order"], "none": ["order"]},
    ]
    found = find_unused(parse_rule_book(book(rules=rules), "my.toml"))
    assert [fault.where for fault in found] == ["concepts.where", "rules[0]", "rules[1]"]


def test_the_shipped_book_has_no_dead_parts() -> None:
    """Every concept of the shipped rules is read, and every rule can fire."""
    assert find_unused(read_rule_book()) == ()
