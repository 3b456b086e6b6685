"""Requests: from what a caller sends to typed fields, and many of them from lines, JSON Lines or a CSV.

One request is a mapping with `input` and optionally `user_id`, `account_id`, `metadata`, or a text alone. Any other key is
refused by name: a silent drop would hide a misspelt one.
"""

from __future__ import annotations

import csv
import io
import json
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from .errors import ColumnMapError, RequestError
from .jsontypes import is_mapping, is_table
from .state import Code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_UNCLOSED: Final = "a quote that is not closed"
_LONGEST_RECORD: Final = 200
"""Lines that one record of a CSV may span."""
REQUEST_KEYS: Final = ("input", "user_id", "account_id", "metadata")
"""Keys that a request may have."""
RESERVED_KEY: Final = "routing"
"""Key of the metadata that belongs to the trace; a request that uses it is refused."""


@frozen
class ParsedRequest:
    """The typed fields of a request."""

    input: str
    """Its text, unchanged."""
    metadata: Mapping[str, Any]
    """What came along; `user_id` and `account_id` of the top level are copied in where metadata has none."""


@frozen
class NumberedRequest:
    """One request of a file."""

    line: int
    """Number of the line on which it begins, from 1."""
    request: Mapping[str, Any]
    """The request, not yet checked."""


@frozen
class BadLine:
    """A line that holds no request."""

    line: int
    """Its number, from 1."""
    reason: str
    """What is wrong with it."""


def parse_request(request: object) -> ParsedRequest:
    """Read the typed fields of one request.

    Raises:
        RequestError: With code `input_type` if the text is not a string, else with code `request_invalid`.
    """
    if isinstance(request, str):
        return ParsedRequest(request, {})
    if not is_mapping(request):
        raise RequestError(
            Code.INPUT_TYPE, "input", type(request).__name__, "a text, or a mapping with the key 'input'"
        )
    unknown = [str(key) for key in request if key not in REQUEST_KEYS]
    if unknown:
        raise RequestError(
            Code.REQUEST_INVALID, ", ".join(unknown), "an unknown key", f"one of {', '.join(REQUEST_KEYS)}"
        )
    metadata = read_metadata(request)
    text: Any = request.get("input")
    if text is not None and not isinstance(text, str):
        raise RequestError(Code.INPUT_TYPE, "input", type(text).__name__, "a text")
    return ParsedRequest(text or "", metadata)


def read_metadata(request: Mapping[Any, Any]) -> dict[str, Any]:
    """Read what came along with a request, with its identity copied in without overwriting.

    Raises:
        RequestError: If metadata is not a mapping with text keys, uses the reserved key, or an identity is not a text.
    """
    given: Any = {} if request.get("metadata") is None else request["metadata"]
    if not is_mapping(given) or not all(isinstance(key, str) for key in given):
        raise RequestError(Code.REQUEST_INVALID, "metadata", type(given).__name__, "a mapping with texts as keys")
    metadata: dict[str, Any] = dict(given)
    if RESERVED_KEY in metadata:
        raise RequestError(Code.REQUEST_INVALID, f"metadata.{RESERVED_KEY}", "a reserved key", "another name")
    for key in ("user_id", "account_id"):
        identity: Any = request.get(key)
        if identity is not None and not isinstance(identity, str):
            raise RequestError(Code.REQUEST_INVALID, key, type(identity).__name__, "a text")
        if identity is not None:
            metadata.setdefault(key, identity)
    return metadata


def keep_metadata(request: object) -> dict[str, Any]:
    """Keep what can be kept of the metadata of a refused request, so that its trace can still be found."""
    given: Any = request.get("metadata") if is_mapping(request) else None
    if not is_mapping(given):
        return {}
    return {key: value for key, value in given.items() if isinstance(key, str) and key != RESERVED_KEY}


def read_lines(lines: Iterable[str], defaults: Mapping[str, Any]) -> Iterator[NumberedRequest | BadLine]:
    """Read one request a line, the text alone; blank lines are skipped."""
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        if text.strip():
            yield NumberedRequest(number, {**defaults, "input": text})


def read_jsonl(lines: Iterable[str], defaults: Mapping[str, Any]) -> Iterator[NumberedRequest | BadLine]:
    """Read one JSON object, or one JSON text, a line; blank lines are skipped, bad ones reported."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value: Any = json.loads(line)
        except (ValueError, RecursionError) as problem:
            yield BadLine(number, f"not JSON: {problem}")
            continue
        if isinstance(value, str):
            value = {"input": value}
        if is_table(value):
            yield NumberedRequest(number, {**defaults, **value})
        else:
            yield BadLine(number, f"a JSON {type(value).__name__}; expected an object or a text")


def read_csv(
    lines: Iterable[str], defaults: Mapping[str, Any], columns: Mapping[str, str]
) -> Iterator[NumberedRequest | BadLine]:
    """Read requests from a CSV with a header.

    Args:
        lines: Lines of the file, with their ends.
        defaults: Fields for requests that do not have them.
        columns: Column by field: `input` (needed), `user_id`, `account_id`, or `metadata.NAME`; empty cells are left out.

    Raises:
        ColumnMapError: If the header lacks a column of the map.
    """
    header: list[str] | None = None
    for begin, row in _read_records(lines):
        if isinstance(row, str):
            yield BadLine(begin, row)
        elif header is None:
            header = [name.removeprefix("\ufeff").strip() for name in row]
            missing = tuple(column for column in columns.values() if column not in header)
            if missing:
                raise ColumnMapError(missing, tuple(header))
        elif len(row) != len(header):
            yield BadLine(begin, f"{len(row)} cells; expected {len(header)}")
        else:
            yield NumberedRequest(begin, _map_row(dict(zip(header, row, strict=True)), defaults, columns))


def _read_records(lines: Iterable[str]) -> Iterator[tuple[int, list[str] | str]]:
    """Read CSV records with the number of their first line; what cannot be read is given as the reason.

    A quote that is never closed costs its own line only: the lines behind it are read again.
    """
    waiting: deque[str] = deque()
    source = iter(lines)
    begin = 1
    while True:
        record: list[str] = []
        row: list[str] | str = _UNCLOSED
        while row == _UNCLOSED and len(record) < _LONGEST_RECORD:
            line = waiting.popleft() if waiting else next(source, None)
            if line is None:
                break
            record.append(line)
            row = _read_record("".join(record))
        if not record:
            return
        used = 1 if row == _UNCLOSED else len(record)
        waiting.extendleft(reversed(record[used:]))
        if row:
            yield begin, row
        begin += used


def _read_record(text: str) -> list[str] | str:
    """Read the one record of a text; a blank line is an empty one, and what is wrong comes back as a reason."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as problem:
        return _UNCLOSED if "unexpected end" in str(problem) else f"not CSV: {problem}"
    return rows[0] if rows else []


def _map_row(row: Mapping[str, str], defaults: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    request: dict[str, Any] = dict(defaults)
    metadata: dict[str, Any] = dict(request.get("metadata") or {})
    for name, column in columns.items():
        if name == "input":
            request["input"] = row[column]
        elif row[column]:
            target, key = (
                (metadata, name.removeprefix("metadata.")) if name.startswith("metadata.") else (request, name)
            )
            target[key] = row[column]
    return {**request, "metadata": metadata} if metadata else request
