"""`FrozenDict`: the mapping that states hold.

Responsible for: a dict that refuses every change and behaves like a value. Not for: checking what is inside; that is
`transitable.model.shapes`, which also freezes lists, sets and dicts on their way into a state.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar, overload

from transitable.errors import FrozenError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dict that refuses change; `json.dumps`, `copy`, `pickle`, `==` and (with hashable values) `hash` accept it.

    Make a changed one with `frozen | {...}`.

    >>> prices = FrozenDict(tea=3)
    >>> prices | {"milk": 2}
    FrozenDict({'tea': 3, 'milk': 2})
    """

    __slots__ = ()

    @overload
    def __new__(cls, /) -> Self: ...
    @overload
    def __new__(cls: type[FrozenDict[str, V]], /, **named: V) -> FrozenDict[str, V]: ...
    @overload
    def __new__(cls, source: Mapping[K, V] | Iterable[tuple[K, V]], /) -> Self: ...
    @overload
    def __new__(
        cls: type[FrozenDict[str, V]], source: Mapping[str, V] | Iterable[tuple[str, V]], /, **named: V
    ) -> FrozenDict[str, V]: ...
    def __new__(cls, source: Any = (), /, **named: Any) -> Any:
        """Fill the new mapping once; `__init__` does nothing, so that a second call cannot refill it."""
        made = super().__new__(cls)
        dict.__init__(made, source, **named)  # pyright: ignore[reportUnknownMemberType]  # the bare class, at run time
        return made

    if not TYPE_CHECKING:  # pragma: no branch  # the signature that type checkers see is that of __new__

        def __init__(self, source=(), /, **named):
            pass

    def _refuse(self: Any, *_args: Any, **_named: Any) -> NoReturn:
        raise FrozenError("a FrozenDict", "build a new one with frozen | {...}")

    __setitem__ = _refuse
    __delitem__ = _refuse
    clear = _refuse
    pop = _refuse
    popitem = _refuse
    setdefault = _refuse
    update = _refuse

    if TYPE_CHECKING:

        def __or__(self, other: Mapping[Any, Any]) -> FrozenDict[Any, Any]: ...
        def __ror__(self, other: Mapping[Any, Any]) -> FrozenDict[Any, Any]: ...
        def __ior__(self, other: Mapping[Any, Any]) -> FrozenDict[Any, Any]: ...  # type: ignore[override]  # gives a new one, as a frozen value must
    else:

        def __or__(self, other):
            return FrozenDict(dict.__or__(self, other)) if isinstance(other, dict) else NotImplemented

        def __ror__(self, other):
            return FrozenDict(dict.__or__(other, self)) if isinstance(other, dict) else NotImplemented

        __ior__ = __or__

    def __hash__(self) -> int:  # type: ignore[override]  # dict sets it to None
        """Hash the items, whatever their order.

        Raises:
            TypeError: If a value is not hashable.
        """
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return f"FrozenDict({dict.__repr__(self)})"  # pyright: ignore[reportUnknownMemberType]  # the bare class, at run time

    @classmethod
    def fromkeys(cls, keys: Iterable[Any], value: Any = None, /) -> FrozenDict[Any, Any]:
        """Make one that holds the same value for every key; `dict.fromkeys` would fill it afterwards."""
        return FrozenDict(dict.fromkeys(keys, value))

    def copy(self) -> Self:
        """Give back the same object: it never changes."""
        return self

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> FrozenDict[K, V]:
        return FrozenDict({deepcopy(key, memo): deepcopy(value, memo) for key, value in self.items()})

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[dict[K, V]]]:
        return FrozenDict, (dict(self),)
