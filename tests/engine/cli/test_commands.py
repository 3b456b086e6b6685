"""`transitable check`, `draw` and `run`: output, exit codes, and what is said where something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from transitable.cli import main
from transitable.cli.missing import is_extra
from transitable.cli.missing import main as missing_main
from transitable.cli.references import find_graph
from transitable.cli.reporters import LiveReporter, to_plain, write_state
from transitable.render.mermaid import parse_mermaid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

SHOP = """
from __future__ import annotations
import enum
from typing import TypedDict
import attrs
from transitable import END, Context, Graph, Retry, again, always, by, field, node, pause, precedes

class Route(enum.StrEnum):
    ORDER = "order"
    ASK = "ask"
    AGAIN = "again"

@attrs.frozen
class Request:
    text: str = "hello"
    route: Route | None = None
    tries: int = 0
    reply: str | None = None

class Routed(TypedDict):
    route: Route

class Replied(TypedDict):
    reply: str

def classify(request: Request, context: Context) -> Routed:
    context.emit({"seen": request.text})
    if request.text == "stop":
        raise KeyboardInterrupt
    return {"route": Route(request.text) if request.text in list(Route) else Route.ASK}

def look_up(request: Request) -> Replied:
    raise KeyError("no such order")

def reply(request: Request) -> Replied:
    return {"reply": "안녕하세요"}

async def reply_later(request: Request) -> Replied:
    return {"reply": "later"}

def make(answer=reply):
    looked = node(look_up, retry=Retry(attempts=2))
    rows = {Route.ORDER: looked, Route.ASK: answer, Route.AGAIN: again(classify, count="tries", at_most=3, otherwise=answer)}
    return Graph(Request, start=classify, name="shop", claims=[precedes(classify, answer), always(classify)],
        table={classify: by("route", rows, name="route_by_text"), looked: END, answer: END})

graph = make()
asynchronous = make(reply_later)

def asking():
    ask = pause("ask", question="How are you?", answer=str, into="reply")
    return Graph(Request, start=ask, name="asking", table={ask: END})

def cancelling():
    return Graph(Request, start=classify, name="cancelling", table={classify: END})

def unsound():
    return Graph(Request, start=classify, name="shop", table={classify: by("route", {Route.ORDER: END, Route.ASK: END})})

