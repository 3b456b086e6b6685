"""What stands in for the command line while the extra `cli` is not installed."""

from __future__ import annotations

import sys
from typing import NoReturn

EXTRA = ("click", "rich")
"""The packages of the extra."""


def is_extra(error: ModuleNotFoundError) -> bool:
    """Tell whether what is missing is part of the extra, not of something that a command imports."""
    return error.name is not None and error.name.split(".")[0] in EXTRA


def main() -> NoReturn:
    """Say what to install, and leave with exit code 2."""
    sys.stderr.write(
        "transitable: the command line needs the packages click and rich, which are not installed here\n"
        "install them with: pip install 'transitable[cli]'\n"
    )
    raise SystemExit(2)
