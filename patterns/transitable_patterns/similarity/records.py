"""Records of a file for the commands `dedup` and `rank`: JSON Lines, CSV with a header, or plain lines, by the suffix."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

from attrs import frozen

from transitable.errors import TransitableError

if TYPE_CHECKING:
    from pathlib import Path

TEXT_FIELDS = ("text", "title", "body", "content")
"""Fields that are looked for when none is named, in this order."""


class RecordError(TransitableError, ValueError):
    """A file, line or field that cannot be read; `where` names it."""

    def __init__(self, where: str, found: str, expected: str) -> None:
        super().__init__(where, found, expected)
        self.where = where
        self.found = found
        self.expected = expected

    def describe(self) -> str:
        """Word the message from the facts."""
        return f"{self.where}: {self.found}; expected {self.expected}"


@frozen
class Record:
    """One record of a file."""

    line: int
    """The line it starts on, from 1."""
    fields: dict[str, Any]
    """What it holds; a plain line has the field `text` alone."""


def read_records(path: Path) -> list[Record]:
    """Read a file: `.jsonl` and `.ndjson` are JSON Lines, `.csv` has a header, anything else is plain lines. Blank lines are skipped.

    Raises:
        RecordError: If the file is not UTF-8, or a line does not hold what its suffix says.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(str(path), f"byte {error.start} is not UTF-8", "a UTF-8 text file") from None
    if path.suffix.lower() in {".jsonl", ".ndjson"}:
        return [_read_json(path, number, line) for number, line in _number_lines(text)]
    if path.suffix.lower() == ".csv":
        reader = csv.DictReader(text.splitlines(keepends=True))
        return [Record(reader.line_num, {key: value for key, value in row.items() if key}) for row in reader]
    return [Record(number, {"text": line}) for number, line in _number_lines(text)]


def _number_lines(text: str) -> list[tuple[int, str]]:
    # Only \n and \r\n end a line: splitlines would also cut at separators that JSON strings may hold.
    lines = enumerate(text.replace("\r\n", "\n").split("\n"), 1)
    return [(number, line) for number, line in lines if line.strip()]


def _read_json(path: Path, number: int, line: str) -> Record:
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise RecordError(f"{path}:{number}", f"not JSON ({error.msg})", "one JSON object a line") from None
    if not isinstance(value, dict):
        raise RecordError(f"{path}:{number}", f"a JSON {type(value).__name__}", "one JSON object a line")
    return Record(number, {str(key): item for key, item in value.items()})  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - JSON


def get_field(record: Record, name: str, path: Path) -> Any:
    """Get a field of a record.

    Raises:
        RecordError: If it does not have it.
    """
    if name not in record.fields:
        raise RecordError(f"{path}:{record.line}", f"no field {name!r}", f"one of {', '.join(record.fields) or 'none'}")
    return record.fields[name]


def choose_text_field(records: list[Record], path: Path) -> str:
    """Choose the field that holds the text: the first of `TEXT_FIELDS` that the first record has.

    Raises:
        RecordError: If it has none of them.
    """
    fields = records[0].fields if records else {"text": ""}
    for name in TEXT_FIELDS:
        if name in fields:
            return name
    raise RecordError(
        f"{path}:1", f"no text in {', '.join(fields)}", "--field with the name of the field that holds the text"
    )
