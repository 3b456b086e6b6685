"""Reading of files that people write: all faults at once, each with its place, what was found and what to do.

The files themselves are read by `rulebook`, `guide`, `replies` and `policy`; this module knows none of them.
"""

from __future__ import annotations

import difflib
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from .errors import FileFault
from .jsontypes import is_items, is_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from .errors import DataFileError


class Faults:
    """Collects faults while a file is read."""

    def __init__(self) -> None:
        self._found: list[FileFault] = []

    def add(self, where: str, found: str, expected: str) -> None:
        """Note one fault."""
        self._found.append(FileFault(where, found, expected))

    @property
    def found(self) -> tuple[FileFault, ...]:
        """All faults so far, in the order in which they were noted."""
        return tuple(self._found)

    def table(self, data: Mapping[str, Any], key: str, where: str, *, required: bool = True) -> dict[str, Any]:
        """Read a table; an empty one, and a fault, where it is something else."""
        value: Any = data.get(key)
        if is_table(value):
            return value
        if value is not None or required:
            self.add(where, "nothing" if value is None else type(value).__name__, "a table")
        return {}

    def text(self, data: Mapping[str, Any], key: str, where: str) -> str:
        """Read a text that is not blank; `""`, and a fault, where it is something else."""
        value: Any = data.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self.add(where, "nothing" if value is None else repr(value), "a text that is not blank")
        return ""

    def texts(self, data: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> tuple[str, ...]:
        """Read a list of texts that are not blank; without the bad ones, and a fault for each."""
        value: Any = data.get(key)
        if value is None and not required:
            return ()
        if not is_items(value) or (required and not value):
            self.add(where, "nothing" if value is None else repr(value), "a list of texts")
            return ()
        good: list[str] = []
        for place, item in enumerate(value):
            if isinstance(item, str) and item.strip():
                good.append(item)
            else:
                self.add(f"{where}[{place}]", repr(item), "a text that is not blank")
        return tuple(good)

    def known_keys(self, data: Mapping[str, Any], known: Iterable[str], where: str) -> None:
        """Note every key that is not one of the known ones."""
        names = list(known)
        for key in data:
            if key not in names:
                self.add(
                    f"{where}.{key}" if where else key,
                    "an unknown key",
                    f"one of {', '.join(names)}{suggest(key, names)}",
                )


def suggest(name: str, known: Iterable[str]) -> str:
    """Word a hint to the known name that looks most like `name`; `""` when none does."""
    near = difflib.get_close_matches(name, [str(each) for each in known], n=1, cutoff=0.5)
    return f" (did you mean {near[0]}?)" if near else ""


def read_text_file(path: Path, error: type[DataFileError]) -> str:
    """Read a UTF-8 file.

    Raises:
        DataFileError: Of the given class, if it cannot be opened or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise error(str(path), (FileFault("the file", str(problem), "a UTF-8 file that can be read"),)) from problem


def read_toml(path: Path | None, shipped: str, error: type[DataFileError]) -> tuple[dict[str, Any], str]:
    """Read a TOML file, or for `None` the one of this name in the package.

    Returns:
        Its table, and its name for messages.

    Raises:
        DataFileError: Of the given class, if it cannot be read or is not TOML.
    """
    source = shipped if path is None else str(path)
    text = read_shipped(shipped) if path is None else read_text_file(path, error)
    try:
        return tomllib.loads(text), source
    except tomllib.TOMLDecodeError as broken:
        raise error(source, (FileFault("the file", str(broken), "TOML"),)) from broken


def read_shipped(name: str) -> str:
    """Read a file of the package's data folder."""
    return resources.files("transitable_patterns.routing").joinpath("data", name).read_text(encoding="utf-8")
