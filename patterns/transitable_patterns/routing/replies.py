"""Reply templates in both languages, from a file that people can write.

Every template exists in every language, and names only the places that the code fills; both are checked when the file is
read, so that no reply can fail when it is needed. The texts are in `data/replies.toml`.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any, Final

from .datafile import Faults, read_toml
from .errors import ReplyFileError
from .state import Language

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SHIPPED: Final = "replies.toml"
"""Name of the shipped templates."""

TEMPLATES: Final[Mapping[str, frozenset[str]]] = {
    "escalation_marker": frozenset(),
    "escalated_support": frozenset(),
    "escalated_danger": frozenset(),
    "escalated_person": frozenset(),
    "escalated_turns": frozenset(),
    "order_not_found": frozenset(),
    "order_line": frozenset({"order_id", "status", "items", "placed_on"}),
    "order_expected": frozenset({"date"}),
    "order_tracking": frozenset({"carrier", "tracking"}),
    "order_refund": frozenset({"refund"}),
    "order_list": frozenset(),
    "product_line": frozenset({"name", "price", "stock", "facts"}),
    "product_none": frozenset(),
    "in_stock": frozenset({"count"}),
    "sold_out": frozenset(),
    "support_steps": frozenset({"title"}),
    "support_step": frozenset({"number", "step"}),
    "ask_empty": frozenset(),
    "ask_too_long": frozenset({"limit"}),
    "ask_which": frozenset({"options"}),
    "ask_one_first": frozenset({"options"}),
    "ask_reference": frozenset(),
    "ask_topic": frozenset({"options"}),
    "ask_unsupported": frozenset({"options"}),
    "ask_unavailable": frozenset({"option"}),
    "failed": frozenset(),
    "option_order_status": frozenset(),
    "option_product_info": frozenset(),
    "option_technical_support": frozenset(),
    "option_clarify": frozenset(),
    "status_placed": frozenset(),
    "status_packed": frozenset(),
    "status_shipped": frozenset(),
    "status_out_for_delivery": frozenset(),
    "status_delivered": frozenset(),
    "status_cancelled": frozenset(),
    "status_returned": frozenset(),
    "refund_requested": frozenset(),
    "refund_approved": frozenset(),
    "refund_paid": frozenset(),
}
"""Every template by name, with the places that it may name."""


class Replies:
    """Checked templates; make them with `read_replies`."""

    def __init__(self, texts: Mapping[Language, Mapping[str, str]]) -> None:
        self._texts = texts

    def write(self, template: str, language: Language, **places: object) -> str:
        """Fill a template."""
        return self._texts[language][template].format(**places)

    def marker(self, language: Language) -> str:
        """Tell the sentence that says that a person takes over; it is in every reply that is escalated, and in no other."""
        return self._texts[language]["escalation_marker"]


def read_replies(path: Path | None = None) -> Replies:
    """Read templates from a TOML file with a table for every language; `None` reads the shipped ones.

    Raises:
        ReplyFileError: If the file cannot be read or has faults; all of them at once.
    """
    data, source = read_toml(path, SHIPPED, ReplyFileError)
    faults = Faults()
    faults.known_keys(data, list(Language), "")
    texts = {language: _read_language(data, language, faults) for language in Language}
    if faults.found:
        raise ReplyFileError(source, faults.found)
    return Replies(texts)


def _read_language(data: Mapping[str, Any], language: Language, faults: Faults) -> dict[str, str]:
    table = faults.table(data, language, language)
    faults.known_keys(table, TEMPLATES, language)
    return {name: _read_template(table, name, f"{language}.{name}", faults) for name in TEMPLATES}


def _read_template(table: Mapping[str, Any], name: str, where: str, faults: Faults) -> str:
    text = faults.text(table, name, where)
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as broken:
        faults.add(where, repr(text), f"a template ({broken})")
        return ""
    for _literal, place, form, conversion in parts:
        if place is not None and (place not in TEMPLATES[name] or form or conversion):
            expected = ", ".join(f"{{{each}}}" for each in sorted(TEMPLATES[name])) or "no places"
            faults.add(where, f"the place {{{place}}}", expected)
    return text
