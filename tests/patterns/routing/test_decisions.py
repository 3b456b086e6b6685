"""From raw output to decision: nothing is guessed."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.routing import Candidate, Code, Decision, Route
from transitable_patterns.routing.decisions import Rejection, Usage, normalise_label, read_decision, read_usage, to_json

GOOD = {"route": "order_status", "confidence": 0.9}


@pytest.mark.parametrize(
    "label", ["order_status", " Order-Status ", "ORDER STATUS", "ｏｒｄｅｒ_ｓｔａｔｕｓ", "order-status\n"]
)
def test_ra_04_spellings_of_a_label(label: str) -> None:
    """RA-04: compatibility forms, space, hyphens and case do not matter."""
    assert read_decision({**GOOD, "route": label}, {}) == Decision(Route.ORDER_STATUS, 0.9)


@pytest.mark.parametrize(
    "label", ["I think order_status", "order_status.", "order", "orderstatus", "", " ", None, 1, ["order_status"]]
)
def test_rf_02_f2_what_is_not_exactly_a_label(label: object) -> None:
    """RF-02, RF-F2: a sentence with a valid label in it is not a label."""
    rejection = read_decision({**GOOD, "route": label}, {})
    assert isinstance(rejection, Rejection)
    assert rejection.code is Code.UNKNOWN_LABEL


@given(st.text(max_size=30))
def test_rf_02_only_four_labels_come_out(label: str) -> None:
    """RF-02: whatever the text, what comes out is one of the four labels or a rejection."""
    decision = read_decision({**GOOD, "route": label}, {})
    if isinstance(decision, Decision):
        assert normalise_label(label) == decision.route


def test_rf_02_ten_thousand_texts() -> None:
    """RF-02: of ten thousand random texts as labels, not one becomes a route that is not spelt like it."""
    letters = random.Random(2)  # noqa: S311 - a repeatable draw, no secret
    alphabet = "order_statuproducinfotechnicalsupportclarify -_ORDER"
    for _ in range(10_000):
        label = "".join(letters.choices(alphabet, k=letters.randrange(20)))
        decision = read_decision({**GOOD, "route": label}, {})
        assert isinstance(decision, Rejection) or decision.route == normalise_label(label)


def test_ra_04_aliases() -> None:
    """RA-04: configured aliases are exact as well."""
    aliases = {"tracking": Route.ORDER_STATUS}
    assert read_decision({**GOOD, "route": "Tracking"}, aliases) == Decision(Route.ORDER_STATUS, 0.9)
    assert isinstance(read_decision({**GOOD, "route": "my tracking"}, aliases), Rejection)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"confidence": None}, "confidence"),
        ({"confidence": "high"}, "confidence"),
        ({"candidates": "order_status"}, "candidates"),
        ({"candidates": ["order_status"]}, "candidates[0]"),
        ({"candidates": [{"route": "refund", "score": 0.1}]}, "candidates[0].route"),
        ({"candidates": [{"route": "clarify", "score": 2}]}, "candidates[0].score"),
        ({"intents": "clarify"}, "intents"),
        ({"intents": ["clarify", "refund"]}, "intents[1]"),
    ],
)
def test_ra_03_a_broken_part_breaks_the_decision(changes: dict[str, Any], field: str) -> None:
    """RA-03: a part that cannot be read is never left out in silence."""
    rejection = read_decision({**GOOD, **changes}, {})
    assert isinstance(rejection, Rejection)
    assert rejection.field == field


@pytest.mark.parametrize("raw", [None, "order_status", '{"route": "order_status"}', 3, ["order_status", 0.9]])
def test_only_a_mapping_is_a_decision(raw: object) -> None:
    """A bare label has no confidence, and JSON in a text is text."""
    rejection = read_decision(raw, {})
    assert isinstance(rejection, Rejection)
    assert (rejection.code, rejection.field) == (Code.INVALID_DECISION, "decision")


def test_a_decision_survives_its_json() -> None:
    """A `Decision` is read back from its JSON values as it was."""
    decision = Decision(
        Route.PRODUCT_INFO,
        0.7,
        "because",
        (Candidate(Route.PRODUCT_INFO, 0.7),),
        (Route.CLARIFY, Route.PRODUCT_INFO),
        True,
    )
    assert read_decision(json.loads(json.dumps(to_json(decision))), {}) == decision


def test_a_decision_with_anything_in_it_becomes_json() -> None:
    """A router's own `Decision` may hold values of wrong types; the state takes them, and validation refuses them."""
    broken: Any = Decision(Route.CLARIFY, object(), object())  # type: ignore[arg-type] # what is tested
    assert to_json(broken)["reason"] == "object of type object"
    assert isinstance(read_decision(to_json(broken), {}), Rejection)


class Endless(Mapping[str, Any]):
    """A mapping that holds itself."""

    def __getitem__(self, key: str) -> Any:
        return self

    def __iter__(self) -> Iterator[str]:
        return iter(["self"])

    def __len__(self) -> int:
        return 1


class Rude:
    """An object that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        (math.nan, "float nan"),
        (-math.inf, "float -inf"),
        (1 << 90, "int of 91 bits"),
        (Rude(), "object of type Rude"),
        ({1: "a"}, {"key of type int": "a"}),
        (("a", True, None, 2), ["a", True, None, 2]),
        ("\ud800", "?"),
        (b"x", "object of type bytes"),
    ],
)
def test_rf_16_whatever_a_router_gives_back_becomes_json(raw: object, kept: object) -> None:
    """RF-16: what JSON has no value for becomes a text that says so."""
    assert to_json(raw) == kept


def test_rf_16_raw_output_is_bounded() -> None:
    """RF-16: endless and huge outputs are cut."""
    assert "object of type Endless" in json.dumps(to_json(Endless()))
    assert len(to_json("x" * 99_999)) == 2_000
    assert len(to_json(["x"] * 99_999)) == 2_000


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"tokens": 12, "cost": 0.5}, Usage(12, 0.5)),
        ({"tokens": True, "cost": "free"}, Usage()),
        ({"tokens": -1, "cost": -1}, Usage()),
        ("12", Usage()),
        (None, Usage()),
    ],
)
def test_rf_p9_usage_is_numbers_or_unknown(usage: object, expected: Usage) -> None:
    """RF-P9: tokens and cost are taken over where they are numbers."""
    assert read_usage({"usage": usage}) == expected
    assert read_usage("text") == Usage()
