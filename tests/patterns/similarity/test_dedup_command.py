"""`transitable dedup`: every format, what is kept and why, and each refusal."""

import json

import pytest
from click.testing import CliRunner

from transitable_patterns.commands import dedup
from transitable_patterns.commands.dedup import command

TICKETS = ["Reset my card pin", "hello there", "Please reset my card pin", "Please reset my card pin 2"]


@pytest.fixture
def run(tmp_path):
    """Write a file and run the command on it."""

    def run_command(name, text, *options):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return CliRunner().invoke(command, [str(path), *options])

    return run_command


def test_plain_lines_keep_the_first(run):
    """Blank lines are skipped; line numbers are those of the file; a number is a contrast."""
    result = run("tickets.txt", "\n" + "\r\n".join(TICKETS) + "\n", "--explain")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "kept          2  Reset my card pin",
        "kept          3  hello there",
        "kept          5  Please reset my card pin 2",
        "dropped       4  Please reset my card pin",
        "         duplicates 2 (0.80): Reset my card pin",
        "         4 of 5 tokens (mixed): card my pin reset",
        "linked        5  with 2, not merged: number: none / 2",
        "3 kept, 1 dropped of 4; Jaccard at least 0.6 on mixed",
    ]


def test_contrasts_can_be_merged(run):
    """With --merge-contrasts the number does not count."""
    result = run("tickets.txt", "\n".join(TICKETS), "--merge-contrasts", "--at-least", "3/5", "--tokens", "words")
    assert result.output.splitlines()[-1] == "2 kept, 2 dropped of 4; Jaccard at least 0.6 on words"


def test_json_lines_ranked_by_a_field(run):
    """The highest number is kept; each record comes back with its verdict."""
    records = [{"title": text, "votes": votes} for text, votes in zip(TICKETS, [1, 1, 5, 2], strict=True)]
    result = run("tickets.jsonl", "\n".join(map(json.dumps, records)), "--keep", "ranked:votes", "--json")
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert [line["kept"] for line in lines] == [False, True, True, True]
    assert (lines[0]["duplicate_of"], lines[0]["similarity"], lines[0]["tokens"]) == (3, 0.8, "mixed")
    assert lines[0]["shared"] == ["card", "my", "pin", "reset"]
    assert lines[3]["contrast_with"] == [{"line": 3, "contrast": "number: none / 2"}]
    assert lines[1]["record"] == {"title": "hello there", "votes": 1}


def test_csv_with_a_named_field(run):
    """A CSV file has a header; its numbers are read as numbers."""
    text = "id,subject,score\n1,a b c d,3\n2,a b c,9\n"
    result = run("tickets.csv", text, "--field", "subject", "--keep", "ranked:score")
    assert "dropped       2  a b c d" in result.output


def test_long_texts_are_shortened_and_empty_files_are_fine(run):
    """A line of the report is at most one line; nothing in, nothing out."""
    assert "…" in run("a.txt", "word " * 60).output
    assert run("a.jsonl", "").output.startswith("0 kept, 0 dropped of 0")


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("a.jsonl", "{", (), "a.jsonl:1: not JSON"),
        ("a.jsonl", "[1]", (), "a JSON list; expected one JSON object a line"),
        ("a.jsonl", '{"text": 5}', (), "field 'text' is 5; expected a string"),
        ("a.jsonl", '{"x": "a"}', (), "expected --field"),
        ("a.jsonl", '{"text": "a"}', ("--field", "y"), "no field 'y'"),
        ("a.jsonl", '{"text": "a", "n": true}', ("--keep", "ranked:n"), "a finite number to rank by"),
        ("a.jsonl", '{"text": "a", "n": "x"}', ("--keep", "ranked:n"), "a finite number to rank by"),
        ("a.txt", "a", ("--keep", "last"), "expected 'first' or 'ranked:FIELD'"),
        ("a.txt", "a", ("--at-least", "2"), "expected a number from 0 to 1"),
        ("a.txt", "a", ("--tokens", "no"), "there is no tokeniser 'no'"),
        ("a.txt", b"\xff", (), "not UTF-8"),
    ],
)
def test_refusals_say_what_to_do(run, name, text, options, message):
    """A bad file, field or option is one line on the error stream and exit code 1."""
    result = run(name, text, *options)
    assert result.exit_code == 1
    assert message in result.output


def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys):
    """It names what is under way and removes itself."""
    with dedup.show_progress("comparing"):
        pass
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(dedup.sys.stderr, "isatty", lambda: True, raising=False)
    with dedup.show_progress("comparing"):
        assert "comparing ..." in capsys.readouterr().err
    assert capsys.readouterr().err.startswith("\r")
