"""Updates: what a node may write, what is refused, and how the refusal names the node, the path and what was expected."""

import enum
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from typing import Annotated, Any, Literal, Never, NotRequired, Optional, Required, TypedDict

import pytest
from attrs import evolve, field, frozen
from hypothesis import given
from hypothesis import strategies as st

from transitable import (
    END,
    Fault,
    FrozenDict,
    Graph,
    Run,
    Status,
    TableError,
    UpdateError,
    again,
    by,
    each,
    grows,
    node,
    then,
    together,
)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@frozen
class Call:
    name: str = ""
    size: int = 0
    inner: tuple[int, ...] = ()


@frozen
class State:
    route: Literal["a", "b"] | None = None
    colour: Colour = Colour.RED
    number: int = 0
    count: int = 0
    calls: tuple[Call, ...] = ()
    prices: Mapping[str, int] = FrozenDict()
    errors: tuple[str, ...] = grows()


def run_node(function: Any, state: State | None = None) -> Run[State]:
    return Graph(State, start=function, table={function: END}).run(state or State())


def faults_of(run: Run[State]) -> tuple[Fault, ...]:
    assert run.status is Status.FAILED
    assert isinstance(run.exception, UpdateError)
    return run.exception.faults


def write(update: Any, name: str = "write") -> Any:
    """Make a node that hands back this update, and may write anything."""

    def function(state: State) -> Mapping[str, object]:
        return update  # type: ignore[no-any-return]  # whatever the test says

    return node(function, name=name)


@pytest.mark.parametrize(
    ("update", "path", "came", "expected", "nearest"),
    [
        ({"nmuber": 1}, "nmuber", "1 (int)", "a field of State", "number"),
        ({"zzzz": 1}, "zzzz", "1 (int)", "a field of State", None),
        ({7: 1}, "7", "1 (int)", "a field of State", None),
        ({"number": "1"}, "number", "'1' (str)", "int", None),
        ({"number": True}, "number", "True (bool)", "int", None),
        ({"route": "aa"}, "route", "'aa' (str)", "Literal['a', 'b']", "a"),
        ({"colour": 1}, "colour", "1 (int)", "Colour", None),
        ({"calls": [Call(), Call(size="x")]}, "calls[1].size", "'x' (str)", "int", None),  # type: ignore[arg-type]
        ({"calls": [Call(inner=(1, "x"))]}, "calls[0].inner[1]", "'x' (str)", "int", None),  # type: ignore[arg-type]
        ({"calls": [{"name": "a"}]}, "calls[0]", "{'name': 'a'} (dict)", "build it with Call(**mapping)", None),
        ({"prices": {"tea": "3"}}, "prices['tea']", "'3' (str)", "int", None),
        ({"errors": "text"}, "errors", "'text' (str)", "tuple[str, ...] (a list or tuple)", None),
        ({"errors": [1]}, "errors[0]", "1 (int)", "str", None),
        ({"errors": None}, "errors", "None (NoneType)", "tuple[str, ...] (a list or tuple)", None),
        ([("number", 1)], "(state)", "[('number', 1)] (list)", "a mapping of changed fields, or None", None),
        (State(), "(state)", None, "a mapping of changed fields, or None", None),
        (5, "(state)", "5 (int)", "a mapping of changed fields, or None", None),
    ],
)  # fmt: skip
def test_a_refusal_names_everything(
    update: Any, path: str, came: str | None, expected: str, nearest: str | None
) -> None:
    """Node, path, what came, what was expected and the nearest name are in the error; the state stays as it was."""
    run = run_node(write(update))
    (fault,) = faults_of(run)
    text = str(run.exception)
    assert f"place 'write' is refused:\n  {path}: came " in text
    assert came is None or fault.came == came
    assert expected in fault.expected
    assert fault.nearest == nearest
    assert run.state == State()
    assert (run.place, run.steps, run.path) == ("write", 0, ())


