"""Signatures: how a node is called, and which fields its annotation lets it write."""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping, MutableMapping
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    Never,
    NoReturn,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
)

import pytest
import typing_extensions
from attrs import frozen

from transitable import END, Context, Graph, Status, TableError
from transitable.model.signatures import Signature, Writes, read_signature, read_writes

ONE = Signature(takes_context=False, is_async=False)
TWO = Signature(takes_context=True, is_async=False)
ASYNC_ONE = Signature(takes_context=False, is_async=True)
ASYNC_TWO = Signature(takes_context=True, is_async=True)


class Written(TypedDict):
    number: int
    names: NotRequired[list[str]]


class Partly(TypedDict, total=False):
    route: Required[Literal["a"]]
    number: Annotated[str, "noted"]


class More(Written):
    extra: bool


class Extended(typing_extensions.TypedDict):
    number: int
    extra: typing_extensions.NotRequired[bool]


T = TypeVar("T")


class Boxed(TypedDict, Generic[T]):
    number: T


class Worker:
    """One object with every kind of method."""

    def method(self, state: Any) -> Written: ...  # type: ignore[empty-body]  # never called

    def method_with_context(self, state: Any, context: Context) -> Written: ...  # type: ignore[empty-body]  # as above

    async def later(self, state: Any) -> Written: ...  # type: ignore[empty-body]  # as above

    @classmethod
    def of_class(cls, state: Any) -> Written: ...  # type: ignore[empty-body]  # as above

    @staticmethod
    def static(state: Any) -> Written: ...  # type: ignore[empty-body]  # as above

    def __call__(self, state: Any) -> Written: ...  # type: ignore[empty-body]  # as above


class AsyncWorker:
    async def __call__(self, state: Any, context: Context) -> Written: ...  # type: ignore[empty-body]  # as above


class GeneratorWorker:
    def __call__(self, state: Any) -> Iterator[None]:
        yield


def plain(state: Any) -> None: ...


def with_context(state: Any, context: Context) -> None: ...


async def plain_async(state: Any) -> None: ...


async def async_with_context(state: Any, anything: Any) -> None: ...


def three(first: Any, second: Any, third: Any) -> None: ...


def with_defaults(state: Any, factor: int = 1, *, power: int = 2) -> None: ...


def with_optional_context(state: Any, context: Context | None = None) -> None: ...


def nothing() -> None: ...


def many(*states: Any) -> None: ...


def one_and_many(state: Any, *rest: Any, **named: Any) -> None: ...


def all_optional(state: Any = None) -> None: ...


def keyword(state: Any, *, model: str) -> None: ...


def positional(state: Any, context: Any, /) -> None: ...


def generate(state: Any) -> Iterator[Written]:
    yield {"number": 1}


async def generate_later(state: Any) -> AsyncIterator[Written]:
    yield {"number": 1}


def decorate(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **named: Any) -> Any:
        return function(*args, **named)

    return wrapper


worker = Worker()
CALLS: list[tuple[Any, Signature]] = [
    (plain, ONE),
    (with_context, TWO),
    (plain_async, ASYNC_ONE),
    (async_with_context, ASYNC_TWO),
    (lambda state: None, ONE),
    (lambda state, context: None, TWO),
    (with_defaults, ONE),
    (with_optional_context, TWO),
    (many, ONE),
    (one_and_many, ONE),
    (all_optional, ONE),
    (positional, TWO),
    (worker.method, ONE),
    (worker.method_with_context, TWO),
    (worker.later, ASYNC_ONE),
    (worker.of_class, ONE),
    (Worker.of_class, ONE),
    (Worker.static, ONE),
    (Worker.__dict__["static"], ONE),
    (worker, ONE),
    (AsyncWorker(), ASYNC_TWO),
    (functools.partial(three, 1), TWO),
    (functools.partial(three, 1, 2), ONE),
    (functools.partial(keyword, model="m"), ONE),
    (functools.partial(plain_async), ASYNC_ONE),
    (decorate(with_context), TWO),
    (functools.lru_cache(plain), ONE),
    (len, ONE),
    (dict, ONE),
    (str.upper, ONE),
]


