"""Reply templates: every one in both languages, and no place that nobody fills."""

from __future__ import annotations

from pathlib import Path

import pytest

from transitable_patterns.routing import Language, ReplyFileError, read_replies
from transitable_patterns.routing.datafile import read_shipped
from transitable_patterns.routing.replies import TEMPLATES
from transitable_patterns.routing.shop import ORDER_STATUSES, REFUND_STATUSES
from transitable_patterns.routing.state import Route


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("template", list(TEMPLATES))
def test_every_template_can_be_filled(language: Language, template: str) -> None:
    """Each template fills with its places, in each language, to something that is not blank."""
    text = read_replies().write(template, language, **dict.fromkeys(TEMPLATES[template], "VALUE"))
    assert text.strip()
    assert "{" not in text


@pytest.mark.parametrize("language", list(Language))
def test_the_marker_is_in_every_escalation_and_nowhere_else(language: Language) -> None:
    """RI-14: the templates that hand over have the marker; the others do not."""
    replies = read_replies()
    with_marker = {
        name for name in TEMPLATES
        if replies.marker(language) in replies.write(name, language, **dict.fromkeys(TEMPLATES[name], "x"))
    }  # fmt: skip
    assert with_marker == {
        "escalation_marker", "escalated_support", "escalated_danger", "escalated_person", "escalated_turns", "order_not_found",
    }  # fmt: skip


def test_words_of_the_shop_and_the_routes_have_templates() -> None:
    """Every status, refund and route has its wording."""
    names = {f"status_{each}" for each in ORDER_STATUSES} | {f"refund_{each}" for each in REFUND_STATUSES}
    assert names | {f"option_{route}" for route in Route} <= set(TEMPLATES)


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ('failed = "Something', 'fail = "Something', "en.fail"),
        ('ask_empty = "Your message', 'ask_empty = "{name} Your message', "en.ask_empty"),
        ("Expected on {date}.", "Expected on {date!r}.", "en.order_expected"),
        ("Expected on {date}.", "Expected on {date:>9}.", "en.order_expected"),
        ("Expected on {date}.", "Expected on {date.", "en.order_expected"),
        ("Expected on {date}.", " ", "en.order_expected"),
        ("[ko]", "[fr]", "fr"),
    ],
)
def test_faults(tmp_path: Path, old: str, new: str, where: str) -> None:
    """A missing template, a wrong place and a broken one are named."""
    shipped = read_shipped("replies.toml")
    assert old in shipped
    path = tmp_path / "replies.toml"
    path.write_text(shipped.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ReplyFileError) as caught:
        read_replies(path)
    assert where in [fault.where for fault in caught.value.faults]


def test_all_missing_templates_at_once(tmp_path: Path) -> None:
    """An empty file lacks both languages and everything in them."""
    path = tmp_path / "replies.toml"
    path.write_text("", encoding="utf-8")
    with pytest.raises(ReplyFileError) as caught:
        read_replies(path)
    assert len(caught.value.faults) == 2 * (len(TEMPLATES) + 1)