def test_all_faults_of_an_update_are_told_at_once() -> None:
    """Every field, and every place in it, is looked at before the update is refused."""
    paths = [fault.path for fault in faults_of(run_node(write({"number": "x", "calls": [1, Call(), 2], "nope": 1})))]
    assert paths == [("number",), ("calls", 0), ("calls", 2), ("nope",)]


@given(
    st.dictionaries(
        st.sampled_from(["number", "route", "colour"]),
        st.none() | st.integers() | st.sampled_from(["a", "b", Colour.BLUE]),
    )
)
def test_an_update_is_taken_whole_or_not_at_all(update: dict[str, Any]) -> None:
    """EI-04: a fitting update changes exactly its fields; any other leaves the state untouched."""
    fits = (
        type(update.get("number", 0)) is int
        and update.get("route") in ("a", "b", None)
        and isinstance(update.get("colour", Colour.RED), Colour)
    )
    run = run_node(write(update))
    assert run.state == (evolve(State(), **update) if fits else State())
    assert run.status is (Status.COMPLETED if fits else Status.FAILED)


class Written(TypedDict):
    number: int
    errors: NotRequired[list[str]]


class Narrow(TypedDict, total=False):
    route: Required[Literal["a"]]
    colour: Annotated[Literal[Colour.BLUE], "why"]
    calls: "list[Call]"
    prices: dict[str, int]


def declare(annotation: Any, update: Any) -> Any:
    """Make a node that declares this return type and hands back this update."""

    def function(state: State) -> Any:
        return update

    function.__annotations__["return"] = annotation
    return node(function, name="declared")


DECLARATIONS: list[tuple[Any, dict[str, Any]]] = [
    (Written, {"number": 1}),
    (Written, {"number": 1, "errors": ["x"]}),
    (Narrow, {"route": "a", "colour": Colour.BLUE}),
    (Narrow, {"calls": [Call()], "prices": {"tea": 1}}),
    (Optional[Written], {}),  # noqa: UP045  # the old spelling is what is tested
    (Written | None, {"number": 2}),
    (Written | Narrow, {"number": 1, "route": "a"}),
    (Awaitable[Written], {"number": 1}),
    (Coroutine[Any, Any, Written], {"number": 1}),
    (None, {}),
    (Mapping[str, object], {"number": 1, "route": "b"}),
    (dict, {"route": "b"}),
    (Any, {"route": "b"}),
    ("Written", {"number": 3}),
    ("Written | None", {"number": 3}),
]


@pytest.mark.parametrize(("annotation", "update"), DECLARATIONS)
def test_a_node_writes_what_it_declares(annotation: Any, update: dict[str, Any]) -> None:
    """TypedDicts, Optional, unions, awaitables, strings; a plain Mapping or Any may write anything."""
    final = run_node(declare(annotation, update)).unwrap()
    for name, value in update.items():
        kept = tuple(value) if isinstance(value, list) else value
        assert getattr(final, name) == kept


@pytest.mark.parametrize(
    ("annotation", "update", "expected"),
    [
        (Written, {"route": "a"}, "only the fields that 'declared' is annotated to write: number, errors"),
        (None, {"number": 1}, "only the fields that 'declared' is annotated to write: none"),
        (Narrow, {"route": "b"}, "Literal['a']"),
        (Narrow, {"colour": Colour.RED}, "Colour.BLUE"),
        (Narrow | None, {"number": 1}, "only the fields"),
        (Never, {"number": 1}, "only the fields"),
    ],
)
def test_any_other_write_is_refused(annotation: Any, update: dict[str, Any], expected: str) -> None:
    """EI-04: an undeclared field, or a value outside the narrower type, is refused once."""
    (fault,) = faults_of(run_node(declare(annotation, update)))
    assert expected in fault.expected


