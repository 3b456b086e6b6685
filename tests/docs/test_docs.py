"""The documentation is true: its code runs and prints what it shows, its commands answer what they show, its links lead somewhere.

Every Markdown page of `docs/` and the README are read alike:

- A `python` block runs, after those before it on the page, in one namespace. A `text` block right below it is what it prints.
  `python <name>` is code for another library; a test of that page's own runs it.
- A `console` block right below `<!-- executed -->` runs: lines that start with `$ ` are commands, the lines below each are
  what it answers. Only `transitable` commands may be marked.
- A block of any kind right below `<!-- file: name -->` is written to that file first, in a folder of the page's own, in which
  everything on the page runs.
- A `python` block right below `<!-- not executed: reason -->` does not run. There has to be a reason.
- `<!-- executed by tests/... -->` anywhere on a page says that a test of its own runs its blocks, in another way than this.

In what is printed or answered a line `...` stands for any lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n+)?^(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<code>.*?)^(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
ELSEWHERE = re.compile(r"^<!-- executed by (?P<test>tests/[\w./]+\.py) -->$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<text>.+)$", re.MULTILINE)


class Block(NamedTuple):
    """One fenced block of a page."""

    line: int
    """The number of its first line of code."""
    info: str
    """What stands behind the fence, for instance `python`."""
    code: str
    mark: str
    """The comment right above it, without the arrows; empty where there is none."""
    output: str | None
    """What it is to print; None where the page does not say."""

    @property
    def is_executed_python(self) -> bool:
        """Whether it runs in the page's namespace."""
        return self.info == "python" and not self.mark.startswith(("not executed:", "file:"))


def read_blocks(text: str) -> list[Block]:
    """Read the fenced blocks of a page, in order."""
    found = list(BLOCK.finditer(text))
    blocks: list[Block] = []
    for number, each in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        shows = after is not None and after["info"].strip() == "text" and not after["mark"]
        output = after["code"] if after is not None and shows and not text[each.end() : after.start()].strip() else None
        line = text.count("\n", 0, each.start("code")) + 1
        blocks.append(Block(line, each["info"].strip(), each["code"], (each["mark"] or "").strip(), output))
    return blocks


def compare(shown: str, came: str) -> bool:
    """Tell whether what came is what the page shows; a line `...` stands for any lines."""
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown.rstrip() + "\n", flags=re.MULTILINE)]
    return re.fullmatch(r"(?s:.*?)".join(parts), came.rstrip() + "\n") is not None


def run_python(page: Path, block: Block, namespace: dict[str, Any]) -> str:
    """Run a block as if it stood in a file where it stands in the page, so that a traceback names the page's line."""
    code = compile("\n" * (block.line - 1) + block.code, str(page), "exec", dont_inherit=True)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102  # the pages are ours
    return printed.getvalue()