def show_without_address(value: object) -> str:
    """Name a parameter the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


@pytest.mark.parametrize(("function", "signature"), CALLS, ids=show_without_address)
def test_how_a_callable_is_called(function: Any, signature: Signature) -> None:
    """With the state, or the state and the context; an argument with a default is only the context if it is called so."""
    assert read_signature(function) == signature


@pytest.mark.parametrize(
    ("function", "signature"), [each for each in CALLS if each[0] is not dict], ids=show_without_address
)
def test_what_is_read_is_how_it_can_be_called(function: Any, signature: Signature) -> None:
    """As many arguments as the signature says can be bound; `dict` has no signature to ask."""
    inspect.signature(function).bind(*range(1 + signature.takes_context))


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (nothing, "takes 0 arguments"),
        (three, "takes 3 arguments"),
        (keyword, "needs the keyword argument 'model'"),
        (lambda *, state: None, "needs the keyword argument 'state'"),
        (lambda **named: None, "takes 0 arguments"),
        (Worker.method_with_context.__get__(worker).__func__, "takes 3 arguments"),
        (generate, "is a generator; return the update instead of yielding"),
        (generate_later, "is a generator; return the update instead of yielding"),
        (GeneratorWorker(), "is a generator; return the update instead of yielding"),
        (functools.partial(generate), "is a generator; return the update instead of yielding"),
    ],
)
def test_what_cannot_be_called_with_one_or_two_arguments_is_told(function: Any, problem: str) -> None:
    """In words that follow the place's name."""
    assert read_signature(function).problem == problem


@pytest.mark.parametrize("function", [three, keyword, generate, GeneratorWorker.__call__])
def test_it_becomes_a_finding(function: Any) -> None:
    """`bad-signature`, with the place."""

    @frozen
    class State:
        number: int = 0

    with pytest.raises(TableError, match=r"bad-signature.*(a node is f|is a generator)"):
        Graph(State, start=function, table={function: END})


# -- what a node may write


def annotate(annotation: Any) -> Any:
    def work(state: Any) -> Any: ...

    work.__annotations__["return"] = annotation
    return work


PLAIN = {"number": int, "names": list[str]}


@pytest.mark.parametrize(
    ("annotation", "declared"),
    [
        (Written, PLAIN),
        ("Written", PLAIN),
        ("Written | None", PLAIN),
        (Written | None, PLAIN),
        (Optional[Written], PLAIN),  # noqa: UP045  # the old spelling is what is tested
        (Optional["Written"], PLAIN),  # as above
        (More, {**PLAIN, "extra": bool}),
        (Partly, {"route": Literal["a"], "number": str}),
        (Extended, {"number": int, "extra": bool}),
        (Boxed[int], {"number": T}),
        (Awaitable[Written], PLAIN),
        (Coroutine[Any, Any, Written | None], PLAIN),
        (Awaitable["Written"], PLAIN),
        (None, {}),
        (type(None), {}),
        ("None", {}),
        (Never, {}),
        (NoReturn, {}),
        (Any, None),
        (Mapping, None),
        (Mapping[str, object], None),
        (MutableMapping[str, int], None),
        (dict[str, Any], None),
        (dict, None),
        (Awaitable, None),
        (typing.Awaitable, None),
        (Awaitable[Mapping[str, Any]], None),
        (Written | Mapping[str, int], None),
    ],
    ids=show_without_address,
)
def test_the_return_annotation_says_what_is_written(annotation: Any, declared: Any) -> None:
    """The fields of a TypedDict, without `Required` and `NotRequired`; nothing for None; anything for a mapping."""
    if annotation is typing.Awaitable or annotation is not Awaitable:
        assert read_writes(annotate(annotation)) == Writes(declared)
    else:
        assert "annotated to return Awaitable" in str(read_writes(annotate(annotation)).problem)


