"""What a careless call of `transitable route` must not do."""

from __future__ import annotations

import time
from pathlib import Path

from click.testing import CliRunner

from transitable_patterns.commands.route import route
from transitable_patterns.routing.requests import _read_record
from transitable_patterns.routing.routers import RulesRouter


def test_an_export_never_replaces_a_file_that_is_read(tmp_path: Path) -> None:
    """An export onto the file of requests is refused, and the file is as it was."""
    tickets = tmp_path / "tickets.csv"
    tickets.write_text("input\nWhere is order 12345?\n", encoding="utf-8")
    result = CliRunner().invoke(route, ["--file", str(tickets), "--export", str(tickets)])
    assert result.exit_code == 2
    assert "is read in this call" in result.output
    assert tickets.read_text(encoding="utf-8") == "input\nWhere is order 12345?\n"


def test_a_cell_keeps_what_follows_an_odd_line_separator() -> None:
    """Only CSV's own line ends cut a record; U+2028, form feed and file separators are part of a cell."""
    for separator in ("\u2028", "\f", "\x1c"):
        assert _read_record(f"before{separator}after\n") == [f"before{separator}after"]


def test_an_unbroken_word_costs_no_more_than_its_length() -> None:
    """A word of a hundred thousand letters is read in linear time: a quadratic search would take many minutes."""
    before = time.process_time()
    RulesRouter().read_signals("a" * 100_000)
    assert time.process_time() - before < 30