def test_a_narrower_type_holds_also_for_the_old_value() -> None:
    """Handing back the very object of the state does not get around what a node declares."""

    class Only(TypedDict):
        thing: tuple[int, ...] | None

    @frozen
    class Wide:
        thing: tuple[int, ...] | tuple[str, ...] | None = None

    def keep(state: Wide) -> Only:
        return {"thing": state.thing}  # type: ignore[typeddict-item]  # wrong on purpose

    graph = Graph(Wide, start=keep, table={keep: END})
    assert graph.run(Wide(("a",))).status is Status.FAILED
    assert graph.run(Wide((1,))).status is Status.COMPLETED


def test_closures_methods_partials_and_objects_are_read() -> None:
    """The annotation of whatever is called counts, with the names that a closure knows."""

    class Inner(TypedDict):
        number: int

    def outer() -> Callable[[State], Any]:
        def inner(state: State) -> "Inner":
            return Inner(number=1)

        return inner

    class Worker:
        def method(self, state: State) -> Inner:
            return {"number": 2}

        def __call__(self, state: State) -> Inner:
            return {"number": 3}

    def scaled(factor: int, state: State) -> Inner:
        return {"number": factor}

    worker = Worker()
    places = [outer(), worker.method, node(worker, name="object"), node(partial(scaled, 4), name="partial")]
    graph: Graph[State] = Graph(State, start=places[0], table=dict(zip(places, [*places[1:], END], strict=True)))
    assert graph.run(State()).unwrap().number == 4
    for place in graph.table.places.values():
        assert list(place.declared or ()) == ["number"]


@pytest.mark.parametrize(
    ("annotation", "code"),
    [("Nowhere", "bad-return"), (int, "bad-return"), (list[int], "bad-return"), (Written | int, "bad-return")],
)
def test_a_return_annotation_that_cannot_be_read_is_a_finding(annotation: Any, code: str) -> None:
    """A name that is nowhere, or a type that is no update."""
    place = declare(annotation, {})
    with pytest.raises(TableError) as caught:
        Graph(State, start=place, table={place: END})
    assert code in caught.value.codes


@pytest.mark.parametrize(
    ("fields", "code", "words"),
    [
        ({"nope": int}, "unknown-write", "no field of State"),
        ({"number": str}, "wrong-write-type", "the field is int"),
        ({"number": complex}, "wrong-write-type", "complex"),
        ({"route": Literal["a", "z"]}, "wrong-write-type", "the field is"),
        ({"route": int}, "wrong-write-type", "the field is"),
    ],
)
def test_a_declaration_that_cannot_fit_is_a_finding(fields: dict[str, Any], code: str, words: str) -> None:
    """A field that is not there, or a type that no value of the field has."""
    place = declare(TypedDict("Wrong", fields), {})  # type: ignore[operator]  # made at run time
    with pytest.raises(TableError, match=words) as caught:
        Graph(State, start=place, table={place: END})
    assert code in caught.value.codes


def test_a_float_field_may_be_declared_as_int() -> None:
    """Type checkers allow it, and the value becomes a float."""

    @frozen
    class Scored:
        score: float = 0.0

    class Score(TypedDict):
        score: int

    def rate(state: Scored) -> Score:
        return {"score": 1}

    final = Graph(Scored, start=rate, table={rate: END}).run(Scored()).unwrap()
    assert type(final.score) is float


# -- growing fields


@given(st.lists(st.lists(st.text(max_size=2), max_size=3), max_size=4))
def test_a_growing_field_only_grows(additions: list[list[str]]) -> None:
    """An update holds the new items, and the engine appends them; nothing that is there can be lost."""
    todo = iter(additions)

    def add(state: State) -> Mapping[str, object]:
        return {"errors": next(todo), "number": state.number + 1}

    table = {add: again(add, count="count", at_most=len(additions) - 1, otherwise=END)} if additions else {add: END}
    run = Graph(State, start=add, table=table).run(State(errors=("first",)), keep_events=True)
    if additions:
        assert run.unwrap().errors == ("first", *(item for added in additions for item in added))
        told = [event.changes for event in run.events if event.changes]
        assert [item for changes in told for item in changes.get("errors", ())] == [
            i for added in additions for i in added
        ]


