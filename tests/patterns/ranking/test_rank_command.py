"""`transitable rank`: files, criteria, and each refusal."""

import json

import pytest
from click.testing import CliRunner

from transitable_patterns.commands.rank import command

CRITERIA = json.dumps({"novelty": {"weight": 2}, "risk": {"better": "lower"}})


@pytest.fixture
def run(tmp_path):
    """Write both files and run the command on them."""

    def run_command(name, text, *options, criteria=CRITERIA):
        path, declared = tmp_path / name, tmp_path / "criteria.json"
        path.write_text(text, encoding="utf-8")
        declared.write_text(criteria, encoding="utf-8")
        return CliRunner().invoke(command, [str(path), "--criteria", str(declared), *options])

    return run_command


def test_json_lines_best_first(run):
    """Scores are fields, or stand under "scores"; each rank has its reason."""
    text = '{"id": "a", "novelty": 0.5, "risk": 0.2}\n{"id": "b", "scores": {"novelty": 0.9, "risk": 0.4}}'
    result = run("items.jsonl", text)
    assert result.output.splitlines() == [
        "1. b 0.800 = novelty 0.600, risk 0.200",
        "2. a 0.600 = novelty 0.333, risk 0.267",
    ]


def test_csv_and_json_output(run):
    """Cells are read as numbers; a record without a name is named by its line."""
    result = run("items.csv", "novelty,risk\n0.5,0.5\n0.5,0.5\n", "--json", "--tie-break", "risk")
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert [(line["item"], line["rank"], line["tie_break"]) for line in lines] == [
        ("line 2", 1, None),
        ("line 3", 2, "name"),
    ]
    assert lines[0]["contributions"][0]["criterion"] == "novelty"


@pytest.mark.parametrize(
    ("name", "text", "criteria", "message"),
    [
        ("a.csv", "id,novelty,risk\na,,0.1\n", CRITERIA, "criterion 'novelty': is missing"),
        ("a.csv", "id,novelty,risk\na,much,0.1\n", CRITERIA, "'much' is not a number"),
        ("a.jsonl", '{"id": 1}\n{"id": 1}', CRITERIA, "used twice"),
        ("a.jsonl", "", "{", "not JSON"),
        ("a.jsonl", "", "[]", "expected a JSON object of criteria"),
        ("a.jsonl", "", "{}", "at least one"),
    ],
)
def test_refusals_say_what_to_do(run, name, text, criteria, message):
    """One line on the error stream and exit code 1."""
    result = run(name, text, criteria=criteria)
    assert result.exit_code == 1
    assert message in result.output
