"""The pages on routing: what they name exists, and their examples run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
REFERENCE = REPOSITORY / "docs" / "reference" / "routing.md"
GUIDE = REPOSITORY / "docs" / "how-to" / "route-requests.md"
ROWS = [
    *(f"RF-{number:02}" for number in range(1, 25)),
    *(f"RF-F{number}" for number in range(1, 8)),
    *("RF-P1", "RF-P2", "RF-P6", "RF-P7", "RF-P8", "RF-P9", "RF-P10", "RF-N1", "RF-N4", "RF-N5", "RF-N6"),
]


def defined_tests() -> set[str]:
    folder = Path(__file__).parent
    return {
        name
        for path in folder.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }


def test_every_row_names_a_test_that_exists() -> None:
    """Each row of the feature table that is promised here has a line, and its test is there."""
    lines = re.findall(r"^\| (RF-\w+) \| .* \| `(test_\w+)` \|$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [row for row, _ in lines] == ROWS
    assert {test for _, test in lines} <= defined_tests()


def test_every_invariant_has_a_test_with_its_id() -> None:
    """RI-01 to RI-26 each stand in the docstring of a test of this folder."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    named = set(re.findall(r"RI-\d\d", text.replace("RI-01 to RI-26", "")))
    assert named >= {f"RI-{number:02}" for number in range(1, 27)}


def test_the_guide_opens_with_when_to_route() -> None:
    """RF-21: the four reasons to route come first, each with what serves it."""
    opening = GUIDE.read_text(encoding="utf-8").split("Do not route")[0]
    assert [line[:2] for line in opening.splitlines() if line.startswith("- ")] == ["- "] * 4
    for served in ("`Route`", "`routing_graph`", "`clarification_handler`", "`metadata.routing`"):
        assert served in opening


EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("place", range(len(EXAMPLES)))
def test_the_examples_of_the_guide_run(place: int) -> None:
    """Each Python block of the guide runs by itself, its assertions included."""
    exec(compile(EXAMPLES[place], f"route-requests.md, example {place + 1}", "exec"), {})  # noqa: S102 - our own page
