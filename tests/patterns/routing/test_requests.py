"""Requests from lines, JSON Lines and CSV."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transitable_patterns.routing import ColumnMapError, RequestError
from transitable_patterns.routing.requests import (
    BadLine,
    NumberedRequest,
    keep_metadata,
    parse_request,
    read_csv,
    read_jsonl,
    read_lines,
)

COLUMNS = {"input": "Body"}


def table(*lines: str, columns: dict[str, str] | None = None, **defaults: Any) -> list[Any]:
    return [
        (item.line, item.reason if isinstance(item, BadLine) else item.request)
        for item in read_csv(lines, defaults, columns or COLUMNS)
    ]


def test_the_example_of_the_specification() -> None:
    """RA-21: top-level identities go to the metadata, and never over what is there."""
    request = {"input": "hi", "user_id": "u", "account_id": "a", "metadata": {"user_id": "mine", "channel": "chat"}}
    assert parse_request(request).metadata == {"user_id": "mine", "channel": "chat", "account_id": "a"}
    assert parse_request("hi").input == "hi"


def test_a_refusal_names_all_unknown_keys() -> None:
    """RA-21: unknown keys are named together."""
    with pytest.raises(RequestError, match="request field inputs, user: found an unknown key; expected one of input"):
        parse_request({"input": "hi", "inputs": 1, "user": 2})


@pytest.mark.parametrize(
    ("request_", "kept"), [(None, {}), ({"metadata": 3}, {}), ({"metadata": {"a": 1, "routing": 2, 3: 4}}, {"a": 1})]
)
def test_what_is_kept_of_a_refused_request(request_: object, kept: dict[str, Any]) -> None:
    """Text keys of the metadata are kept, save the reserved one."""
    assert keep_metadata(request_) == kept


def test_lines() -> None:
    """One request a line, blank ones skipped, line numbers as in the file."""
    assert list(read_lines(["a\n", "\n", " \r\n", "b"], {"user_id": "u"})) == [
        NumberedRequest(1, {"user_id": "u", "input": "a"}),
        NumberedRequest(4, {"user_id": "u", "input": "b"}),
    ]


def test_jsonl() -> None:
    """Objects and texts are requests; everything else is a bad line that stops nothing."""
    found = list(
        read_jsonl(
            ['{"input": "a"}', "", '"b"', "[1]", "{", "[" * 99_999, '{"input": "c", "user_id": "v"}'], {"user_id": "u"}
        )
    )
    assert [item.line for item in found] == [1, 3, 4, 5, 6, 7]
    assert [isinstance(item, BadLine) for item in found] == [False, False, True, True, True, False]
    assert found[-1] == NumberedRequest(7, {"input": "c", "user_id": "v"})


def test_csv() -> None:
    """A column map, quoting, line breaks in cells, blank lines, and a byte order mark."""
    columns = {"input": "Body", "user_id": "Customer", "metadata.channel": "Via"}
    found = table(
        "\ufeffBody,Customer,Via\n", '"a ""q"", b",u,chat\n', "\n", '"two\n', 'lines",,\n', "plain,u,\n",
        columns=columns, user_id="default",
    )  # fmt: skip
    assert found == [
        (2, {"input": 'a "q", b', "user_id": "u", "metadata": {"channel": "chat"}}),
        (4, {"input": "two\nlines", "user_id": "default"}),
        (6, {"input": "plain", "user_id": "u"}),
    ]


def test_bad_lines_of_a_csv_do_not_stop_the_rest() -> None:
    """A wrong number of cells, a quote in the middle, and one that never closes cost their own line each."""
    found = table("Body,Other\n", "one\n", '"x"y,z\n', 'inch 5",3\n', '"never closed,1\n', "good,2\n")
    assert [(line, type(value).__name__) for line, value in found] == [
        (2, "str"),
        (3, "str"),
        (4, "dict"),
        (5, "str"),
        (6, "dict"),
    ]
    assert found[0][1] == "1 cells; expected 2"
    assert found[2][1]["input"] == 'inch 5"'
    assert found[3][1] == "a quote that is not closed"


def test_missing_columns() -> None:
    """Columns that are not there are named, with those that are."""
    with pytest.raises(ColumnMapError, match="columns Body, Via are not in the header; it has A, B") as caught:
        table("A,B\n", columns={"input": "Body", "metadata.x": "Via"})
    assert caught.value.missing == ("Body", "Via")


def test_files_are_read_as_they_are_needed() -> None:
    """Only what is asked for is read, so that a file may be endless."""

    def endless() -> Iterator[str]:
        yield "Body\n"
        for number in itertools.count():
            yield f"request {number}\n"

    reader = read_csv(endless(), {}, COLUMNS)
    assert [next(reader).line for _ in range(3)] == [2, 3, 4]


@given(
    rows=st.lists(
        st.tuples(st.text(alphabet='ab",\n', max_size=6), st.text(alphabet='ab",\n', max_size=6)),
        min_size=1,
        max_size=6,
    )
)
def test_a_sound_csv_is_read_back(rows: list[tuple[str, str]]) -> None:
    """Whatever a CSV writer wrote is read back, cell by cell."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(["Body", "Other"])
    writer.writerows(rows)
    lines = io.StringIO(out.getvalue(), newline="").readlines()
    found = list(read_csv(lines, {}, {"input": "Body", "metadata.other": "Other"}))
    cells = [
        (item.request["input"], item.request.get("metadata", {}).get("other", ""))
        for item in found
        if isinstance(item, NumberedRequest)
    ]
    assert cells == rows
