"""Wrong nodes: what they hand back, what they take, and what is made of them.

A mark says of the line below it what is wrong, and what mypy and pyright call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from attrs import frozen

from transitable import END, Graph, Retry, node

if TYPE_CHECKING:
    from transitable import Context


@frozen
class State:
    """The state."""

    text: str = ""
    count: int = 0


@frozen
class Other:
    """The state of another graph."""

    text: str = ""


class Written(TypedDict, total=False):
    """What nodes write."""

    text: str
    count: int


def misspell(state: State) -> Written:
    """Write a field that the TypedDict does not have."""
    # wrong: misspelt field [typeddict-unknown-key, reportReturnType]
    return {"txet": state.text}


def mistype(state: State) -> Written:
    """Write a value of another type."""
    # wrong: a str for an int [typeddict-item, reportReturnType]
    return {"count": state.text}


async def mistype_later(state: State) -> Written:
    """Write a value of another type, async."""
    # wrong: a str for an int [typeddict-item, reportReturnType]
    return {"count": "many"}


def misread(state: State) -> Written:
    """Read a field that the state does not have."""
    # wrong: misspelt field of the state [attr-defined, reportAttributeAccessIssue]
    return {"text": state.txet}


def change(state: State) -> Written:
    """Change the state in place."""
    # wrong: a state is frozen [misc, reportAttributeAccessIssue]
    state.count = 1
    return {}


def emit_badly(state: State, context: Context) -> Written:
    """Spend what is no number."""
    # wrong: a cost is a number [arg-type, reportArgumentType]
    context.spend("much")
    # wrong: misspelt attribute of the context [attr-defined, reportAttributeAccessIssue]
    return {"text": str(context.atempt)}


def right(state: State) -> Written:
    """Nothing is wrong with this one."""
    return {}


def for_other(state: Other) -> Written:
    """A node of another state class."""
    return {"text": state.text}


async def for_other_later(state: Other, context: Context) -> Written:
    """An async node of another state class."""
    return {"text": state.text}


def count_words(state: State) -> int:
    """Hand back what is no update."""
    return len(state.text)


def take_three(state: State, context: Context, more: int) -> Written:
    """Take too much."""
    return {"count": more}


class Nodes:
    """Bound methods."""

    def for_other(self, state: Other) -> Written:
        """A method for another state class."""
        return {"text": state.text}


# wrong: a node for another state class [dict-item, reportArgumentType]
Graph(State, start=right, table={right: END, for_other: END})
# wrong: an async node for another state class [dict-item, reportArgumentType]
Graph(State, start=right, table={right: END, for_other_later: END})
# wrong: a method for another state class [dict-item, reportArgumentType]
Graph(State, start=right, table={right: END, Nodes().for_other: END})
# wrong: the same inside node(...) [arg-type, reportArgumentType]
Graph(State, start=right, table={right: END, node(for_other, name="n"): END})
# wrong: an int is no update [dict-item, reportArgumentType]
Graph(State, start=right, table={right: END, count_words: END})
# wrong: an int is no update [arg-type, reportArgumentType]
Graph(State, start=right, table={right: END, node(count_words): END})
# wrong: three arguments [dict-item, reportArgumentType]
Graph(State, start=right, table={right: END, take_three: END})
# wrong: a name is no place [dict-item, reportArgumentType]
Graph(State, start=right, table={right: END, "right": END})
# wrong: a policy is Retry(...) [arg-type, reportArgumentType]
node(right, retry=3)
# wrong: seconds are a number [arg-type, reportArgumentType]
node(right, timeout="5 s")
# wrong: there is no such option [call-arg, reportCallIssue]
node(right, retries=3)
# wrong: three arguments [arg-type, reportArgumentType]
node(take_three)
# wrong: a name is no function [arg-type, reportArgumentType]
node("right")
# wrong: attempts are an int [arg-type, reportArgumentType]
Retry("3")
# wrong: int is no exception [arg-type, reportArgumentType]
Retry(3, on=(int,))
