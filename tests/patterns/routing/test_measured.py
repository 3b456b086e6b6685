"""The rules, measured on labelled requests that others wrote. The figures of docs/reference/routing.md come from `measure`."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from transitable import Graph
from transitable_patterns.routing import RoutingState, RulesRouter
from transitable_patterns.routing.measure import Figures, measure, read_labelled, tabulate

Build = Callable[..., Graph[RoutingState]]


@pytest.fixture(scope="session")
def figures(build: Build, rules: RulesRouter, support_requests: list[dict[str, Any]]) -> dict[str, Figures]:
    """Figures by group."""
    return measure(build(rules), support_requests)


def test_the_bars(figures: dict[str, Figures]) -> None:
    """Route accuracy over all at least 0.65, wrong specialist at most 4 %, in each language as well."""
    for group in ("all", "lang en", "lang ko"):
        assert figures[group].accuracy >= 0.65
        assert figures[group].wrong_specialist <= 0.04


@pytest.mark.parametrize("kind", ["escalate", "wants_person"])
def test_people_who_need_a_person(figures: dict[str, Figures], kind: str) -> None:
    """At least 85 % of what needs a person, and of wishes for one, is handed over."""
    assert figures[f"kind {kind}"].review >= 0.85


def test_what_is_plain_is_never_sent_to_the_wrong_specialist(figures: dict[str, Figures]) -> None:
    """A plainly worded request may be asked about, and never goes wrong."""
    assert figures["kind plain"].wrong_specialist == 0


def test_counting() -> None:
    """Figures are shares of a group: right, asked, wrong specialist, handed over."""
    figures = Figures(requests=10, right=7, asked=2, wrong=1, handed=3)
    assert (figures.accuracy, figures.wrong_specialist, figures.review, figures.question) == (0.7, 0.1, 0.3, 0.2)


def test_measuring_a_few(build: Build, rules: RulesRouter) -> None:
    """Groups are all, each language, each route and each kind; a clarified request counts as asked."""
    requests = [
        {"text": "where is order 12345", "route": "order_status", "lang": "en", "kind": "plain"},
        {"text": "hm", "route": "product_info", "lang": "en", "kind": "indirect"},
        {"text": "노트북 추천해 주세요", "route": "technical_support", "lang": "ko", "kind": "plain"},
    ]
    found = measure(build(rules), requests)
    assert list(found) == [
        "all",
        "lang en",
        "lang ko",
        "route order_status",
        "route product_info",
        "route technical_support",
        "kind indirect",
        "kind plain",
    ]
    assert found["all"] == Figures(requests=3, right=1, asked=1, wrong=1, handed=1)
    table = tabulate(found)
    assert table.splitlines()[2] == "| all | 3 | 0.333 | 0.333 | 0.333 | 0.333 |"


def test_the_module_prints_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command of the reference page prints a table for a file."""
    path = tmp_path / "r.jsonl"
    path.write_text(
        '{"text": "where is my order", "route": "order_status", "lang": "en", "kind": "plain"}', encoding="utf-8"
    )
    monkeypatch.setattr(sys, "argv", ["measure", str(path)])
    monkeypatch.delitem(sys.modules, "transitable_patterns.routing.measure")
    runpy.run_module("transitable_patterns.routing.measure", run_name="__main__")
    assert "| all | 1 | 1.000 |" in capsys.readouterr().out


def test_labelled_requests_from_a_file(tmp_path: Path) -> None:
    """One JSON object a line."""
    path = tmp_path / "r.jsonl"
    path.write_text('{"text": "a", "route": "clarify", "lang": "en", "kind": "plain"}\n\n', encoding="utf-8")
    assert [row["text"] for row in read_labelled(path)] == ["a"]
