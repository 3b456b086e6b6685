"""`Failure`: an exception as data.

Responsible for: what is kept of an exception, so that it can be stored, matched by error rows and shown. Not for: the
live exception, which the run keeps beside it in the process only.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

import attrs

from transitable.errors import UpdateError
from transitable.model.table import name_class

if TYPE_CHECKING:
    from collections.abc import Callable

REFUSED = name_class(UpdateError)


@attrs.frozen
class Failure:
    """An exception as data."""

    names: tuple[str, ...]
    """The module-qualified class names in the exception's class order, its own first."""
    message: str
    """What `str` gave."""
    place: str
    """Where it failed, in the graph that is told of it: a place, with the address inside a composite, as in `use_tools/3`."""
    attempt: int = 1
    """Which attempt failed; the first is 1."""
    refused: bool = False
    """Whether the engine refused an update; then only an error row for `UpdateError` itself catches it."""
    notes: tuple[str, ...] = ()
    """What `add_note` added to the exception."""
    traceback: str = ""
    """The formatted traceback."""
    others: tuple[Failure, ...] = ()
    """The other failures of the same composite place, in item order."""
    live: BaseException | None = attrs.field(default=None, eq=False, repr=False)
    """The exception itself, in the process where it was raised; None elsewhere. It is no part of the value."""

    @property
    def name(self) -> str:
        """The exception's own class name, module-qualified."""
        return self.names[0]

    def __str__(self) -> str:
        short = self.name.removeprefix("builtins.")
        more = f" (and {len(self.others)} more)" if self.others else ""
        return f"{short}: {self.message}{more}" if self.message else f"{short}{more}"

    def __reduce__(self) -> tuple[Callable[..., Failure], tuple[object, ...]]:
        return Failure, tuple(getattr(self, field.name) for field in attrs.fields(Failure) if field.name != "live")


def describe_failure(error: BaseException, place: str, attempt: int = 1) -> Failure:
    """Turn an exception into data; one whose `str` fails is described by its class alone."""
    try:
        message = str(error)
    except Exception as problem:  # noqa: BLE001  # a foreign __str__ may raise anything
        message = f"<no message: {type(problem).__name__}>"
    return Failure(
        names=tuple(name_class(cls) for cls in type(error).__mro__ if issubclass(cls, BaseException)),
        message=message,
        place=place,
        attempt=attempt,
        refused=isinstance(error, UpdateError),
        notes=_read_notes(error),
        traceback="".join(traceback.format_exception(error)),
        live=error,
    )


def _read_notes(error: BaseException) -> tuple[str, ...]:
    try:
        return tuple(str(note) for note in getattr(error, "__notes__", ()))
    except Exception as problem:  # noqa: BLE001  # `__notes__` may be anything that somebody put there
        return (f"<no notes: {type(problem).__name__}>",)


def choose_failure(failures: list[Failure]) -> Failure:
    """Choose what a composite fails with: the first refused update, else the first in item order; the rest beside it.

    What stood beside a failure of a composite inside stands right after it.
    """
    told = [attrs.evolve(one, others=()) for each in failures for one in (each, *each.others)]
    first = next((each for each in told if each.refused), told[0])
    return attrs.evolve(first, others=tuple(each for each in told if each is not first))
