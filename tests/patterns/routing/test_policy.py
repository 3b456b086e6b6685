"""Thresholds and limits: checked, all faults at once, from code and from files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transitable_patterns.routing import Language, PolicyFileError, Route, RoutingPolicy, read_policy


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"confidence_threshold": 1.1}, "confidence_threshold"),
        ({"confidence_threshold": True}, "confidence_threshold"),
        ({"margin": float("nan")}, "margin"),
        ({"thresholds": {"order_status": -1}}, "thresholds.order_status"),
        ({"thresholds": {"orders": 0.5}}, "thresholds.orders"),
        ({"misroute_cost": {"clarify": -1}}, "misroute_cost.clarify"),
        ({"max_route_retries": -1}, "max_route_retries"),
        ({"max_input_chars": 0}, "max_input_chars"),
        ({"max_options": 1.5}, "max_options"),
        ({"person_after_turns": 0}, "person_after_turns"),
        ({"multi_intent": "both"}, "multi_intent"),
        ({"multi_intent": "priority"}, "priority"),
        ({"priority": ("refund",)}, "priority[0]"),
        ({"disabled_routes": ["refund"]}, "disabled_routes[0]"),
        ({"label_aliases": {"x": "refund"}}, "label_aliases.x"),
        ({"allow_route_override": 1}, "allow_route_override"),
        ({"default_language": "fr"}, "default_language"),
        ({"secrets": ("short",)}, "secrets[0]"),
        ({"secrets": ("with*stars*in*it",)}, "secrets[0]"),
    ],
)
def test_every_setting_is_checked(settings: dict[str, Any], where: str) -> None:
    """A value out of range is a fault that names its setting."""
    with pytest.raises(PolicyFileError) as caught:
        RoutingPolicy(**settings)
    assert [fault.where for fault in caught.value.faults] == [where]


def test_all_faults_at_once() -> None:
    """Two bad values are two faults of one error."""
    with pytest.raises(PolicyFileError, match="2 faults") as caught:
        RoutingPolicy(margin=2, max_options=0)
    assert len(caught.value.faults) == 2


def test_secrets_are_not_shown() -> None:
    """The representation of a policy does not show its secrets."""
    assert "hunter2hunter2" not in repr(RoutingPolicy(secrets=("hunter2hunter2",)))


def test_from_toml_and_json(tmp_path: Path) -> None:
    """The same settings from both formats give the same policy."""
    toml, json = tmp_path / "p.toml", tmp_path / "p.json"
    toml.write_text(
        'margin = 0.2\ndefault_language = "ko"\ndisabled_routes = ["clarify"]\nsecrets = ["abcdefgh"]\n'
        '[thresholds]\norder_status = 0.5\n[label_aliases]\nTracking = "order_status"\n',
        encoding="utf-8",
    )
    json.write_text(
        '{"margin": 0.2, "default_language": "ko", "disabled_routes": ["clarify"], "secrets": ["abcdefgh"],'
        '"thresholds": {"order_status": 0.5}, "label_aliases": {"tracking": "order_status"}}',
        encoding="utf-8",
    )
    policy = read_policy(toml)
    assert policy == read_policy(json)
    assert policy.default_language is Language.KO
    assert policy.threshold_of(Route.ORDER_STATUS) == 0.5
    assert policy.label_aliases == {"tracking": Route.ORDER_STATUS}
    assert read_policy(None) == RoutingPolicy()


@pytest.mark.parametrize(
    ("name", "text", "where", "found"),
    [
        ("p.toml", "margin = ", "the file", "Invalid"),
        ("p.json", "{", "the file", "Expecting"),
        ("p.json", "[1]", "the file", "list"),
        ("p.toml", "margins = 0.1", "margins", "an unknown setting"),
        ("p.toml", "margin = 3", "margin", "3"),
        ("p.toml", "thresholds = 3", "the file", "has no attribute"),
    ],
)
def test_faults_of_files(tmp_path: Path, name: str, text: str, where: str, found: str) -> None:
    """A file's faults name the file, the place and what stands there."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyFileError) as caught:
        read_policy(path)
    assert caught.value.source == str(path)
    assert caught.value.faults[0].where == where
    assert found in caught.value.faults[0].found


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, and one that is not UTF-8, are faults as well."""
    with pytest.raises(PolicyFileError, match="that can be read"):
        read_policy(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(PolicyFileError, match="UTF-8"):
        read_policy(tmp_path / "latin.toml")
