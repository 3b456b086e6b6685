"""Values from JSON, TOML and callers, told apart: checks by which a type checker knows what a value of unknown type is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Tell if a value is a mapping; its keys may be anything."""
    return isinstance(value, Mapping)


def is_table(value: object) -> TypeGuard[dict[str, Any]]:
    """Tell if a value is what a file's table, or a JSON object, is read as."""
    return isinstance(value, dict)


def is_items(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Tell if a value is a list, frozen or not."""
    return isinstance(value, list | tuple)
