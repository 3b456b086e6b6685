"""Pauses: questions have ids, answers come in any order, and what is refused leaves the question open."""

from __future__ import annotations

import itertools
from typing import Any, TypedDict

import pytest
from attrs import frozen

from transitable import (
    END,
    AnswerError,
    EventKind,
    Graph,
    Handle,
    OptionError,
    ResumeError,
    Status,
    advance,
    again,
    answered,
    begin,
    by,
    each,
    field,
    list_questions,
    pause,
    pending,
    subgraph,
    then,
    together,
)


@frozen
class State:
    """A state with a field for every kind of answer."""

    topic: str = "the first topic"
    left: bool | None = None
    right: bool | None = None
    tags: tuple[str, ...] = ()
    names: tuple[str, ...] = ("a", "b", "c")
    verdicts: tuple[bool, ...] = ()
    rounds: int = 0


class Topic(TypedDict):
    """What `prepare` writes."""

    topic: str


ask_left = pause("ask_left", question="left?", answer=bool, into="left")
ask_right = pause("ask_right", question="right?", answer=bool, into="right")
ask_tags = pause("ask_tags", question=field("topic"), answer=tuple[str, ...], into="tags")


def make_inner() -> Graph[State]:
    """A graph that asks one question."""
    return Graph(State, start=ask_left, table={ask_left: END}, name="inner")


def make_wide() -> Graph[State]:
    """A graph with five open questions: in `each` over a graph, in a graph inside, and directly in `together`."""
    asked = each(
        "names",
        make_inner(),
        into="verdicts",
        enter=lambda state, name: State(topic=name),
        leave=lambda state, child: child.left,
        name="asked",
    )
    wide = together(asked, subgraph(make_inner(), name="sub"), ask_right, name="wide")
    return Graph(State, start=wide, table={wide: END})


WIDE = {
    "wide/asked/0/ask_left@1.1": True,
    "wide/asked/1/ask_left@1.1": False,
    "wide/asked/2/ask_left@1.1": True,
    "wide/sub/ask_left@1.1": False,
    "wide/ask_right@1": True,
}


def make_tags() -> Graph[State]:
    """A graph that asks for tags."""
    return Graph(State, start=ask_tags, table={ask_tags: END})


@pytest.mark.parametrize("order", [*itertools.islice(itertools.permutations(WIDE), 0, 120, 7)])
def test_questions_are_answered_in_any_order(order: tuple[str, ...]) -> None:
    """All questions of a composite are open at once, and the order of answers changes nothing."""
    graph = make_wide()
    run = graph.run(State())
    assert tuple(question.id for question in run.questions) == tuple(WIDE)
    for count, question in enumerate(order, start=1):
        assert run.status is Status.PAUSED
        run = graph.resume(run, answers={question: WIDE[question]})
        assert len(run.questions) == len(WIDE) - count
    assert run.unwrap() == State(left=False, right=True, verdicts=(True, False, True))


def test_all_questions_can_be_answered_at_once() -> None:
    """One resume takes all answers."""
    graph = make_wide()
    assert graph.resume(graph.run(State()), answers=WIDE).unwrap().verdicts == (True, False, True)


def test_a_question_shows_text_or_field_and_type() -> None:
    """The text is that of the pause, or the value of the field that it names."""
    (question,) = make_tags().run(State(topic="which?")).questions
    assert (question.text, question.answer, question.address) == ("which?", tuple[str, ...], ("ask_tags",))


def test_an_unknown_id_is_refused() -> None:
    """An id that was never asked is refused, with those that are open."""
    graph = make_tags()
    run = graph.run(State())
    with pytest.raises(AnswerError, match="there is no such open question") as caught:
        graph.resume(run, answers={"nothing@1": True})
    assert caught.value.open_questions == ("ask_tags@1",)
    assert run.questions[0].id == "ask_tags@1"


def test_an_id_of_an_earlier_visit_is_stale() -> None:
    """A later visit of the same place asks under another id, and the old one is refused as stale."""
    repeat = again(ask_left, count="rounds", at_most=3, otherwise=END)
    graph = Graph(State, start=ask_left, table={ask_left: by("left", {True: END, False: repeat})})
    first = graph.run(State())
    second = graph.resume(first, answers={first.questions[0].id: False})
    assert second.questions[0].id != first.questions[0].id
    with pytest.raises(AnswerError, match="earlier visit"):
        graph.resume(second, answers={first.questions[0].id: True})
    assert graph.resume(second, answers={second.questions[0].id: True}).unwrap().rounds == 1


@pytest.mark.parametrize(("answer", "path"), [(3, "tags"), (["x", 3], r"tags\[1\]"), (None, "tags"), ("x", "tags")])
def test_an_answer_of_another_type_leaves_the_question_open(answer: object, path: str) -> None:
    """The refusal names the path; nothing has changed, and a fitting answer is taken afterwards."""
    handle = make_tags().start(State())
    handle.finish()
    with pytest.raises(AnswerError, match=path):
        handle.answer("ask_tags@1", answer)
    assert (handle.status, len(handle.run.questions)) == (Status.PAUSED, 1)
    handle.answer("ask_tags@1", ["x"])
    assert handle.finish().unwrap().tags == ("x",)