def unproved():
    return Graph(Request, start=classify, name="shop", table={classify: reply, reply: END}, claims=[precedes(reply, classify)])
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of graphs, imported anew for every test."""
    (tmp_path / "shop_c.py").write_text(SHOP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("shop_c", None)


def call(*arguments: str, state: Any = None) -> Result:
    """Run a command in this process, with a state on its standard input."""
    text = state if isinstance(state, (str, bytes)) else json.dumps(state)
    return CliRunner().invoke(main, list(arguments), input=text)


def test_check_shows_the_verdict_every_claim_and_the_longest_run() -> None:
    """Exit code 0 is for a sound graph."""
    result = call("check", "shop_c:graph")
    assert result.stdout.splitlines() == [
        "shop: sound",
        "  3 places, 6 rows, longest run 5 steps",
        "  holds   precedes(classify, reply)",
        "  holds   always(classify)",
    ]
    assert result.exit_code == 0


@pytest.mark.parametrize(("graph", "code"), [("unsound", "missing-member"), ("unproved", "broken-claim")])
def test_check_shows_all_findings_and_fails(graph: str, code: str) -> None:
    """Exit code 1 is for a graph with errors, a broken claim among them, with the path that breaks it."""
    result = call("check", f"shop_c:{graph}")
    assert result.stdout.startswith("shop: 1 error\n")
    assert f"  error {code}: " in result.stdout
    assert result.exit_code == 1


def test_check_as_json_has_the_same_facts() -> None:
    """Other programs read one object."""
    sound = json.loads(call("check", "shop_c:graph", "--json").stdout)
    assert sound == {
        "graph": "shop", "sound": True, "findings": [], "longest_run": 5, "places": 3, "rows": 6,
        "claims": [{"claim": "precedes(classify, reply)", "holds": True, "path": []}, {"claim": "always(classify)", "holds": True, "path": []}],
    }  # fmt: skip
    unsound = json.loads(call("check", "shop_c:unsound", "--json").stdout)
    assert unsound["sound"] is False
    assert [(each["code"], each["level"], each["places"]) for each in unsound["findings"]] == [
        ("missing-member", "error", ["classify"])
    ]


@pytest.mark.parametrize("command", ["check", "draw", "run"])
def test_a_bad_reference_is_exit_code_2_with_its_message(command: str) -> None:
    """What was found goes to standard error, so that a pipe gets nothing."""
    result = call(command, "shop_c:grahp")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "no 'grahp' in module 'shop_c'" in result.stderr
    assert "did you mean 'graph'?" in result.stderr


@pytest.mark.parametrize("command", ["draw", "run"])
def test_an_unsound_graph_is_exit_code_1_with_its_findings(command: str) -> None:
    """Nothing is drawn or run that does not construct."""
    result = call(command, "shop_c:unsound")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "missing-member" in result.stderr


def test_draw_writes_each_form() -> None:
    """EI-11: what is drawn is the table; Mermaid read back gives the rows of the graph."""
    graph = find_graph("shop_c:graph")
    assert call("draw", "shop_c:graph").stdout == graph.draw("table")
    assert call("draw", "shop_c:graph", "--as", "dot").stdout == graph.draw("dot")
    mermaid = call("draw", "shop_c:graph", "--as", "mermaid").stdout
    assert parse_mermaid(mermaid, graph.table.model) == graph.rows
    assert "route_by_text" in mermaid
    assert call("draw", "shop_c:graph", "--as", "png").exit_code == 2


def test_run_writes_a_line_a_step_then_status_and_state() -> None:
    """Piped output is plain; the state is in the form that --state takes."""
    result = call("run", "shop_c:graph", "--state", "-", state={"text": "ask"})
    lines = result.stdout.splitlines()
    assert lines[:4] == [
        '   1  classify: {"seen": "ask"}',
        "   1  classify -> reply  [route = Route.ASK]",
        "   2  reply -> END",
        "completed after 2 steps",
    ]
    assert json.loads("\n".join(lines[4:])) == {"text": "ask", "route": "ask", "tries": 0, "reply": "안녕하세요"}
    assert result.exit_code == 0


def test_run_as_json_writes_an_event_a_line_and_the_end() -> None:
    """Each line is one object; the last holds status, path and state."""
    result = call("run", "shop_c:graph", "--json", "--state", "-", state={"text": "again"})
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["event"] for each in events] == ["started", "emitted", "finished"] * 4 + [
        "started",
        "finished",
        "ended",
    ]
    assert events[2]["row"] == {"kind": "value", "target": "classify", "field": "route", "value": "Route.AGAIN", "bound": "3", "count": "tries", "spent": False}  # fmt: skip
    assert events[2]["changes"] == {"route": "again", "tries": 1}
    assert events[-1] == {
        "event": "ended", "status": "completed", "reason": "", "place": None, "steps": 5, "path": ["classify"] * 4 + ["reply"],
        "failure": None, "questions": [], "state": {"text": "again", "route": "again", "tries": 3, "reply": "안녕하세요"},
    }  # fmt: skip
    assert result.stdout.isascii()


@pytest.mark.parametrize(
    ("arguments", "state", "code", "status"),
    [
        (["shop_c:graph"], {"text": "ask"}, 0, "completed"),
        (["shop_c:asynchronous"], {"text": "ask"}, 0, "completed"),
        (["shop_c:graph"], {"text": "order"}, 1, "failed"),
        (["shop_c:asking"], {}, 3, "paused"),
        (["shop_c:graph", "--max-steps", "2"], {"text": "again"}, 4, "limit"),
        (["shop_c:graph", "--max-seconds", "1e-9"], {"text": "again"}, 4, "limit"),
        (["shop_c:cancelling"], {"text": "stop"}, 130, "interrupted"),
    ],
)
def test_the_exit_code_tells_the_status(arguments: list[str], state: dict[str, str], code: int, status: str) -> None:
    """Scripts branch on it; the same status stands in the output, plain and as JSON."""
    plain = call("run", *arguments, "--state", "-", state=state)
    assert plain.exit_code == code, plain.output
    assert any(line.startswith(status) for line in plain.stdout.splitlines())
    end = json.loads(call("run", *arguments, "--json", "--state", "-", state=state).stdout.splitlines()[-1])
    assert end["status"] == status
    assert end["state"]["text"] == state.get("text", "hello")


def test_a_failed_run_shows_retries_the_failure_and_on_demand_the_traceback() -> None:
    """The state is that of the last completed place."""
    result = call("run", "shop_c:graph", "--traceback", "--state", "-", state={"text": "order"})
    assert "   2  look_up is tried again  (KeyError: 'no such order')" in result.stdout
    assert "failed at look_up after 1 step" in result.stdout
    assert 'raise KeyError("no such order")' in result.stderr
    assert (
        'raise KeyError("no such order")'
        not in call("run", "shop_c:graph", "--state", "-", state={"text": "order"}).stderr
    )


def test_a_paused_run_shows_its_questions() -> None:
    """Their ids are what an answer needs."""
    result = call("run", "shop_c:asking", "--state", "-", state={})
    assert "   1  ask asks  (" in result.stdout
    assert '"How are you?"' in result.stdout
    (question,) = json.loads(call("run", "shop_c:asking", "--json").stdout.splitlines()[-1])["questions"]
    assert question["text"] == "How are you?"


def test_without_a_state_every_field_has_its_default(folder: Path) -> None:
    """A state always constructs; a file is read as well as standard input."""
    assert json.loads(call("run", "shop_c:graph", "--json").stdout.splitlines()[-1])["state"]["text"] == "hello"
    (folder / "state.json").write_text('{"text": "ask"}')
    assert call("run", "shop_c:graph", "--state", "state.json").exit_code == 0
    assert call("run", "shop_c:graph", "--state", "stat.json").exit_code == 2


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("{\n'text'", ", line 2: found no JSON"),
        ("1" * 5000, "found no JSON (Exceeds the limit"),
        (b"\xff\xfe\x00", "found no JSON"),
        ("[]", "an object with the fields of Request"),
        ('{"txt": "ask", "tries": "1"}', "did you mean 'text'"),
        ('{"txt": "ask", "tries": "1"}', "tries: came '1' (str), expected int"),
    ],
)
def test_a_state_that_does_not_fit_starts_nothing(state: str | bytes, message: str) -> None:
    """All faults at once, with exit code 2."""
    result = call("run", "shop_c:graph", "--state", "-", state=state)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr


def test_on_a_terminal_steps_are_shown_live(monkeypatch: pytest.MonkeyPatch) -> None:
    """The place that works is shown while it works; every line that plain output has stays."""
    import io

    from rich.console import Console

    cases = [
        ("graph", "ask", "completed after 2"),
        ("graph", "order", "failed at look_up"),
        ("asking", "", "How are you?"),
    ]
    for name, text, words in cases:
        console = Console(file=io.StringIO(), force_terminal=True, width=120, color_system=None)
        reporter = LiveReporter(console)
        graph = find_graph(f"shop_c:{name}")
        handle = graph.start(graph.table.model.cls(text=text))
        for event in handle:
            reporter.report(event)
        reporter.close(handle.run, interrupted=False)
        shown = console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO from above
        assert "1  classify ->" in shown or "1  ask asks" in shown
        assert words in shown
        assert '"text"' in shown


def test_a_terminal_gets_the_live_reporter(monkeypatch: pytest.MonkeyPatch) -> None:
    """JSON stays JSON wherever it goes."""
    from transitable.cli import reporters

    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    live = reporters.choose_reporter(as_json=False)
    assert isinstance(live, LiveReporter)
    live.status.stop()
    assert isinstance(reporters.choose_reporter(as_json=True), reporters.JsonReporter)


def test_values_that_json_does_not_have_are_shown_as_text() -> None:
    """Events are for reading; only the state must come back exactly, where it can."""
    import decimal
    import math

    import attrs

    @attrs.frozen
    class Odd:
        value: Any

    assert to_plain(Odd({1: (decimal.Decimal("1.5"), math.nan, 0.5, frozenset({2}))})) == {
        "value": {"1": ["1.5", "nan", 0.5, [2]]}
    }
    assert write_state(Odd("\ud83d\ude00")) == {"value": "\ud83d\ude00"}


def plugin(name: str, value: str) -> metadata.EntryPoint:
    return metadata.EntryPoint(name, value, "transitable.commands")


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    (folder / "plugin_c.py").write_text(
        "import click\n\n@click.command()\ndef hello():\n    click.echo('hello')\n\nnothing = 3\n"
    )
    points = [plugin("hello", "plugin_c:hello"), plugin("broken", "no_such_module_c:command"), plugin("odd", "plugin_c:nothing"), plugin("check", "plugin_c:hello")]  # fmt: skip
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: points if group == "transitable.commands" else [])
    sys.path.insert(0, str(folder))
    yield
    sys.modules.pop("plugin_c", None)


def test_commands_of_other_packages_are_listed_without_an_import(plugins: None) -> None:
    """`transitable --help` must be quick, and work whatever is broken elsewhere."""
    result = call("--help")
    assert result.exit_code == 0
    assert "plugin_c" not in sys.modules
    for line in (
        "hello   from another package (plugin_c:hello)",
        "broken  from another package (no_such_module_c:command)",
    ):
        assert line in result.stdout
    assert "check   Check a graph" in result.stdout


def test_a_plugin_is_imported_when_it_is_called(plugins: None) -> None:
    """It is a command like any other; one of an own command's name is never reached."""
    assert call("hello").stdout == "hello\n"
    assert call("check", "shop_c:graph").stdout.startswith("shop: sound")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "ModuleNotFoundError: No module named 'no_such_module_c'"),
        ("odd", "found 3, expected a click.Command"),
    ],
)
def test_a_broken_plugin_names_itself_and_breaks_nothing_else(plugins: None, name: str, reason: str) -> None:
    """The message says whose command it is and why it cannot be used."""
    result = call(name)
    assert result.exit_code == 2
    assert f"command {name!r} of another package" in result.stderr
    assert reason in result.stderr
    assert call("hello").exit_code == 0


