"""`transitable route` and `transitable doctor` as a user sees them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from transitable_patterns.commands import route as module
from transitable_patterns.commands.doctor import doctor
from transitable_patterns.commands.route import route
from transitable_patterns.routing import build_shop
from transitable_patterns.routing.datafile import read_shipped
from transitable_patterns.routing.requests import BadLine

BOOK = """
version = 1
[settings]
nothing = 1
told = 1
wish = 9
[concepts.lamp]
en = ["lamp"]
[[rules]]
why = "says lamp"
route = "product_info"
weight = 9
all = ["lamp"]
"""


def call(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(route, arguments, input=stdin, catch_exceptions=False)


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_one_request() -> None:
    """The reply, route, confidence, reason and path are shown; the exit code is 0."""
    result = call("Where is order 12345?", "--user", "user-123")
    assert result.exit_code == 0
    assert "NW-880-4417" in result.stdout
    assert "route       order_status" in result.stdout
    assert "confidence  0." in result.stdout
    assert "reason      asks where something ordered is" in result.stdout
    assert (
        "path        preprocess_input > classify_route > validate_route > order_status_handler > format_response"
        in result.stdout
    )


def test_an_escalation_and_an_error_are_shown() -> None:
    """A person who takes over, and errors that the run lived through, are lines of their own."""
    assert "review      a person takes over" in call("my charger is on fire").stdout
    assert "error       input_empty: input: the request holds no text" in call(" ").stdout
    assert "confidence  none" in call(" ").stdout


def test_json() -> None:
    """With --json the final state is one object; with --timing an attempt has its milliseconds."""
    state = json.loads(call("Where is order 12345?", "--json", "--account", "acct-7").stdout)
    assert (state["route"], state["metadata"]["account_id"]) == ("order_status", "acct-7")
    assert state["metadata"]["routing"]["attempts"][0]["ms"] is None
    timed = json.loads(call("hello", "--json", "--timing").stdout)
    assert timed["metadata"]["routing"]["attempts"][0]["ms"] >= 0


def test_many_from_standard_input() -> None:
    """A request a line from standard input, an answer a line, and a count at the end."""
    result = call(stdin="where is order 12345\n\nhm\n")
    assert result.exit_code == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [["1", "order_status"], ["3", "clarify"]]
    assert result.stderr == "2 answered, 2 of them clarified or escalated; 0 lines without a request\n"


def test_jsonl_with_bad_lines(tmp_path: Path) -> None:
    """A bad line is reported with its number, stops nothing, and makes the exit code 1."""
    path = write(tmp_path / "in.jsonl", '{"input": "a"}\n[]\n"b"\n')
    result = call("--file", path, "--json")
    assert result.exit_code == 1
    assert [json.loads(line)["line"] for line in result.stdout.splitlines()] == [1, 3]
    assert "line 2: a JSON list; expected an object or a text" in result.stderr


def test_csv_with_columns_and_an_export(tmp_path: Path) -> None:
    """Past tickets with a column map; the open ones are exported with their cause."""
    path = write(tmp_path / "tickets.csv", 'No,Body,Who\n1,"where is\norder 12345",user-123\n2,hm,\n')
    export = tmp_path / "clarified.csv"
    result = call(
        "--file",
        path,
        "--columns",
        "input=Body",
        "--columns",
        "user_id=Who",
        "--columns",
        "metadata.no=No",
        "--export",
        str(export),
    )
    assert result.exit_code == 0
    rows = list(csv.DictReader(export.read_text(encoding="utf-8").splitlines()))
    assert [(row["line"], row["input"], row["code"], row["label"]) for row in rows] == [
        ("4", "hm", "router_clarify", "")
    ]


def test_export_of_one_request(tmp_path: Path) -> None:
    """The export works for a single request as well."""
    export = tmp_path / "one.csv"
    call("hm", "--export", str(export))
    assert len(export.read_text(encoding="utf-8").splitlines()) == 2


def test_thousands_of_lines(tmp_path: Path) -> None:
    """Two thousand lines come back as two thousand answers, in order."""
    path = write(tmp_path / "many.txt", "\n".join(f"where is order {number}" for number in range(10_000, 12_000)))
    result = call("--file", path, "--format", "lines")
    assert [int(line.split()[0]) for line in result.stdout.splitlines()] == list(range(1, 2001))


def test_parts_are_exchanged(tmp_path: Path) -> None:
    """--rules, --database and --config replace the shipped ones."""
    rules = write(tmp_path / "rules.toml", BOOK)
    database = tmp_path / "shop.db"
    product = {
        **json.loads(read_shipped("sample_products.jsonl").splitlines()[0]),
        "name_en": "My lamp",
        "kind": ["lamp"],
    }
    build_shop(database, [], [json.dumps(product)])
    config = write(tmp_path / "policy.toml", "confidence_threshold = 0.95")
    answered = call("a lamp", "--rules", rules, "--database", str(database))
    assert "My lamp" in answered.stdout
    assert "reason      says lamp" in answered.stdout
    assert "route       clarify" in call("a lamp", "--rules", rules, "--config", config).stdout


@pytest.mark.parametrize(
    ("option", "name", "text"),
    [
        ("--rules", "r.toml", "version = 9"),
        ("--config", "c.toml", "margin = 9"),
        ("--database", "d.db", "hello, this is not a database at all"),
    ],
)
def test_a_faulty_file_is_exit_code_2(tmp_path: Path, option: str, name: str, text: str) -> None:
    """A named file that cannot be used is told with its faults, and the exit code is 2."""
    result = call("hello", option, write(tmp_path / name, text))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert name in result.stderr


def test_missing_columns_are_exit_code_2(tmp_path: Path) -> None:
    """A column map that does not fit the header is a fault of the file."""
    result = call("--file", write(tmp_path / "t.csv", "A,B\n1,2\n"))
    assert result.exit_code == 2
    assert "columns input are not in the header; it has A, B" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("text", "--file", "-"),
        ("--columns", "input"),
        ("--columns", "name=Body"),
        ("--columns", "input="),
        ("--rules", "none.toml", "x"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    """Contradicting and malformed options are usage errors."""
    assert CliRunner().invoke(route, arguments, input="").exit_code == 2


def test_control_characters_never_reach_the_terminal() -> None:
    """What a requester sends cannot steer the terminal of whoever reads the results."""
    result = call(stdin="\x1b[31mred\x07\n")
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 are replaced, in files and in arguments."""
    path = tmp_path / "latin.txt"
    path.write_bytes(b"caf\xe9\n")
    assert call("--file", str(path)).exit_code == 0
    assert call("caf\udce9", "--json").exit_code == 0


