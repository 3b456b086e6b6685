"""Annotations that type checkers can read and the engine cannot: a finding that says where to import from, never a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from attrs import frozen

from transitable import END, Graph, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from decimal import Decimal


@frozen
class State:
    """A state."""

    price: Any = None


class Priced(TypedDict):
    """A TypedDict with a type that only type checkers import."""

    price: Decimal


def write_typed(state: State) -> Priced:
    raise NotImplementedError


def write_anything(state: State) -> Mapping[str, object]:
    raise NotImplementedError


def write_either(state: State) -> Priced | None:
    raise NotImplementedError


@pytest.mark.parametrize("place", [write_typed, write_anything, write_either], ids=lambda place: place.__name__)
def test_names_that_only_type_checkers_know_are_a_finding(place: Callable[[State], Any]) -> None:
    """A return annotation, or a TypedDict in it, with a name imported under TYPE_CHECKING is one finding at the place."""
    with pytest.raises(TableError, match="importable at module level") as caught:
        Graph(State, start=place, table={place: END})
    (finding,) = caught.value.findings
    assert (finding.code, finding.places) == ("bad-return", (place.__name__,))