def test_parts_that_share_a_growing_field_are_joined_in_their_order() -> None:
    """Each part is held to its own declaration, and the items come in the order of the parts."""

    class Ones(TypedDict):
        errors: tuple[Literal["one"], ...]

    class Twos(TypedDict):
        errors: tuple[Literal["two"], ...]

    def ones(state: State) -> Ones:
        return {"errors": ("one", "one")}

    def twos(state: State) -> Twos:
        return {"errors": ("two",)}

    place = together(twos, ones, name="both")
    assert Graph(State, start=place, table={place: END}).run(State()).unwrap().errors == ("two", "one", "one")


# -- deep checks skip what is the same


class Looks:
    counted = 0


@frozen
class Watched:
    """Counts how often its field is read."""

    value: int = 0

    def __getattribute__(self, name: str) -> Any:
        if name == "value":
            Looks.counted += 1
        return super().__getattribute__(name)


@frozen
class Many:
    watched: tuple[Watched, ...] = ()
    named: Mapping[str, Watched] = FrozenDict()
    either: Watched | None = None
    pair: tuple[Watched, Watched] = (Watched(), Watched())
    log: tuple[Watched, ...] = grows()
    other: int = 0


def looks_of(make: Callable[[Many], Mapping[str, object]]) -> int:
    """Count the looks at watched values that one update costs."""

    def update(state: Many) -> Mapping[str, object]:
        made = make(state)
        Looks.counted = 0
        return made

    seen: list[int] = []

    def stop(state: Many) -> None:
        seen.append(Looks.counted)

    state = Many(
        watched=tuple(map(Watched, range(50))),
        named=FrozenDict({str(number): Watched(number) for number in range(50)}),
        either=Watched(),
        log=tuple(map(Watched, range(50))),
    )
    Graph(Many, start=update, table={update: stop, stop: END}).run(state).unwrap()
    return seen[0]


@pytest.mark.parametrize(
    ("make", "looks"),
    [
        (lambda state: {"other": 1}, 0),
        (lambda state: {"watched": state.watched}, 0),
        (lambda state: {"watched": (*state.watched, Watched(1))}, 1),
        (lambda state: {"watched": [*state.watched]}, 0),
        (
            lambda state: {"watched": (*state.watched[:20], Watched(9), *state.watched[21:])},
            2,
        ),  # the old one is compared
        (lambda state: {"named": {**state.named, "new": Watched(1)}}, 1),
        (lambda state: {"named": {**state.named}}, 0),
        (lambda state: {"either": state.either}, 0),
        (lambda state: {"pair": (state.pair[0], Watched(1))}, 2),
        (lambda state: {"log": (Watched(1), Watched(2))}, 2),
    ],
)
def test_parts_that_are_the_same_object_are_not_looked_at_again(make: Any, looks: int) -> None:
    """The cost of an update follows what changed, not how large the field is."""
    assert looks_of(make) == looks


def test_a_graph_inside_does_not_look_at_the_state_again() -> None:
    """A child of the same class starts from a state that has been checked."""

    def work(state: Many) -> Mapping[str, object]:
        return {"other": 1}

    def before(state: Many) -> None:
        Looks.counted = 0

    inner = Graph(Many, start=work, table={work: END}, name="inner")
    graph = Graph(Many, start=before, table={before: inner, inner: END})
    graph.run(Many(watched=(Watched(1), Watched(2)))).unwrap()
    assert Looks.counted == 0


# -- how the next state is built


def hold(state: Any) -> Mapping[str, object]:
    return {}


def set_number(state: Any) -> Mapping[str, object]:
    return {"number": state.number + 1}


