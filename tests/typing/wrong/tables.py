"""Wrong tables: start, targets, branches, notes, invariants, claims, options of a graph.

A mark says of the line below it what is wrong, and what mypy and pyright call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from attrs import frozen

from transitable import (
    END,
    Graph,
    again,
    always,
    between,
    by,
    each,
    field,
    grows,
    limit,
    never,
    pause,
    subgraph,
    then,
    together,
)

if TYPE_CHECKING:
    from transitable import (
        Claim,
        Failure,
        Row,
    )


@frozen
class State:
    """The state."""

    items: tuple[int, ...] = ()
    done: bool = False
    count: int = 0
    errors: tuple[str, ...] = grows()


@frozen
class Other:
    """The state of another graph."""

    text: str = ""


class Written(TypedDict, total=False):
    """What nodes write."""

    done: bool
    errors: list[str]


def work(state: State) -> Written:
    """Work."""
    return {"done": True}


def rest(state: State) -> Written:
    """Rest."""
    return {"errors": ["tired"]}


def for_other(state: Other) -> None:
    """A node of another state class."""


def note(state: State, failure: Failure, row: Row) -> Written:
    """Write a failure into the state."""
    return {"errors": [failure.message, row.source]}


def note_shortly(state: State, failure: Failure) -> Written:
    """Take too little."""
    return {"errors": [failure.message]}


def holds_for_other(state: Other) -> bool:
    """A predicate of another state class."""
    return bool(state.text)


def describe(state: State) -> str:
    """No predicate."""
    return str(state.done)


def enter(state: State) -> Other:
    """Go into the graph inside."""
    return Other(str(state.count))


def enter_wrongly(state: State) -> State:
    """Go into the graph inside with the state of the one outside."""
    return state


def leave(state: State, child: Other) -> Written:
    """Come back from the graph inside."""
    return {"done": bool(child.text)}


def leave_wrongly(state: State, child: State) -> Written:
    """Come back from a graph inside that has the same state class."""
    return {"done": child.done}


def start_item(state: State, item: int) -> Other:
    """Make the state that an item's graph starts from."""
    return Other(str(item))


def double(item: int) -> int:
    """Work on an item."""
    return item * 2


inner = Graph(Other, start=for_other, table={for_other: END})

# wrong: a name is no place [arg-type, reportArgumentType]
Graph(State, start="work", table={work: END})
# wrong: the start is for another state class [arg-type, reportArgumentType]
Graph(State, start=for_other, table={work: END})
# wrong: END is no place [arg-type, reportArgumentType]
Graph(State, start=END, table={work: END})
# wrong: no start [call-arg, reportCallIssue]
Graph(State, table={work: END})
# wrong: no table [call-arg, reportCallIssue]
Graph(State, start=work)
# wrong: a state instead of its class [arg-type, reportArgumentType]
Graph(State(), start=work, table={work: END})
# wrong: a name is no target [dict-item, reportArgumentType]
Graph(State, start=work, table={work: "END"})
# wrong: None is no target [dict-item, reportArgumentType]
Graph(State, start=work, table={work: None})
# wrong: a table is a mapping [arg-type, reportArgumentType]
Graph(State, start=work, table=[(work, END)])
# wrong: END leads nowhere [dict-item, reportArgumentType]
Graph(State, start=work, table={END: work})
# wrong: there is no such option [call-arg, reportCallIssue]
Graph(State, start=work, table={work: END}, starts=rest)
# wrong: a note takes three arguments [arg-type, reportArgumentType]
Graph(State, start=work, table={work: END}, note=note_shortly)
# wrong: a predicate of another class [list-item, reportArgumentType]
Graph(State, start=work, table={work: END}, invariants=[holds_for_other])
# wrong: a str is no bool [list-item, reportArgumentType]
Graph(State, start=work, table={work: END}, invariants=[describe])
# wrong: a place is no claim [list-item, reportArgumentType]
Graph(State, start=work, table={work: END}, claims=[work])
# wrong: one claim is no sequence [arg-type, reportArgumentType]
Graph(State, start=work, table={work: END}, claims=always(work))
# wrong: a node for another state class [arg-type, reportArgumentType]
Graph(State, start=work, table={work: END}, on_cancel=for_other)
# wrong: a graph of another class needs subgraph(...) [dict-item, reportArgumentType]
Graph(State, start=work, table={work: inner})
# wrong: no such form [arg-type, reportArgumentType]
Graph(State, start=work, table={work: END}, note=note).draw("png")
# wrong: there is no such option [call-arg, reportCallIssue]
then(work, otherwise=rest)
# wrong: a branch is named by its field's name [arg-type, reportArgumentType]
by(State.done, {True: work, False: rest})
# wrong: rows are a mapping [arg-type, reportArgumentType]
by("done", [work, rest])
# wrong: no limit [call-arg, reportCallIssue]
again(work, count="count", otherwise=END)
# wrong: a limit is a number [arg-type, reportArgumentType]
again(work, count="count", at_most="3", otherwise=END)
# wrong: nowhere to go at the limit [call-arg, reportCallIssue]
again(work, count="count", at_most=3)
# wrong: no cap [call-arg, reportCallIssue]
limit("count")
# wrong: nowhere to write [call-overload, reportCallIssue]
each("items", double)
# wrong: a number [call-overload, reportArgumentType]
each("items", double, into="items", at_once="all")
# wrong: a graph needs enter= [call-overload, reportArgumentType]
each("items", inner, into="items")
# wrong: enter= is for graphs [call-overload, reportArgumentType]
each("items", double, into="items", enter=start_item)
# wrong: enter takes the state and the item [arg-type, reportArgumentType]
each("items", inner, into="items", enter=enter)
# wrong: leave takes both states [arg-type, reportArgumentType]
each("items", inner, into="items", enter=start_item, leave=enter)
# wrong: enter= without leave= [call-overload, reportCallIssue]
subgraph(inner, enter=enter)
# wrong: enter makes another class [arg-type, reportArgumentType]
subgraph(inner, enter=enter_wrongly, leave=leave)
# wrong: leave takes another class [arg-type, reportArgumentType]
subgraph(inner, enter=enter, leave=leave_wrongly)
# wrong: a function is no graph [call-overload, reportArgumentType]
subgraph(work)
# wrong: another class without enter= [arg-type, reportArgumentType]
Graph(State, start=work, table={work: END, subgraph(inner, name="n"): END})
# wrong: parts for another class [arg-type, reportArgumentType]
Graph(State, start=work, table={work: END, together(for_other, for_other): END})
# wrong: a name is no place [arg-type, reportArgumentType]
together(work, "rest")
# wrong: a question is a text or a field [arg-type, reportArgumentType]
pause("ask", question=3, answer=bool, into="done")
# wrong: no type of the answer [call-arg, reportCallIssue]
pause("ask", question=field("items"), into="done")
# wrong: accepts takes state and answer [arg-type, reportArgumentType]
pause("ask", question="?", answer=bool, into="done", accepts=describe)
# wrong: nothing to go through [call-arg, reportCallIssue]
between(work, rest)
# wrong: after= and reach= are named [call-arg, reportCallIssue]
never(work, rest)
# wrong: a target is no claim [assignment, reportAssignmentType]
claim: Claim = then(work)