def test_a_union_may_write_what_any_part_does() -> None:
    """A field of several parts has any of their types."""
    declared = read_writes(annotate(Written | Partly | None)).declared
    assert declared == {"number": int | str, "names": list[str], "route": Literal["a"]}


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, "it is annotated to return int; a node returns a TypedDict, a Mapping or None"),
        (list[Written], "annotated to return list"),
        (Written | int, "annotated to return int"),
        (Iterator[Written], "annotated to return Iterator"),
        (Awaitable[int], "annotated to return int"),
        ("Nowhere", "cannot be read (name 'Nowhere' is not defined); use names that are importable at module level"),
        (Optional["Nowhere"], "cannot be read (name 'Nowhere'"),  # noqa: F821  # wrong on purpose
        ("Written |", "cannot be read (Forward reference must be an expression"),
        ("typing.Nope", "cannot be read (module 'typing' has no attribute 'Nope')"),
        ("Written | 5", "cannot be read (unsupported operand type"),
    ],
    ids=show_without_address,
)
def test_another_return_annotation_is_told(annotation: Any, words: str) -> None:
    """And nothing is declared."""
    writes = read_writes(annotate(annotation))
    assert writes.declared is None
    assert words in str(writes.problem)


@pytest.mark.parametrize(
    "function",
    [
        worker.method,
        worker.later,
        worker.of_class,
        Worker.static,
        Worker.__dict__["static"],
        worker,
        AsyncWorker(),
        functools.partial(worker.method),
        functools.partial(functools.partial(annotate(Written), 1)),
        functools.partial(worker),
        decorate(decorate(worker.method)),
        decorate(annotate("Written")),
    ],
    ids=show_without_address,
)
def test_every_kind_of_callable_is_read(function: Any) -> None:
    """Methods, partials, callable objects and decorated functions declare what is written on the function itself."""
    assert read_writes(function) == Writes(PLAIN)


def test_what_is_not_annotated_may_write_anything() -> None:
    """Builtins and lambdas too, and what cannot be called at all is left to other checks."""
    assert read_writes(lambda state: {}) == read_writes(len) == read_writes(5) == Writes(None)


def test_names_of_the_closure_are_known() -> None:
    """A local TypedDict is found where the function holds it, and is told where it does not."""

    class Local(TypedDict):
        local: int

    def holds(state: Any) -> Local:
        return Local(local=1)

    def make() -> Callable[[Any], Any]:
        def forgets(state: Any) -> Local: ...  # type: ignore[empty-body]  # never called

        return forgets

    assert read_writes(holds) == Writes({"local": int})
    assert "name 'Local' is not defined" in str(read_writes(make()).problem)


def test_a_node_may_name_the_graph_that_it_is_part_of() -> None:
    """The name has no value yet while the graph is built; what the node declares is read all the same."""

    @frozen
    class State:
        number: int = 0

    class Local(TypedDict):
        number: int

    def work(state: State) -> Local | None:
        return Local(number=len(graph.rows))

    graph = Graph(State, start=work, table={work: END})
    assert graph.run(State()).unwrap() == State(1)


def test_a_typed_dict_of_typing_extensions_binds_too() -> None:
    """A node that declares one cannot write another field."""

    @frozen
    class State:
        number: int = 0
        extra: bool = False
        other: int = 0

    def work(state: State) -> Extended:
        return {"number": 1, "other": 2}  # type: ignore[typeddict-unknown-key]  # wrong on purpose

    run = Graph(State, start=work, table={work: END}).run(State())
    assert run.status is Status.FAILED
    assert "only the fields that 'work' is annotated to write: number, extra" in run.reason


def test_a_typed_dict_is_read_once() -> None:
    """The nodes of a graph share what was read."""
    assert read_writes(annotate(Written)).declared is read_writes(annotate("Written")).declared
