"""Wrong uses of graphs, runs and handles.

A mark says of the line below it what is wrong, and what mypy and pyright call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from transitable import END, Graph, TableError, advance, begin, done, pending

if TYPE_CHECKING:
    from transitable import Run


@frozen
class State:
    """The state."""

    text: str = ""
    count: int = 0


@frozen
class Other:
    """The state of another graph."""

    text: str = ""


def work(state: State) -> None:
    """Work."""


graph = Graph(State, start=work, table={work: END})
# wrong: a graph of another state class [assignment, reportAssignmentType]
other: Graph[Other] = graph
# wrong: a state of another class [arg-type, reportArgumentType]
graph.run(Other())
# wrong: a mapping is no state [arg-type, reportArgumentType]
graph.run({"text": ""})
# wrong: an int for a str [arg-type, reportArgumentType]
graph.run(State(text=3))
# wrong: misspelt option [call-arg, reportCallIssue]
graph.run(State(), max_step=3)
# wrong: a str for an int [arg-type, reportArgumentType]
graph.run(State(), max_steps="3")
# wrong: options are named [arg-type, call-arg, reportCallIssue]
graph.run(State(), 3)
# wrong: a clock has three methods [arg-type, reportArgumentType]
graph.run(State(), clock=lambda: 0.0)
# wrong: a source is a function [arg-type, reportArgumentType]
graph.run(State(), random=0.5)
# wrong: misspelt option [call-arg, reportCallIssue]
graph.stream(State(), keep_event=True)
# wrong: an int for a str [arg-type, reportArgumentType]
graph.start(State(), run_id=7)
# wrong: a graph never changes [misc, reportAttributeAccessIssue]
graph.name = "other"
# wrong: rows are a tuple [attr-defined, reportAttributeAccessIssue]
graph.rows.append(None)
run = graph.run(State())
# wrong: the state of another class [assignment, reportAssignmentType]
wrong: Other = run.state
# wrong: a run of another state class [assignment, reportAssignmentType]
wrong_run: Run[Other] = run
# wrong: the state of another class [assignment, reportAssignmentType]
wrong_end: Other = run.unwrap()
# wrong: misspelt field [attr-defined, reportAttributeAccessIssue]
print(run.state.txet)
# wrong: a run does not change [misc, reportAttributeAccessIssue]
run.state = State()
# wrong: a run does not change [assignment, misc, reportAttributeAccessIssue]
run.status = "paused"
# wrong: a str for an int [assignment, reportAssignmentType]
number: int = run.state.text
# wrong: misspelt option [call-arg, reportCallIssue]
graph.resume(run, more_step=3)
# wrong: answers go by question id [arg-type, reportArgumentType]
graph.resume(run, answers=["yes"])
# wrong: a state is no run [arg-type, reportArgumentType]
graph.resume(State())
# wrong: no answer [call-arg, reportCallIssue]
graph.start(State()).answer("id")
# wrong: no such field [attr-defined, reportAttributeAccessIssue]
print(graph.start(State()).run.unwrap().number)
# wrong: the kernel takes the table [arg-type, reportArgumentType]
begin(graph, State())
# wrong: the kernel takes the table first [arg-type, call-arg, reportCallIssue]
pending(begin(graph.table, State()))
# wrong: an address is a tuple [dict-item, reportArgumentType]
advance(graph.table, begin(graph.table, State()), {"work": done()})
# wrong: no findings [call-arg, reportCallIssue]
TableError("graph")


async def use_async() -> None:
    """Use the async doors."""
    # wrong: a run of another state class [assignment, reportAssignmentType]
    wrong_await: Run[Other] = await graph.arun(State())
    # wrong: a coroutine that nobody awaits [assignment, reportAssignmentType]
    wrong_arun: Run[State] = graph.arun(State())
    # wrong: not async [attr-defined, reportGeneralTypeIssues]
    for _event in graph.astream(State()):
        break
    # wrong: no such option [call-arg, reportCallIssue]
    await graph.arun(State(), thread=True)
    print(wrong_await, wrong_arun)
