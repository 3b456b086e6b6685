"""The support guide: troubleshooting entries with risk marks, from a file that people can write.

An entry fits a text by its words, read in the same way as the words of a rule book. A risk is a list of word groups; a
text shows it where one word of each group stands in it. `data/guide.toml` is the shipped guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from .datafile import Faults, read_toml
from .errors import GuideFileError
from .jsontypes import is_items, is_table
from .lexicon import Lexicon, is_phrase
from .ports import GuideAdvice, GuideEntry
from .state import Language

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SHIPPED: Final = "guide.toml"
"""Name of the shipped guide."""
LOW: Final = "low"
"""The one risk mark whose steps are given without a person."""


@frozen
class _Risk:
    """One risk: it shows where a word of each group stands in the text."""

    mark: str
    groups: tuple[int, ...]


class FileGuide:
    """A checked guide; make one with `read_guide`."""

    def __init__(
        self,
        entries: tuple[GuideEntry, ...],
        subject: Lexicon,
        symptoms: Lexicon,
        risk_words: Lexicon,
        risks: tuple[_Risk, ...],
    ) -> None:
        self.entries = entries
        """The entries, in the order of the file."""
        self._subject = subject
        self._symptoms = symptoms
        self._risk_words = risk_words
        self._risks = risks

    def advise(self, text: str) -> GuideAdvice:
        """Find the entry whose words fit best, and the risks that the text shows.

        An entry fits if one of its symptoms stands in the text; words of its subject add to that, and equal entries go by the
        order of the file.
        """
        symptoms = _count_concepts(self._symptoms, text)
        subject = _count_concepts(self._subject, text)
        risky = sum(self._risk_words.bit[name] for name in _count_concepts(self._risk_words, text))
        fitting = [entry for entry in self.entries if symptoms.get(entry.entry_id)]
        best = max(
            fitting,
            key=lambda entry: (
                subject.get(entry.entry_id, 0) > 0,
                symptoms[entry.entry_id] + subject.get(entry.entry_id, 0),
            ),
            default=None,
        )
        marks = tuple(dict.fromkeys(risk.mark for risk in self._risks if all(group & risky for group in risk.groups)))
        return GuideAdvice(best, marks)


def _count_concepts(lexicon: Lexicon, text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for sentence in lexicon.sentences(text):
        for _start, _end, bits in lexicon.find(sentence):
            for name in lexicon.names(bits):
                counts[name] = counts.get(name, 0) + 1
    return counts


def read_guide(path: Path | None = None) -> FileGuide:
    """Read a guide from a TOML file; `None` reads the shipped one.

    Raises:
        GuideFileError: If the file cannot be read or has faults; all of them at once.
    """
    data, source = read_toml(path, SHIPPED, GuideFileError)
    faults = Faults()
    faults.known_keys(data, ("version", "entries", "risks"), "")
    if data.get("version") != 1:
        faults.add("version", repr(data.get("version")), "1")
    entries: list[GuideEntry] = []
    subject: dict[str, tuple[str, ...]] = {}
    symptoms: dict[str, tuple[str, ...]] = {}
    for where, table in _tables(data, "entries", faults):
        entry = _read_entry(table, where, faults)
        if entry.entry_id in symptoms:
            faults.add(f"{where}.id", repr(entry.entry_id), "an id of its own")
        entries.append(entry)
        subject[entry.entry_id] = _phrases(table, "subject", where, faults, required=False)
        symptoms[entry.entry_id] = _phrases(table, "symptoms", where, faults, required=True)
    groups, risks = _read_risks(data, faults)
    if faults.found:
        raise GuideFileError(source, faults.found)
    words = Lexicon(groups)
    bound = tuple(_Risk(mark, tuple(words.bit[name] for name in names)) for mark, names in risks)
    return FileGuide(tuple(entries), Lexicon(subject), Lexicon(symptoms), words, bound)


def _tables(data: Mapping[str, Any], key: str, faults: Faults) -> list[tuple[str, dict[str, Any]]]:
    items: Any = data.get(key, [])
    if not is_items(items):
        faults.add(key, type(items).__name__, f"[[{key}]] tables")
        return []
    for place, item in enumerate(items):
        if not is_table(item):
            faults.add(f"{key}[{place}]", type(item).__name__, "a table")
    return [(f"{key}[{place}]", item) for place, item in enumerate(items) if is_table(item)]


def _read_entry(table: Mapping[str, Any], where: str, faults: Faults) -> GuideEntry:
    faults.known_keys(table, ("id", "risk", "title", "steps", "subject", "symptoms"), where)
    titles = faults.table(table, "title", f"{where}.title")
    steps = faults.table(table, "steps", f"{where}.steps")
    risk: Any = table.get("risk")
    if risk is not None and not isinstance(risk, str):
        faults.add(f"{where}.risk", repr(risk), f'a word such as "{LOW}", or no key at all')
    return GuideEntry(
        entry_id=faults.text(table, "id", f"{where}.id"),
        title={language: faults.text(titles, language, f"{where}.title.{language}") for language in Language},
        risk=risk if isinstance(risk, str) else None,
        steps={
            language: faults.texts(steps, language, f"{where}.steps.{language}", required=True) for language in Language
        },
    )


def _phrases(table: Mapping[str, Any], key: str, where: str, faults: Faults, *, required: bool) -> tuple[str, ...]:
    words = faults.texts(table, key, f"{where}.{key}", required=required)
    for place, phrase in enumerate(words):
        if not is_phrase(phrase):
            faults.add(f"{where}.{key}[{place}]", repr(phrase), "a phrase with a letter or a number in it")
    return words


def _read_risks(
    data: Mapping[str, Any], faults: Faults
) -> tuple[dict[str, tuple[str, ...]], list[tuple[str, tuple[str, ...]]]]:
    """Read the risks: words by the name of their group, and the mark and groups of each risk."""
    groups: dict[str, tuple[str, ...]] = {}
    risks: list[tuple[str, tuple[str, ...]]] = []
    for where, table in _tables(data, "risks", faults):
        faults.known_keys(table, ("mark", "words", "with"), where)
        names = [f"{where}.words"]
        groups[names[0]] = _phrases(table, "words", where, faults, required=True)
        if "with" in table:
            names.append(f"{where}.with")
            groups[names[1]] = _phrases(table, "with", where, faults, required=True)
        risks.append((faults.text(table, "mark", f"{where}.mark"), tuple(names)))
    return groups, risks
