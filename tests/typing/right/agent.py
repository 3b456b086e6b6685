"""An agent loop with tools and a person's approval."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypedDict

from attrs import frozen

from transitable import END, FrozenDict, Graph, again, between, by, each, field, grows, pause

if TYPE_CHECKING:
    from transitable import Context


class Step(enum.Enum):
    """What to do next."""

    TOOLS = enum.auto()
    ASK = enum.auto()
    ANSWER = enum.auto()


@frozen
class Message:
    """One thing said."""

    role: Literal["user", "agent", "tool"]
    text: str


@frozen
class Call:
    """One tool to call."""

    name: str
    arguments: Mapping[str, str] = FrozenDict()


@frozen
class Verdict:
    """What a person decided."""

    allowed: bool
    reason: str = ""


@frozen
class Chat:
    """The state of a conversation."""

    messages: tuple[Message, ...] = grows()
    step: Step | None = None
    calls: tuple[Call, ...] = ()
    verdict: Verdict | None = None
    turns: int = 0


class Thought(TypedDict, total=False):
    """What `think` writes."""

    step: Step | None
    calls: list[Call]
    messages: list[Message]


class Said(TypedDict):
    """What is said without a decision."""

    messages: tuple[Message, ...]


def think(state: Chat) -> Thought:
    """Decide what to do."""
    if not state.messages:
        return {"step": None}
    return {"step": Step.TOOLS, "calls": [Call("search", {"q": state.messages[-1].text})]}


def call_tool(call: Call) -> Message:
    """Call one tool."""
    return Message("tool", call.name)


async def call_slow_tool(call: Call, context: Context) -> Message:
    """Call one tool, somewhere slow."""
    context.emit(call.name, keep=False)
    return Message("tool", call.name)


def refuse(state: Chat) -> Said:
    """Say why not."""
    assert state.verdict is not None
    return {"messages": (Message("agent", state.verdict.reason),)}


def give_up(state: Chat) -> Said:
    """Say so."""
    return {"messages": (Message("agent", f"I stop after {state.turns} turns"),)}


def has_reason(state: Chat, answer: Verdict) -> str | None:
    """Take no refusal without a reason."""
    return None if answer.allowed or answer.reason else "say why"


approve = pause("approve", question=field("calls"), answer=Verdict, into="verdict", accepts=has_reason)
use_tools = each("calls", call_tool, into="messages", at_once=8, name="use_tools")
use_risky_tools = each("calls", call_slow_tool, into="messages", name="use_risky_tools")
next_turn = again(think, count="turns", at_most=10, otherwise=give_up)

agent = Graph(
    Chat,
    start=think,
    table={
        think: by("step", {Step.TOOLS: use_tools, Step.ASK: approve, Step.ANSWER: END, None: give_up}),
        approve: by("verdict.allowed", {True: use_risky_tools, False: refuse}),
        use_tools: next_turn,
        use_risky_tools: next_turn,
        refuse: next_turn,
        give_up: END,
    },
    claims=[between(think, use_risky_tools, through=(approve, True))],
)


def talk(text: str) -> str:
    """Run the agent, and approve whatever it asks."""
    run = agent.run(Chat(messages=(Message("user", text),)))
    while run.questions:
        run = agent.resume(run, answers={question.id: Verdict(True) for question in run.questions})
    return run.unwrap().messages[-1].text