def test_half_a_surrogate_pair(tmp_path: Path) -> None:
    """Text that JSON can carry and no file can hold is replaced, in results and exports."""
    export = tmp_path / "out.csv"
    result = call("--format", "jsonl", "--json", "--export", str(export), stdin='{"input": "\\ud800 hm"}\n')
    assert result.exit_code == 0
    assert json.loads(result.stdout)["input"] == "? hm"
    assert "? hm" in export.read_text(encoding="utf-8")


def test_an_export_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder that does not exist is wrong usage."""
    result = call("hello", "--export", str(tmp_path / "none" / "out.csv"))
    assert result.exit_code == 2
    assert "--export" in result.stderr


def test_a_terminal_without_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing to answer and nobody who pipes anything in: say what to do instead of waiting."""
    monkeypatch.setattr(module, "is_anybody_piping", lambda: False)
    result = call()
    assert result.exit_code == 2
    assert "give TEXT or --file" in result.stderr


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """With results going elsewhere and a terminal for messages, a counter is shown; the results stay the same."""
    monkeypatch.setattr(module, "is_progress_wanted", lambda: True)
    lines = [BadLine(number, "x") for number in (1, 2, 3)]
    assert list(module.with_progress(iter(lines))) == lines
    assert "3 requests" in capsys.readouterr().err


def test_doctor_without_advice() -> None:
    """The shipped set-up: no warnings, exit code 0."""
    result = CliRunner().invoke(doctor, ["routing"])
    assert (result.exit_code, result.stdout) == (0, "no warnings\n")


def test_doctor_with_advice(tmp_path: Path) -> None:
    """Each warning is a line with its code, and the exit code is 1; as JSON it is a list."""
    config = write(tmp_path / "c.toml", "margin = 0.0")
    result = CliRunner().invoke(doctor, ["routing", "--config", config])
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0].startswith("no-margin: ")
    listed = CliRunner().invoke(doctor, ["routing", "--config", config, "--json"])
    assert [each["code"] for each in json.loads(listed.stdout)] == ["no-margin"]


def test_doctor_with_faults(tmp_path: Path) -> None:
    """A faulty file is exit code 2."""
    result = CliRunner().invoke(doctor, ["routing", "--examples", write(tmp_path / "e.jsonl", "{")])
    assert result.exit_code == 2
    assert "line 1" in result.stderr
