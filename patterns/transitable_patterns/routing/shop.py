"""Order book and catalogue in one SQLite file: schema, loader, look-ups, and sample data.

An order leaves the database only together with its owner: the owner is part of the query, so another's order is never even
read. The tables are in `data/schema.sql`; `build_shop` makes a file from JSON Lines.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

from .datafile import Faults, read_shipped
from .errors import FileFault, ShopFileError
from .jsontypes import is_table
from .lexicon import split_words
from .ports import Order, Product

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from .ports import Identity

ORDER_STATUSES: Final = ("placed", "packed", "shipped", "out_for_delivery", "delivered", "cancelled", "returned")
"""States of an order, in the order of its life."""
REFUND_STATUSES: Final = ("requested", "approved", "paid")
"""States of a refund, in order."""
KIND_WEIGHT: Final = 3
"""Weight of a word that names the kind of product; every other word weighs 1."""
_TABLES: Final = ("orders", "order_items", "products", "product_words")
_MOST_WORDS: Final = 200
"""Words of a text that are looked up; a request is at most some thousand characters, and SQLite takes 999 places."""
_ORDER_COLUMNS: Final = "order_id, status, placed_on, expected_on, carrier, tracking, refund"
_OWNED: Final = (
    "((:user_id IS NOT NULL AND user_id = :user_id) OR (:account_id IS NOT NULL AND account_id = :account_id))"
)


class SqliteShop:
    """Orders and products from SQLite; both an `OrderBook` and a `Catalogue`. Safe to use from several threads.

    Make one with `open_shop` or `open_sample_shop`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._close = weakref.finalize(self, connection.close)

    def close(self) -> None:
        """Close the file; the shop cannot be used afterwards. A shop that nobody holds any more closes by itself."""
        with self._lock:
            self._close()

    def find_order(self, order_id: str, owner: Identity) -> Order | None:
        """Find an order of this owner; `None` for another's, for an unknown number and for a stranger alike."""
        query = f"SELECT {_ORDER_COLUMNS} FROM orders WHERE order_id = :order_id AND {_OWNED}"  # noqa: S608 - constants only
        found = self._orders(query, {"order_id": order_id, **_places(owner)})
        return found[0] if found else None

    def list_orders(self, owner: Identity, *, limit: int) -> tuple[Order, ...]:
        """List the orders of this owner, newest first, at most `limit`; none for a stranger."""
        query = f"SELECT {_ORDER_COLUMNS} FROM orders WHERE {_OWNED} ORDER BY placed_on DESC, order_id LIMIT :limit"  # noqa: S608
        return self._orders(query, {"limit": limit, **_places(owner)})

    def search_products(self, text: str, *, limit: int) -> tuple[Product, ...]:
        """Find products by the words of a text: most weight first, those in stock before others.

        A Korean word also stands for its beginnings of two letters and more, as particles are glued on. A product needs a
        word that names its kind, or two others.
        """
        words = sorted({form for word in split_words(text) for form in _word_forms(word)}, key=len, reverse=True)[
            :_MOST_WORDS
        ]
        if not words:
            return ()
        marks = ", ".join("?" * len(words))
        query = (
            "SELECT sku, name_en, name_ko, price, stock, facts_en, facts_ko, SUM(weight) AS total "  # noqa: S608 - marks only
            f"FROM product_words JOIN products USING (sku) WHERE word IN ({marks}) "
            "GROUP BY sku HAVING total >= 2 ORDER BY MAX(weight) DESC, total DESC, stock > 0 DESC, sku LIMIT ?"
        )
        with self._lock:
            rows = self._connection.execute(query, (*words, limit)).fetchall()
        return tuple(
            Product(sku, {"en": name_en, "ko": name_ko}, price, stock, {"en": facts_en, "ko": facts_ko})
            for sku, name_en, name_ko, price, stock, facts_en, facts_ko, _total in rows
        )

    def _orders(self, query: str, places: Mapping[str, Any]) -> tuple[Order, ...]:
        with self._lock:
            rows = self._connection.execute(query, places).fetchall()
            items = {row[0]: self._items(row[0]) for row in rows}
        return tuple(
            Order(order_id, status, items[order_id], placed_on, expected_on, carrier, tracking, refund)
            for order_id, status, placed_on, expected_on, carrier, tracking, refund in rows
        )

    def _items(self, order_id: str) -> tuple[str, ...]:
        rows = self._connection.execute("SELECT name FROM order_items WHERE order_id = ? ORDER BY place", (order_id,))
        return tuple(name for (name,) in rows)


def open_shop(path: Path) -> SqliteShop:
    """Open an existing file, for reading only.

    Raises:
        ShopFileError: If it does not exist, is not SQLite, or lacks a table.
    """
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as problem:
        raise ShopFileError(
            str(path), (FileFault("the file", str(problem), "an SQLite file that can be read"),)
        ) from problem
    missing = [name for name in _TABLES if name not in names]
    if missing:
        connection.close()
        faults = tuple(
            FileFault(f"table {name}", "nothing", "the table of the schema; see build_shop") for name in missing
        )
        raise ShopFileError(str(path), faults)
    return SqliteShop(connection)


