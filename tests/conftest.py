"""What holds for every test."""

from __future__ import annotations

import re

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Name tests the same in every process: a parameter shown with its address in memory is named without it."""
    for item in items:
        item._nodeid = re.sub(r" at 0x[0-9a-f]+", "", item.nodeid)  # the only place where a name can be changed
