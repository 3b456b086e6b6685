"""Words and phrases found in a text in one pass, in English and Korean side by side.

A phrase is written as people write it. The marks are few:

* Latin words match whole words; a trailing `*` matches any ending (`deliver*`).
* Korean matches anywhere in a word, as particles and endings are glued on; a space in the phrase may be missing in the text.
* `_` at either end of a Korean phrase asks for the border of a word there.
* `#` stands for a number of four or more digits, `?` for a question mark, `^` for the beginning of a sentence.

Typing mistakes: Latin words of five letters and more that the lexicon does not know are read as a known word one slip away.
What the words mean is not known here; see `rulebook`.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from .text import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TOKEN: Final = re.compile(r"[a-z_\u00e0-\u024f]+|\d+|[\uac00-\ud7a3\u3131-\u318e]+|[?,]|[.!;:](?=\s|$)")
_WORD: Final = re.compile(r"[a-z\u00e0-\u024f]+|\d+|[#?^]|[\uac00-\ud7a3\u3131-\u318e]+")
_STOPS: Final = frozenset("?.!;:")
_MEMO_LIMIT: Final = 50_000
"""Words whose reading is remembered; the memory is emptied when full, so that no sender can grow it without bound."""
_ENDINGS: Final = ("s", "es", "ed", "ing", "er", "ers", "ly")
"""Endings with which a known word is known as well."""
_SHORTEST_CORRECTED: Final = 5
"""Letters below which a slip is not undone: too many short words lie one slip apart."""


Hit = tuple[int, int, int]
"""One phrase found in a sentence: index of its first character, index behind its last one (a closing border included), and
the concepts that it belongs to, one bit each. A plain tuple, as a text has dozens."""


LONGEST_SLIP = 40
"""Letters of the longest word in which a slip is looked for: no word of a rule book is longer, and the search is quadratic."""


class _Node:
    """One state of the automaton: what has been read so far is the longest beginning of a phrase that the text ends in."""

    __slots__ = ("bits", "depth", "ends", "next")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.bits = 0
        """Concepts of the phrase that ends exactly here."""
        self.next: dict[str, _Node] = {}
        """States by the next character; once linked, those of every shorter beginning too, save the root's."""
        self.ends: tuple[tuple[int, int], ...] = ()
        """Length and concepts of every phrase that ends here."""


class Lexicon:
    """Phrases by concept, compiled to one trie.

    Args:
        concepts: Phrases by the name of their concept; the order of the names fixes the bits.
        spelling: One word to the words that it stands for (chat spelling, abbreviations).
        known: Further words that are spelt right and must not be read as a slip of a phrase's word.
    """

    def __init__(
        self,
        concepts: Mapping[str, Iterable[str]],
        *,
        spelling: Mapping[str, str] | None = None,
        known: Iterable[str] = (),
    ) -> None:
        self.bit: dict[str, int] = {name: 1 << place for place, name in enumerate(concepts)}
        """The bit of each concept."""
        self._root = _Node(0)
        self._memo: dict[str, str] = {}
        self._spelling = {fold_text(word): fold_text(meaning) for word, meaning in (spelling or {}).items()}
        words: set[str] = set()
        stems: set[str] = set()
        for name, phrases in concepts.items():
            for phrase in phrases:
                for form in phrase_forms(phrase, self._spelling):
                    self._insert(form, self.bit[name])
                words.update(re.findall(r"[a-z]+", fold_text(phrase)))
                if re.fullmatch(r"[a-z]+\*", fold_text(phrase)):
                    stems.add(fold_text(phrase)[:-1])
        self._known = frozenset(words | {fold_text(word) for word in known} | set(self._spelling))
        self._stems = tuple(sorted(stems))
        _link_nodes(self._root)
        self._slips = _index_slips(word for word in words if len(word) >= _SHORTEST_CORRECTED)

    def _insert(self, form: str, bit: int) -> None:
        node = self._root
        for character in form:
            node = node.next.setdefault(character, _Node(node.depth + 1))
        node.bits |= bit

    def sentences(self, text: str) -> list[str]:
        """Split a text into prepared sentences: `^`, and folded words with single spaces between and around.

        Stops are dropped, save a question mark, which stays as a word of its own at the end of its sentence.
        """
        found: list[str] = []
        words: list[str] = []
        memo = self._memo
        for token in _TOKEN.findall(fold_text(text)):
            if token in _STOPS:
                if words:
                    if token == "?":  # noqa: S105 - a word of a text, no secret
                        words.append("?")
                    found.append(f"^ {' '.join(words)} ")
                    words = []
                continue
            word = memo.get(token)
            words.append(self._read_word(token) if word is None else word)
        if words:
            found.append(f"^ {' '.join(words)} ")
        return found

    def find(self, sentence: str) -> list[Hit]:
        """Find every phrase in a prepared sentence, overlapping ones included, by start and then by length."""
        hits: list[Hit] = []
        root = node = self._root
        first = root.next
        for end, character in enumerate(sentence, start=1):
            node = node.next.get(character) or first.get(character, root)
            if node.ends:
                hits += [(end - length, end, bits) for length, bits in node.ends]
        hits.sort()
        return hits

    def names(self, bits: int) -> tuple[str, ...]:
        """Name the concepts of a bit set, in the order in which they were given."""
        return tuple(name for name, bit in self.bit.items() if bits & bit)

    def _read_word(self, token: str) -> str:
        """Undo chat spelling and slips of one token, and remember the reading."""
        if token[0].isdigit():
            word = "#" if len(token) >= 4 else token
        elif token in self._spelling:
            word = self._spelling[token]
        elif len(token) >= _SHORTEST_CORRECTED - 1 and token.isalpha() and token.isascii() and token not in self._known:
            word = self._undo_slip(token)
        else:
            word = token
        if len(self._memo) >= _MEMO_LIMIT:
            self._memo.clear()
        self._memo[token] = word
        return word

    def _is_ending(self, token: str, ending: str) -> bool:
        """Tell if a word is a known one with this ending, a silent `e` before it left out or not."""
        stem = token.removesuffix(ending)
        return stem != token and (stem in self._known or f"{stem}e" in self._known)

    def _undo_slip(self, token: str) -> str:
        """Read an unknown word as the known word one insertion, deletion, substitution or swap away, if there is exactly one.

        The first letter is taken to be right. A known word with one of the endings `s`, `ed`, `ing` counts as known.
        """
        if (
            len(token) > LONGEST_SLIP
            or token.startswith(self._stems)
            or any(self._is_ending(token, ending) for ending in _ENDINGS)
        ):
            return token
        if token.endswith("z") and f"{token[:-1]}s" in self._known:
            return f"{token[:-1]}s"
        near = {word for form in _slip_forms(token) for word in self._slips.get(form, ()) if _is_one_slip(token, word)}
        longer = {word for word in near if len(word) > len(token)}
        for found in (near, longer):
            if len(found) == 1:
                return found.pop()
        return token