def run_console(block: Block, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Run the commands of a block; yields each with what the page shows and what came, both outputs as one."""
    for entry in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, _, shown = entry.partition("\n")
        words = shlex.split(command)
        assert words[0] == "transitable", f"only commands of transitable may be marked, not {command!r}"
        start = [sys.executable, "-c", "from transitable.cli import main; main()"]
        ran = subprocess.run(
            [*start, *words[1:]],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "120", "NO_COLOR": "1"},
            timeout=60,
            check=False,
        )
        yield command, shown, ran.stdout


def name_page(page: Path) -> str:
    """Name a page by its path in the repository."""
    return str(page.relative_to(ROOT))


@pytest.fixture
def module(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """A module for the names of a page, found by its name, as type hints of classes need it."""
    made = ModuleType(re.sub(r"\W", "_", request.node.name))
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_what_a_page_shows_happens(
    page: Path, module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every block of a page runs in order, and prints or answers what stands there."""
    text = page.read_text(encoding="utf-8")
    elsewhere = ELSEWHERE.search(text)
    if elsewhere is not None:
        assert page.name in (ROOT / elsewhere["test"]).read_text(encoding="utf-8"), (
            f"{elsewhere['test']} runs nothing of it"
        )
        return
    monkeypatch.chdir(tmp_path)
    for block in read_blocks(text):
        where = f"{name_page(page)}:{block.line}"
        if block.mark.startswith("file:"):
            (tmp_path / block.mark.removeprefix("file:").strip()).write_text(block.code, encoding="utf-8")
        elif block.is_executed_python:
            came = run_python(page, block, vars(module))
            assert block.output is None or compare(block.output, came), f"{where} printed:\n{came}"
        elif block.mark == "executed":
            assert block.info == "console", f"{where} is marked as executed and is no console block"
            for command, shown, answer in run_console(block, tmp_path):
                assert compare(shown, answer), f"{where}: `{command}` answered:\n{answer}"


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_marks_are_understood(page: Path) -> None:
    """A comment above a block is a mark that this test knows, what does not run says why, and no block hides by its indent."""
    text = page.read_text(encoding="utf-8")
    assert "```" not in BLOCK.sub("", text), f"{name_page(page)} has a block that is indented or has no end"
    for block in read_blocks(text):
        where = f"{name_page(page)}:{block.line}"
        known = block.mark in ("", "executed") or re.fullmatch(r"(not executed|file): \S.*", block.mark)
        assert known, f"{where}: the mark {block.mark!r} is unknown"


@pytest.mark.parametrize("page", PAGES, ids=name_page)
def test_links_lead_somewhere(page: Path) -> None:
    """A link to a file leads to one that exists, and a link to a section to a heading of that page."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for link in LINK.finditer(text):
        target, _, section = link["target"].partition("#")
        if re.match(r"[a-z]+:", link["target"]):
            continue
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{name_page(page)} links to {link['target']}, which is not there"
        if section:
            assert section in list_sections(there), f"{name_page(page)} links to {link['target']}, a section not there"


def list_sections(page: Path) -> set[str]:
    """List the anchors of a page's headings, as the usual renderers make them."""
    headings = HEADING.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-") for text in headings}


SAMPLE = """
<!-- file: words.txt -->
```text
tea
```

```python
word = open("words.txt").read()
print(word, "and", "milk", sep="\\n")
```

```text
tea
...
milk
```

<!-- not executed: it would fail -->
```python
raise SystemExit
```

```python langgraph
raise SystemExit
```

<!-- executed -->
```console
$ transitable --version
```
"""


def test_blocks_are_told_apart() -> None:
    """The reader finds every block with its mark and its output, and only plain Python blocks run in the page."""
    blocks = read_blocks(SAMPLE)
    assert [block.info for block in blocks] == ["text", "python", "text", "python", "python langgraph", "console"]
    assert [block.is_executed_python for block in blocks] == [False, True, False, False, False, False]
    assert [block.mark for block in blocks] == [
        "file: words.txt",
        "",
        "",
        "not executed: it would fail",
        "",
        "executed",
    ]
    assert blocks[1].output == "tea\n...\nmilk\n"
    assert SAMPLE.splitlines()[blocks[1].line - 1] == 'word = open("words.txt").read()'


@pytest.mark.parametrize(
    ("came", "fits"),
    [("tea\nand\nmilk\n", True), ("tea\nmilk\n", True), ("tea\nmilk\nmore\n", False), ("more\ntea\nmilk\n", False)],
)
def test_outputs_are_compared_line_by_line(came: str, fits: bool) -> None:
    """Dots stand for any lines between, but nothing before or after them is left out."""
    assert compare("tea\n...\nmilk\n", came) is fits


def test_a_page_that_shows_something_else_fails(tmp_path: Path, module: ModuleType) -> None:
    """The runner finds a wrong output: what a block printed is compared with what the page shows."""
    (block,) = [each for each in read_blocks("```python\nprint(2 + 2)\n```\n\n```text\n5\n```\n") if each.output]
    came = run_python(tmp_path / "page.md", block, vars(module))
    assert came == "4\n"
    assert block.output is not None
    assert not compare(block.output, came)


def test_the_pages_are_found() -> None:
    """All kinds of pages take part."""
    names = {name_page(page) for page in PAGES}
    assert {"README.md", "docs/index.md", "docs/tutorial/first-graph.md", "docs/architecture.md"} <= names