def judge(state: State, answer: tuple[str, ...]) -> str | None:
    """Take one tag or two; raise for three."""
    if len(answer) == 3:
        raise LookupError("three")
    return None if answer else f"no tag for {state.topic}"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [([], "no tag for the first topic"), (["a", "b", "c"], r"accepts\(\) raised LookupError: three")],
)
def test_what_accepts_refuses_leaves_the_question_open(answer: list[str], reason: str) -> None:
    """A reason, or an exception of `accepts`, is told; the question stays open."""
    careful = pause("careful", question="tags?", answer=tuple[str, ...], into="tags", accepts=judge)
    graph = Graph(State, start=careful, table={careful: END})
    run = graph.run(State())
    with pytest.raises(AnswerError, match=reason):
        graph.resume(run, answers={"careful@1": answer})
    assert graph.resume(run, answers={"careful@1": ["a"]}).unwrap().tags == ("a",)


def test_one_refused_answer_of_several_takes_none() -> None:
    """A resume with one wrong answer changes nothing; the run is as it was."""
    graph = make_wide()
    run = graph.run(State())
    with pytest.raises(AnswerError, match="right: came 3"):
        graph.resume(run, answers=WIDE | {"wide/ask_right@1": 3})
    assert len(run.questions) == len(WIDE)


def test_start_on_a_paused_run_is_refused() -> None:
    """A run is no state; the message names the door."""
    graph: Any = make_tags()
    run = graph.run(State())
    for door in (graph.run, graph.start):
        with pytest.raises(ResumeError, match="use resume"):
            door(run)


def test_nothing_before_a_pause_runs_again() -> None:
    """The places before a pause run once."""
    seen: list[str] = []

    def prepare(state: State) -> Topic:
        seen.append("prepare")
        return {"topic": "later"}

    graph = Graph(State, start=prepare, table={prepare: ask_tags, ask_tags: END})
    run = graph.run(State())
    assert run.questions[0].text == "later"
    graph.resume(run, answers={"ask_tags@2": []}).unwrap()
    assert seen == ["prepare"]


def test_a_paused_run_is_resumed_with_answers() -> None:
    """A resume without answers, or with what is no mapping of them, is refused."""
    graph = make_tags()
    run = graph.run(State())
    with pytest.raises(ResumeError, match=r"it needs answers=.*ask_tags@1"):
        graph.resume(run)
    with pytest.raises(OptionError, match="a dict of answers by question id"):
        graph.resume(run, answers=[("ask_tags@1", ())])  # type: ignore[arg-type]  # what no type checker lets pass


def test_the_same_paused_run_can_be_resumed_twice() -> None:
    """A run does not change, so each resume goes its own way."""
    graph = Graph(State, start=ask_left, table={ask_left: then(END)})
    run = graph.run(State())
    results = [graph.resume(run, answers={"ask_left@1": says}).unwrap().left for says in (True, False)]
    assert results == [True, False]


def listen_and_answer(handle: Handle[State], answer: object) -> list[EventKind]:
    """Iterate, answer what is open, and iterate on; give the kinds of events told live."""
    live = list(handle)
    handle.answer(handle.run.questions[0].id, answer)
    live.extend(handle)
    return [event.kind for event in live]


def test_asking_and_answering_are_events() -> None:
    """A question and its answer are told, live and in the record."""
    handle = make_tags().start(State())
    kinds = listen_and_answer(handle, ["x"])
    kept = [event.kind for event in handle.run.events]
    assert kinds == kept
    assert [kinds.count(kind) for kind in (EventKind.ASKED, EventKind.ANSWERED)] == [1, 1]


def test_an_answer_is_frozen_when_it_is_given() -> None:
    """What the caller changes afterwards leaks neither into the state nor into the events."""
    handle = make_tags().start(State())
    list(handle)
    answer = ["x"]
    handle.answer("ask_tags@1", answer)
    answer.append("y")
    list(handle)
    (told,) = [event for event in handle.run.events if event.kind is EventKind.ANSWERED]
    assert (handle.run.state.tags, told.value) == (("x",), ("x",))


def test_a_cancelled_run_takes_no_answer() -> None:
    """A run that was cancelled at its question has no open question any more."""
    handle = make_tags().start(State())
    handle.finish()
    handle.cancel()
    assert handle.finish().status is Status.CANCELLED
    with pytest.raises(AnswerError, match="no such open question"):
        handle.answer("ask_tags@1", ["x"])
    assert (handle.status, handle.run.questions) == (Status.CANCELLED, ())


def test_a_node_cannot_answer_while_it_runs() -> None:
    """A question that stands beside work under way is answered once the run has paused."""
    refused: list[str] = []
    handles: list[Handle[State]] = []

    def meddle(state: State) -> Topic:
        with pytest.raises(AnswerError, match="under way") as caught:
            handles[0].answer("both/ask_left@1", True)
        refused.append(caught.value.question)
        return {"topic": "met"}

    both = together(ask_left, meddle, name="both")
    handle = Graph(State, start=both, table={both: END}).start(State())
    handles.append(handle)
    assert handle.finish().status is Status.PAUSED
    assert refused == ["both/ask_left@1"]
    handle.answer("both/ask_left@1", True)
    assert handle.finish().unwrap() == State(topic="met", left=True)


def test_the_kernel_waits_for_the_same_answers() -> None:
    """By hand, a run with nothing but questions open is PAUSED, and goes on with any of them."""
    table = make_wide().table
    cursor = begin(table, State())
    while cursor.status is Status.PAUSED:
        assert pending(table, cursor) == ()
        question = list_questions(table, cursor)[-1]
        cursor = advance(table, cursor, {question.address: answered(WIDE[question.id])})
    assert (cursor.status, cursor.state.verdicts) == (Status.COMPLETED, (True, False, True))