def test_an_unknown_command_is_a_usage_error() -> None:
    """Click's own message and exit code."""
    assert call("chekc").exit_code == 2


def test_the_group_is_a_click_group() -> None:
    """Other packages may add to it or call it."""
    assert isinstance(main, click.Group)


def test_without_the_extra_the_command_says_what_to_install() -> None:
    """In a process where click cannot be imported, the console script's function still answers."""
    code = (
        "import sys; sys.modules['click'] = None\n"
        "from transitable.cli import main\n"
        "main()\n"
    )  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'transitable[cli]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_only_a_package_of_the_extra_counts_as_missing(capsys: pytest.CaptureFixture[str]) -> None:
    """A fault in our own imports must not be blamed on the extra."""
    assert is_extra(ModuleNotFoundError(name="rich.text"))
    assert not is_extra(ModuleNotFoundError(name="cattrs"))
    assert not is_extra(ModuleNotFoundError())
    with pytest.raises(SystemExit) as caught:
        missing_main()
    assert caught.value.code == 2
    assert "click and rich" in capsys.readouterr().err


def test_a_fault_in_our_own_imports_is_raised() -> None:
    """The group cannot be imported without cattrs, and that is what the error says."""
    code = "import sys; sys.modules['cattrs'] = None\nimport transitable.cli\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "cattrs" in done.stderr.splitlines()[-1]


def test_the_console_script_runs_a_graph_in_a_process_of_its_own() -> None:
    """The installed script, a pipe in, a pipe out; the patterns are not imported by --help."""
    script = Path(sys.executable).with_name("transitable")
    done = subprocess.run(
        [script, "run", "shop_c.py:make", "--state", "-", "--json"],
        input='{"text": "ask"}',
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["state"]["reply"] == "안녕하세요"
    code = "import sys\nfrom transitable.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\nprint('transitable_patterns' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.endswith(
        "False\n"
    )
