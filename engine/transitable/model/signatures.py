"""What a node's signature says: how it is called, whether it is async, and which fields it may write.

Responsible for: reading callables. Not for: judging what they declare (`transitable.check`).
"""

from __future__ import annotations

import collections.abc
import functools
import inspect
import types
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict
from weakref import WeakKeyDictionary

from transitable.model.annotations import read_hints, show_annotation


class Signature(NamedTuple):
    """How a callable is called."""

    takes_context: bool
    """Whether the second argument is the context."""
    is_async: bool
    """Whether calling it makes a coroutine."""
    problem: str | None = None
    """Why it cannot be called with one or two arguments; None when it can."""


class Writes(NamedTuple):
    """Which fields a node declares to write."""

    declared: collections.abc.Mapping[str, Any] | None
    """The annotation of each field; None when it may write anything."""
    problem: str | None = None
    """Why the return annotation cannot be read; None when it can."""


def read_signature(function: Any) -> Signature:
    """Read how a function, method or other callable is called."""
    simple = _read_code(function)
    if simple is not None:
        return simple
    call = type(function).__call__ if callable(function) else None
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
    if any(inspect.isgeneratorfunction(each) or inspect.isasyncgenfunction(each) for each in (function, call)):
        return _refuse("is a generator; return the update instead of yielding", is_async=is_async)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some builtins have no signature; they are called with one argument
        return Signature(takes_context=False, is_async=is_async)
    return _read_parameters(parameters, is_async=is_async)


def _read_code(function: Any) -> Signature | None:
    """Read the common case from the code object, which is twenty times faster; None for anything else."""
    plain = function.__func__ if type(function) is types.MethodType else function
    if type(plain) is not types.FunctionType or plain.__defaults__ or hasattr(plain, "__wrapped__"):
        return None
    code = plain.__code__
    odd = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
    count = code.co_argcount - (plain is not function)
    if code.co_flags & odd or code.co_kwonlyargcount or count not in (1, 2):
        return None
    return Signature(takes_context=count == 2, is_async=bool(code.co_flags & inspect.CO_COROUTINE))


def _read_parameters(parameters: list[inspect.Parameter], *, is_async: bool) -> Signature:
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    variadic = any(each.kind is each.VAR_POSITIONAL for each in parameters)
    required = [each for each in positional if each.default is each.empty]
    named = [each.name for each in parameters if each.kind is each.KEYWORD_ONLY and each.default is each.empty]
    if named:
        return _refuse(f"needs the keyword argument {named[0]!r}", is_async=is_async)
    if len(required) > 2 or not (positional or variadic):
        return _refuse(f"takes {len(required)} arguments", is_async=is_async)
    takes_context = len(required) == 2 or (len(positional) > 1 and positional[1].name == "context")
    return Signature(takes_context=takes_context, is_async=is_async)


def _refuse(problem: str, *, is_async: bool) -> Signature:
    return Signature(takes_context=False, is_async=is_async, problem=problem)


def read_writes(function: Any) -> Writes:
    """Read which fields a node's return annotation lets it write."""
    while isinstance(function, (functools.partial, staticmethod)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        function = type(function).__call__ if callable(function) else function
    try:
        hints = read_hints(function, ("return",))
        return _read_annotation(hints["return"]) if "return" in hints else Writes(None)
    except Exception as error:  # noqa: BLE001  # a text that is evaluated may raise anything
        return Writes(
            None, f"its return annotation cannot be read ({error}); use names that are importable at module level"
        )


def _read_annotation(annotation: Any) -> Writes:
    if annotation is None or annotation is type(None) or show_annotation(annotation) in ("Never", "NoReturn"):
        return Writes({})
    if annotation is Any:
        return Writes(None)
    origin = get_origin(annotation)
    if _is_typed_dict(origin or annotation):
        return Writes(read_typed_dict(origin or annotation))
    if origin in (Union, types.UnionType):
        return _merge([_read_annotation(each) for each in get_args(annotation)])
    if origin in (collections.abc.Awaitable, collections.abc.Coroutine):
        return _read_annotation((get_args(annotation) or (Any,))[-1])
    plain = origin or annotation
    if isinstance(plain, type) and issubclass(plain, collections.abc.Mapping):
        return Writes(None)
    return Writes(
        None, f"it is annotated to return {show_annotation(annotation)}; a node returns a TypedDict, a Mapping or None"
    )


def _is_typed_dict(annotation: Any) -> bool:
    """Tell a TypedDict, also one of typing_extensions, which `typing` does not know before Python 3.13."""
    return is_typeddict(annotation) or (isinstance(annotation, type) and hasattr(annotation, "__required_keys__"))


TYPED_DICTS: WeakKeyDictionary[type, dict[str, Any]] = WeakKeyDictionary()
"""TypedDicts that have been read; the nodes of a graph often share them."""


def read_typed_dict(annotation: Any) -> dict[str, Any]:
    """Read the fields of a TypedDict, once, without `Required`, `NotRequired` and `ReadOnly`."""
    known = TYPED_DICTS.get(annotation)
    if known is None:
        known = TYPED_DICTS[annotation] = get_type_hints(annotation)
    return known


def _merge(parts: list[Writes]) -> Writes:
    problem = next((part.problem for part in parts if part.problem), None)
    if problem or any(part.declared is None for part in parts):
        return Writes(None, problem)
    merged: dict[str, Any] = {}
    for part in parts:
        for name, annotation in (part.declared or {}).items():
            merged[name] = annotation if name not in merged else Union[merged[name], annotation]  # noqa: UP007  # built at run time
    return Writes(merged)