def test_converters_run_and_what_they_make_is_checked() -> None:
    """What a converter makes is frozen and of the field's type, or the update is refused."""

    @frozen
    class Converted:
        number: int = field(default=0, converter=abs)
        tags: frozenset[str] = field(default=frozenset(), converter=lambda tags: frozenset(tags) | {"always"})
        pair: tuple[int, int] = field(default=(1, 2), converter=lambda pair: tuple(sorted(pair)))
        calls: tuple[Call, ...] = field(default=(), converter=lambda calls: (*calls,))

    def negate(state: Converted) -> Mapping[str, object]:
        return {"number": -3, "pair": (9, 1), "tags": {"x"}, "calls": [Call()]}

    final = Graph(Converted, start=negate, table={negate: END}).run(Converted()).unwrap()
    assert final == Converted(3, frozenset({"x"}), (1, 9), (Call(),))

    @frozen
    class Thawing:
        number: int = 0
        words: tuple[str, ...] = field(default=(), converter=list)

    run = Graph(Thawing, start=set_number, table={set_number: END}).run
    with pytest.raises(Exception, match=r"words: came \[\] \(list\), made by the class itself"):
        run(Thawing())


def test_validators_run_at_every_step() -> None:
    """A state that its own class refuses is never made; the error carries what the validator said."""

    @frozen
    class Small:
        number: int = field(default=0)
        other: int = 0

        @number.validator
        def check(self, _attribute: object, value: int) -> None:
            if value > 1:
                raise ValueError("too large")

    graph = Graph(Small, start=set_number, table={set_number: END})
    assert graph.run(Small()).unwrap() == Small(1)
    run = graph.run(Small(1))
    assert run.state == Small(1)
    assert "what its own __init__ accepts (too large)" in run.reason


def test_a_hook_after_init_runs_and_its_work_is_checked() -> None:
    """`__attrs_post_init__` may set fields of the class, of the right type."""

    @frozen
    class Summed:
        number: int = 0
        double: int = 0
        bad: str = ""

        def __attrs_post_init__(self) -> None:
            object.__setattr__(self, "double", self.number * 2)
            if self.number > 2:
                object.__setattr__(self, "bad", 5)

    graph = Graph(Summed, start=set_number, table={set_number: END})
    assert graph.run(Summed(1)).unwrap() == Summed(2)
    assert "bad: came 5 (int), made by the class itself" in graph.run(Summed(2)).reason


@pytest.mark.parametrize("name", ["count", "errors"])
def test_a_class_that_alters_what_only_the_engine_writes_is_refused(name: str) -> None:
    """A hook that resets a count, or shortens a growing field, would make a loop endless or lose an item."""

    @frozen
    class Altering:
        number: int = 0
        count: int = 0
        errors: tuple[str, ...] = grows()

        def __attrs_post_init__(self) -> None:
            if self.number:
                object.__setattr__(self, name, type(getattr(self, name))())

    def work(state: Altering) -> Mapping[str, object]:
        return {"number": 1, "errors": ("x",)}

    graph = Graph(Altering, start=work, table={work: again(work, count="count", at_most=2, otherwise=END)})
    run = graph.run(Altering())
    assert run.status is Status.FAILED
    assert f"{name}: came" in run.reason
    assert "only the engine writes this field" in run.reason


def test_keyword_only_aliased_and_private_fields_are_written_by_their_names() -> None:
    """An update names fields; what `__init__` calls its parameters is the class's affair."""

    @frozen(kw_only=True)
    class Named:
        number: int = 0
        _secret: int = 0
        spelt: int = field(default=0, alias="written")

    def work(state: Named) -> Mapping[str, object]:
        return {"number": 1, "_secret": 2, "spelt": 3}

    final = Graph(Named, start=work, table={work: END}).run(Named(secret=5)).unwrap()
    assert final == Named(number=1, secret=2, written=3)


def test_a_hand_written_init_is_used() -> None:
    """A class that writes its own `__init__` is built through it, and what it made is checked."""

    @frozen(init=False)
    class Own:
        number: int
        made: int

        def __init__(self, number: int = 0, made: int = 0) -> None:
            self.__attrs_init__(number, made + 1)  # type: ignore[attr-defined]  # attrs makes it

    final = Graph(Own, start=set_number, table={set_number: END}).run(Own()).unwrap()
    assert (final.number, final.made) == (1, 2)


