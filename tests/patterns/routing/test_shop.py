"""Order book and catalogue in SQLite."""

from __future__ import annotations

import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from transitable_patterns.routing import Identity, ShopFileError, SqliteShop, build_shop, open_sample_shop, open_shop
from transitable_patterns.routing.shop import load_orders

ORDER = {"order_id": "1111", "user_id": "u", "status": "placed", "placed_on": "2026-01-01", "items": ["a", "b"]}
PRODUCT = {
    "sku": "p", "name_en": "Lamp", "name_ko": "램프", "price": "1", "stock": 0, "facts_en": "f", "facts_ko": "f",
    "kind": ["lamp", "램프"], "words": ["bright", "밝은"],
}  # fmt: skip


@pytest.fixture(scope="module")
def shop() -> SqliteShop:
    return open_sample_shop()


def lines(*rows: dict[str, Any]) -> list[str]:
    return [json.dumps(row) for row in rows]


def test_the_sample_order(shop: SqliteShop) -> None:
    """The order of the specification's example is there, whole, for its owner."""
    order = shop.find_order("12345", Identity("user-123"))
    assert order is not None
    assert (order.status, order.items, order.carrier) == (
        "shipped",
        ("Kestrel 14 laptop", "USB-C dock 8-in-1"),
        "Northway",
    )


@pytest.mark.parametrize(
    ("owner", "numbers"),
    [
        (Identity("user-123"), ["12345", "12346", "12401"]),
        (Identity(account_id="acct-7"), ["20418", "12345", "12346"]),
        (Identity("user-123", "acct-7"), ["20418", "12345", "12346", "12401"]),
        (Identity("' OR 1=1 --"), []),
        (Identity(), []),
        (Identity("acct-7"), []),
    ],
)
def test_orders_by_owner(shop: SqliteShop, owner: Identity, numbers: list[str]) -> None:
    """RA-29: newest first, of the user or the account, and of nobody else."""
    assert [order.order_id for order in shop.list_orders(owner, limit=9)] == numbers
    assert [order.order_id for order in shop.list_orders(owner, limit=1)] == numbers[:1]


@pytest.mark.parametrize(
    ("text", "sku"),
    [
        ("how many ports does the docking station have", "dock-8"),
        ("tablets with a pen", "tablet-leaf-11"),
        ("가벼운 노트북은 외장 모니터 되나요", "laptop-kestrel-14"),
        ("빔프로젝터 추천", "projector-lumen-2"),
        ("headphones ear pads", "phones-studio-40"),
    ],
)
def test_products_by_words(shop: SqliteShop, text: str, sku: str) -> None:
    """Kinds are found with plural s and Korean particles; most weight first."""
    assert shop.search_products(text, limit=3)[0].sku == sku


@pytest.mark.parametrize("text", ["", "!!", "nothing of that kind", "usb"])
def test_no_product(shop: SqliteShop, text: str) -> None:
    """No word, an unknown word, or one weak word finds nothing."""
    assert shop.search_products(text, limit=3) == ()


def test_many_words_are_no_trouble(shop: SqliteShop) -> None:
    """A text with thousands of words stays within what SQLite takes."""
    assert shop.search_products(" ".join(f"w{n}" for n in range(5000)), limit=1) == ()


def test_from_several_threads(shop: SqliteShop) -> None:
    """One shop serves several threads."""
    found: list[object] = []

    def look() -> None:
        found.extend(shop.find_order("12345", Identity("user-123")) for _ in range(50))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200
    assert None not in found


def test_build_and_open(tmp_path: Path) -> None:
    """A file built from JSON Lines is opened for reading only."""
    path = tmp_path / "shop ä.db"
    build_shop(path, [*lines(ORDER), ""], lines(PRODUCT))
    shop = open_shop(path)
    order = shop.find_order("1111", Identity("u"))
    assert order is not None
    assert order.items == ("a", "b")
    assert shop.search_products("램프가", limit=1)[0].name == {"en": "Lamp", "ko": "램프"}
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        shop._connection.execute("DELETE FROM orders")
    shop.close()
    with pytest.raises(ShopFileError, match="a file that exists"):
        build_shop(path, [], [])


@pytest.mark.parametrize(
    ("order", "where"),
    [
        ("{", "line 1"),
        ("3", "line 1"),
        (json.dumps({**ORDER, "status": "lost"}), "line 1"),
        (json.dumps({**ORDER, "user_id": ""}), "line 1.user_id"),
        (json.dumps({**ORDER, "items": []}), "line 1.items"),
        (json.dumps({**ORDER, "refund": "maybe"}), "line 1"),
    ],
)
def test_bad_orders_leave_nothing(tmp_path: Path, order: str, where: str) -> None:
    """A bad line is named, and no file is left behind."""
    path = tmp_path / "shop.db"
    with pytest.raises(ShopFileError) as caught:
        build_shop(path, [order], [])
    assert [fault.where for fault in caught.value.faults] == [where]
    assert not path.exists()


@pytest.mark.parametrize(
    ("change", "where"), [({"stock": -1}, "line 1"), ({"kind": []}, "line 1.kind"), ({"price": None}, "line 1.price")]
)
def test_bad_products(tmp_path: Path, change: dict[str, Any], where: str) -> None:
    """A product the schema does not allow is named."""
    with pytest.raises(ShopFileError) as caught:
        build_shop(tmp_path / "shop.db", [], lines({**PRODUCT, **change}))
    assert [fault.where for fault in caught.value.faults] == [where]


def test_a_bad_load_into_an_open_file_changes_nothing(tmp_path: Path) -> None:
    """Good lines beside a bad one are not loaded either."""
    build_shop(tmp_path / "shop.db", [], [])
    connection = sqlite3.connect(tmp_path / "shop.db")
    with pytest.raises(ShopFileError):
        load_orders(connection, [*lines(ORDER), "{"], "orders")
    assert connection.execute("SELECT COUNT(*) FROM orders").fetchone() == (0,)
    connection.close()


def test_files_that_are_no_shop(tmp_path: Path) -> None:
    """A missing file, one that is not SQLite, and one without the tables are faults."""
    with pytest.raises(ShopFileError, match="unable to open"):
        open_shop(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("hello, this is not a database at all", encoding="utf-8")
    with pytest.raises(ShopFileError, match="not a database"):
        open_shop(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(ShopFileError) as caught:
        open_shop(tmp_path / "empty.db")
    assert len(caught.value.faults) == 4
