"""The guide "From LangGraph" does what it says: its blocks run in order, and print what stands below them."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "from-langgraph.md"
FENCE = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
HAS_LANGGRAPH = importlib.util.find_spec("langgraph") is not None


class Block(NamedTuple):
    """One Python block of the guide."""

    line: int
    code: str
    is_langgraph: bool
    output: str


def read_blocks(text: str) -> list[Block]:
    """Read the Python blocks in order, each with the text block that follows it as its output."""
    fences = [
        (text.count("\n", 0, each.start()) + 2, each["info"].strip(), each["code"]) for each in FENCE.finditer(text)
    ]
    followers: list[tuple[int, str, str]] = [*fences[1:], (0, "", "")]
    return [
        Block(line, code, info == "python langgraph", after_code if after == "text" else "")
        for (line, info, code), (_, after, after_code) in zip(fences, followers, strict=True)
        if info in ("python", "python langgraph")
    ]


@pytest.fixture
def page() -> Iterator[dict[str, Any]]:
    """A module's namespace, findable by its name, as type hints of classes need it."""
    module = ModuleType("from_langgraph_page")
    sys.modules[module.__name__] = module
    yield vars(module)
    del sys.modules[module.__name__]


def run_block(block: Block, namespace: dict[str, Any]) -> str:
    """Run a block where it stands in the guide, so that a traceback names the guide's line; gives what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.code, str(GUIDE), "exec"), namespace)  # noqa: S102  # the guide is ours
    return printed.getvalue()


def refuse_in_langgraph(page: dict[str, Any]) -> list[tuple[str, str]]:
    """Hold the guide's second conversation, in which the person says no, with its LangGraph agent."""
    agent, command = page["agent"], page["Command"]
    config = {"configurable": {"thread_id": "2"}}
    agent.invoke({"messages": [{"role": "user", "content": "Buy tea."}]}, config)
    done = agent.invoke(command(resume={"allowed": False, "reason": "too dear"}), config)
    return [(message["role"], message["content"]) for message in done["messages"]]


def test_transitable_blocks_print_what_the_guide_shows(page: dict[str, Any]) -> None:
    """Every Transitable block runs after those before it, without LangGraph, and prints the text below it."""
    blocks = [block for block in read_blocks(GUIDE.read_text()) if not block.is_langgraph]
    assert len(blocks) >= 8
    for block in blocks:
        assert run_block(block, page) == block.output


@pytest.mark.skipif(not HAS_LANGGRAPH, reason="langgraph is not installed (extra `bench`)")
@pytest.mark.filterwarnings("default")
def test_langgraph_blocks_print_what_the_guide_shows(page: dict[str, Any]) -> None:
    """Where LangGraph is installed, its blocks run as well, and its agent holds the same conversation as ours."""
    for block in read_blocks(GUIDE.read_text()):
        assert run_block(block, page) == block.output
    ours = [(message.role, message.text) for message in page["refused"].state.messages]
    theirs = refuse_in_langgraph(page)
    assert ours == theirs


def test_each_message_comes_once_in_the_order_of_the_places(page: dict[str, Any]) -> None:
    """The conversation of the guide is that of its table: each message once, in the order of the places visited."""
    for block in read_blocks(GUIDE.read_text()):
        if not block.is_langgraph:
            run_block(block, page)
    assert [message.role for message in page["done"].state.messages] == [
        "user",
        "model",
        "tool",
        "model",
        "tool",
        "model",
    ]
    assert page["done"].places == ("think", "use_tools", "think", "approve", "use_risky_tools", "think")
    assert page["refused"].places == ("think", "use_tools", "think", "approve", "refuse", "think")


def test_a_risky_tool_without_approval_cannot_be_built(page: dict[str, Any]) -> None:
    """The claim of the guide is needed: any table that reaches the risky tools past the person is refused by it."""
    for block in read_blocks(GUIDE.read_text()):
        if not block.is_langgraph:
            run_block(block, page)
    transitable, step = sys.modules["transitable"], page["Step"]
    by, end = transitable.by, transitable.END
    with pytest.raises(transitable.TableError, match="broken-claim") as caught:
        transitable.Graph(
            page["Chat"],
            start=page["think"],
            table={
                page["think"]: by(
                    "step", {step.TOOLS: page["use_risky_tools"], step.ASK: page["approve"], step.ANSWER: end}
                ),
                page["approve"]: by("verdict.allowed", {True: page["use_risky_tools"], False: page["refuse"]}),
                page["use_risky_tools"]: page["next_turn"],
                page["refuse"]: page["next_turn"],
            },
            claims=[transitable.between(page["think"], page["use_risky_tools"], through=(page["approve"], True))],
        )
    assert [finding.code for finding in caught.value.findings] == ["broken-claim"]
    assert [row.target for row in caught.value.findings[0].path] == ["use_risky_tools"]