def _link_nodes(root: _Node) -> None:
    """Turn a trie into an automaton that reads every character once.

    The construction of A. V. Aho and M. J. Corasick, "Efficient string matching", CACM 18 (1975), with the failure steps
    worked into the transitions.
    """
    level = [(node, root) for node in root.next.values()]
    while level:
        deeper: list[tuple[_Node, _Node]] = []
        for node, shorter in level:
            own = ((node.depth, node.bits),) if node.bits else ()
            node.ends = (*own, *shorter.ends)
            deeper += [
                (child, shorter.next.get(character) or root.next.get(character, root))
                for character, child in node.next.items()
            ]
            if shorter is not root:
                node.next = {**shorter.next, **node.next}
        level = deeper


def is_phrase(phrase: str) -> bool:
    """Tell if a phrase can be found at all: it has a word, a number or a question mark, and a `*` at its end only."""
    return "*" not in phrase[:-1] and bool(set(_WORD.findall(fold_text(phrase))) - {"^"})


def phrase_forms(phrase: str, spelling: Mapping[str, str]) -> list[str]:
    """Write a phrase in every form in which it stands in a prepared sentence: borders marked by spaces, optional ones both ways.

    Returns:
        No form for what `is_phrase` does not take for a phrase.
    """
    if not is_phrase(phrase):
        return []
    tokens = [token for word in _WORD.findall(fold_text(phrase)) for token in spelling.get(word, word).split()]
    gaps = [
        ("", " ") if _is_hangul(left) and _is_hangul(right) else (" ",) for left, right in itertools.pairwise(tokens)
    ]
    inside = ["".join(itertools.chain(*zip(tokens, (*chosen, ""), strict=True))) for chosen in itertools.product(*gaps)]
    start = "" if _is_open(tokens[0], phrase.startswith("_")) else " "
    end = "" if phrase.endswith("*") or _is_open(tokens[-1], phrase.endswith("_")) else " "
    return [start + form + end for form in inside]


def _is_open(token: str, marked: bool) -> bool:
    """Tell if no border is asked for at this end of a phrase: a Korean word without a mark, and the beginning of a sentence."""
    return token == "^" or (_is_hangul(token) and not marked)  # noqa: S105 - a mark, no secret


def _is_hangul(token: str) -> bool:
    return token[0] >= "\u3131"


def _slip_forms(word: str) -> set[str]:
    """List the word and every form with one letter taken out, the first letter kept."""
    return {word} | {word[:place] + word[place + 1 :] for place in range(1, len(word))}


def _index_slips(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    index: dict[str, set[str]] = {}
    for word in words:
        for form in _slip_forms(word):
            index.setdefault(form, set()).add(word)
    return {form: tuple(sorted(found)) for form, found in index.items()}


def _is_one_slip(left: str, right: str) -> bool:
    """Tell if one insertion, deletion, substitution or swap of neighbours makes one word of the other.

    Their lengths differ by one at most, as they share a form with a letter taken out.
    """
    if len(left) > len(right):
        left, right = right, left
    place = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), len(left))
    if len(left) < len(right):
        return left[place:] == right[place + 1 :]
    swapped = left[:place] + left[place + 1 : place + 2] + left[place : place + 1] + left[place + 2 :]
    return left[place + 1 :] == right[place + 1 :] or swapped == right


def split_words(text: str) -> list[str]:
    """Split a text into folded words and numbers, in order; nothing is corrected."""
    return [token for token in _TOKEN.findall(fold_text(text)) if token[0].isalnum()]