def open_sample_shop() -> SqliteShop:
    """Open a shop in memory with the sample data of the package; order 12345 belongs to `user-123`."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(read_shipped("schema.sql"))
    load_orders(connection, read_shipped("sample_orders.jsonl").splitlines(), "sample_orders.jsonl")
    load_products(connection, read_shipped("sample_products.jsonl").splitlines(), "sample_products.jsonl")
    return SqliteShop(connection)


def build_shop(path: Path, orders: Iterable[str], products: Iterable[str]) -> None:
    """Make a new file from JSON Lines of orders and of products, in the shape of the package's samples.

    Nothing is left behind where a line is bad.

    Raises:
        ShopFileError: If the file exists already, or lines are bad; all of them at once for each of the two inputs.
    """
    if path.exists():
        raise ShopFileError(str(path), (FileFault("the file", "a file that exists", "a new name"),))
    try:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(read_shipped("schema.sql"))
            load_orders(connection, orders, "orders")
            load_products(connection, products, "products")
            connection.commit()
    except ShopFileError:
        path.unlink()
        raise


def load_orders(connection: sqlite3.Connection, lines: Iterable[str], source: str) -> None:
    """Load orders, one JSON object a line, in one transaction.

    Raises:
        ShopFileError: If lines are bad; all of them at once, and nothing is loaded.
    """
    faults = Faults()
    columns = (
        "order_id",
        "user_id",
        "account_id",
        "status",
        "placed_on",
        "expected_on",
        "carrier",
        "tracking",
        "refund",
    )
    with connection:
        for where, row in _read_rows(lines, ("order_id", "user_id", "status", "placed_on"), faults):
            items = faults.texts(row, "items", f"{where}.items", required=True)
            try:
                connection.execute(
                    f"INSERT INTO orders ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608 - constants
                    [row.get(column) for column in columns],
                )
                connection.executemany(
                    "INSERT INTO order_items VALUES (?, ?, ?)",
                    [(row["order_id"], place, item) for place, item in enumerate(items, start=1)],
                )
            except sqlite3.Error as problem:
                faults.add(where, str(problem), "a row that the schema allows")
        _raise_faults(faults, source)


def load_products(connection: sqlite3.Connection, lines: Iterable[str], source: str) -> None:
    """Load products, one JSON object a line, in one transaction.

    Raises:
        ShopFileError: If lines are bad; all of them at once, and nothing is loaded.
    """
    faults = Faults()
    texts = ("sku", "name_en", "name_ko", "price", "facts_en", "facts_ko")
    with connection:
        for where, row in _read_rows(lines, texts, faults):
            kind = faults.texts(row, "kind", f"{where}.kind", required=True)
            words = faults.texts(row, "words", f"{where}.words")
            weights = {form: 1 for word in words for form in split_words(word)}
            weights |= {form: KIND_WEIGHT for word in kind for form in split_words(word)}
            try:
                connection.execute(
                    "INSERT INTO products (sku, name_en, name_ko, price, facts_en, facts_ko, stock) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [*(row.get(text) for text in texts), row.get("stock")],
                )
                connection.executemany(
                    "INSERT INTO product_words VALUES (?, ?, ?)",
                    [(word, row["sku"], weight) for word, weight in weights.items()],
                )
            except sqlite3.Error as problem:
                faults.add(where, str(problem), "a row that the schema allows")
        _raise_faults(faults, source)


def _read_rows(lines: Iterable[str], texts: tuple[str, ...], faults: Faults) -> list[tuple[str, dict[str, Any]]]:
    """Read the rows that have all their texts; the others leave faults."""
    good: list[tuple[str, dict[str, Any]]] = []
    for number, line in enumerate(lines, start=1):
        where = f"line {number}"
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError as problem:
            faults.add(where, str(problem), "a JSON object")
            continue
        if not is_table(row):
            faults.add(where, type(row).__name__, "a JSON object")
            continue
        if all([faults.text(row, text, f"{where}.{text}") for text in texts]):  # noqa: C419 - every text is looked at
            good.append((where, row))
    return good


def _raise_faults(faults: Faults, source: str) -> None:
    if faults.found:
        raise ShopFileError(source, faults.found)


def _places(owner: Identity) -> dict[str, str | None]:
    return {"user_id": owner.user_id, "account_id": owner.account_id}


def _word_forms(word: str) -> list[str]:
    """List the forms under which a word is looked up: itself, without a plural `s`, and the beginnings of a Korean word."""
    if word[0] >= "\uac00":
        return [word[:length] for length in range(len(word), 1, -1)]
    return [word, word[:-1]] if word.endswith("s") and len(word) > 3 else [word]