def test_a_field_that_the_class_sets_itself_is_closed() -> None:
    """`init=False`: it follows the others at every step, and nobody writes, declares or counts it."""

    @frozen
    class Derived:
        number: int = 0
        items: tuple[int, ...] = ()
        double: int = field(init=False)
        doubles: tuple[int, ...] = field(init=False, default=())

        def __attrs_post_init__(self) -> None:
            object.__setattr__(self, "double", self.number * 2)

    class Doubled(TypedDict):
        double: int

    def declared(state: Derived) -> Doubled:
        return {"double": 1}

    def undeclared(state: Derived) -> Mapping[str, object]:
        return {"double": 1}

    assert Graph(Derived, start=set_number, table={set_number: END}).run(Derived()).unwrap().double == 2
    assert "sets this field itself" in Graph(Derived, start=undeclared, table={undeclared: END}).run(Derived()).reason
    over = each("items", abs, into="doubles")
    for start, target in ((declared, END), (over, END), (hold, again(hold, count="double", at_most=1, otherwise=END))):
        with pytest.raises(TableError, match=r"sets itself|set by the class itself|no field"):
            Graph(Derived, start=start, table={start: target})  # type: ignore[dict-item]  # the target is one


def test_a_state_of_another_class_is_refused() -> None:
    """Also a subclass: it could hold more than the engine knows."""

    @frozen
    class Sub(State):
        more: int = 0

    graph: Graph[Any] = Graph(State, start=hold, table={hold: END})
    for stranger in (Sub(), {"number": 1}, None):
        with pytest.raises(ValueError, match="an instance of State"):
            graph.run(stranger)


def test_a_refused_update_is_caught_only_by_its_own_row() -> None:
    """A row for `Exception` or `ValueError` does not catch it, one for `UpdateError` does."""
    bad = write({"nope": 1}, "bad")
    kept = write({}, "kept")
    wide = Graph(State, start=bad, table={bad: then(END, on_error={Exception: kept, ValueError: kept}), kept: END})
    assert wide.run(State()).status is Status.FAILED
    named = Graph(State, start=bad, table={bad: then(END, on_error={UpdateError: kept}), kept: END})
    assert named.run(State()).places == ("bad", "kept")


def test_what_a_branch_reads_as_given_is_closed() -> None:
    """A node that declares nothing may still not write it, nor may `note`."""
    steer = write({"route": "b"}, "steer")
    graph = Graph(State, start=steer, table={steer: by("route", {"a": END}, otherwise=END, given=True)})
    (fault,) = faults_of(graph.run(State(route="a")))
    assert "a branch reads this field as given" in fault.expected


@pytest.mark.parametrize(("members", "fits"), [(Literal["a", "b"], True), (Literal["a", 1], False)])
def test_an_open_field_may_be_declared_by_some_of_its_values(members: Any, fits: bool) -> None:
    """Every member of a `Literal` has to be a value of the field; then nothing else is taken from that node."""

    @frozen
    class Named:
        name: str = ""

    place = declare(TypedDict("Chosen", {"name": members}), {"name": "c"})  # type: ignore[operator, misc]  # made at run time
    if fits:
        run = Graph(Named, start=place, table={place: END}).run(Named())
        assert "name: came 'c' (str), expected Literal['a', 'b']" in run.reason
    else:
        with pytest.raises(TableError, match="the field is str") as caught:
            Graph(Named, start=place, table={place: END})
        assert caught.value.codes == ("wrong-write-type",)


def test_a_hook_before_init_may_refuse_values() -> None:
    """What `__attrs_pre_init__` raises is told like what a validator raises."""

    @frozen
    class Small:
        number: int = 0

        def __attrs_pre_init__(self, number: int = 0) -> None:
            if number > 1:
                raise ValueError("too large")

    graph = Graph(Small, start=set_number, table={set_number: END})
    assert graph.run(Small()).unwrap() == Small(1)
    assert "what its own __init__ accepts (too large)" in graph.run(Small(1)).reason
