"""The support guide."""

from __future__ import annotations

from pathlib import Path

import pytest

from transitable_patterns.routing import FileGuide, GuideFileError, read_guide, read_rule_book
from transitable_patterns.routing.guide import FileGuide as SameGuide

GOOD = """
version = 1
[[entries]]
id = "a"
risk = "low"
title = { en = "A", ko = "가" }
symptoms = ["broken", "고장"]
subject = ["phone"]
[entries.steps]
en = ["one"]
ko = ["하나"]
[[entries]]
id = "b"
title = { en = "B", ko = "나" }
symptoms = ["broken", "cracked"]
[entries.steps]
en = ["two"]
ko = ["둘"]
[[risks]]
mark = "danger"
words = ["smoke"]
[[risks]]
mark = "permission"
words = ["boss"]
with = ["password"]
"""


@pytest.fixture
def guide(tmp_path: Path) -> FileGuide:
    path = tmp_path / "guide.toml"
    path.write_text(GOOD, encoding="utf-8")
    return read_guide(path)


@pytest.mark.parametrize(
    ("text", "entry", "risks"),
    [
        ("my phone is broken", "a", ()),
        ("it is cracked", "b", ()),
        ("broken and cracked", "b", ()),
        ("broken", "a", ()),
        ("폰이 고장", "a", ()),
        ("my phone", None, ()),
        ("smoke", None, ("danger",)),
        ("my boss. his password", None, ("permission",)),
        ("my boss", None, ()),
        ("smoke of my boss, password, smoke", None, ("danger", "permission")),
    ],
)
def test_advice(guide: FileGuide, text: str, entry: str | None, risks: tuple[str, ...]) -> None:
    """An entry needs a symptom; its subject and more symptoms add; a risk needs a word of each of its groups."""
    advice = guide.advise(text)
    assert (advice.entry.entry_id if advice.entry else None, advice.risks) == (entry, risks)


def test_an_entry_without_a_mark_is_not_low(guide: FileGuide) -> None:
    """RA-39: nobody has judged it."""
    assert [entry.risk for entry in guide.entries] == ["low", None]


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("version = 1", "version = 2", "version"),
        ("version = 1", "version = 1\nentry = 3", "entry"),
        ('id = "b"', 'id = "a"', "entries[1].id"),
        ('id = "b"', "", "entries[1].id"),
        ('risk = "low"', "risk = 1", "entries[0].risk"),
        ('risk = "low"', 'risks = "low"', "entries[0].risks"),
        ('ko = "나"', 'ko = ""', "entries[1].title.ko"),
        ('ko = ["둘"]', "", "entries[1].steps.ko"),
        ('symptoms = ["broken", "cracked"]', "", "entries[1].symptoms"),
        ('symptoms = ["broken", "cracked"]', 'symptoms = ["--"]', "entries[1].symptoms[0]"),
        ('mark = "danger"', "", "risks[0].mark"),
        ('words = ["smoke"]', "words = []", "risks[0].words"),
        ('with = ["password"]', "with = 3", "risks[1].with"),
    ],
)
def test_faults(tmp_path: Path, old: str, new: str, where: str) -> None:
    """Every fault of a guide names its place."""
    assert old in GOOD
    path = tmp_path / "guide.toml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(GuideFileError) as caught:
        read_guide(path)
    assert [fault.where for fault in caught.value.faults] == [where]


def test_entries_and_risks_are_tables(tmp_path: Path) -> None:
    """What is not a list of tables is a fault each."""
    path = tmp_path / "guide.toml"
    path.write_text("version = 1\nentries = [3]\nrisks = 3", encoding="utf-8")
    with pytest.raises(GuideFileError) as caught:
        read_guide(path)
    assert [fault.where for fault in caught.value.faults] == ["entries[0]", "risks"]


@pytest.mark.parametrize(("mark", "concept"), [("danger", "danger"), ("account", "account_access")])
def test_the_shipped_guide_knows_the_risks_of_the_shipped_rules(mark: str, concept: str) -> None:
    """A text that the rules take for a danger never gets steps from the guide: each phrase is a risk there as well."""
    guide = read_guide()
    assert isinstance(guide, SameGuide)
    missing = [
        phrase
        for phrase in read_rule_book().concepts[concept]
        if mark not in guide.advise(phrase.replace("_", " ").replace("*", "").replace("#", "12345")).risks
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("My device will not connect to Wi-Fi.", "wifi_connect"),
        ("My printer prints stripes", "print_quality"),
        ("노트북 화면이 자꾸 깜빡거려요.", "picture"),
        ("세탁기 문이 안 열려요", "appliance_door"),
        ("the app crashes", "app_crash"),
    ],
)
def test_shipped_entries(text: str, entry: str) -> None:
    """Common complaints find their entry."""
    found = read_guide().advise(text).entry
    assert found is not None
    assert found.entry_id == entry
