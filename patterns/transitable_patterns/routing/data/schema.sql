-- Orders and products of the support workflow, for SQLite. One file holds both.

CREATE TABLE orders (
    order_id    TEXT PRIMARY KEY,
    user_id     TEXT NOT NULL,
    account_id  TEXT,                       -- a household or a company whose members see each other's orders
    status      TEXT NOT NULL CHECK (status IN ('placed', 'packed', 'shipped', 'out_for_delivery', 'delivered', 'cancelled', 'returned')),
    placed_on   TEXT NOT NULL,              -- ISO date
    expected_on TEXT,                       -- ISO date
    carrier     TEXT,
    tracking    TEXT,
    refund      TEXT CHECK (refund IN ('requested', 'approved', 'paid'))
);
CREATE INDEX orders_by_user ON orders (user_id, placed_on DESC);
CREATE INDEX orders_by_account ON orders (account_id, placed_on DESC);

CREATE TABLE order_items (
    order_id TEXT NOT NULL REFERENCES orders (order_id),
    place    INTEGER NOT NULL,              -- line of the invoice, from 1
    name     TEXT NOT NULL,
    PRIMARY KEY (order_id, place)
);

CREATE TABLE products (
    sku      TEXT PRIMARY KEY,
    name_en  TEXT NOT NULL,
    name_ko  TEXT NOT NULL,
    price    TEXT NOT NULL,                 -- with its currency, ready to print
    stock    INTEGER NOT NULL CHECK (stock >= 0),
    facts_en TEXT NOT NULL,
    facts_ko TEXT NOT NULL
);

CREATE TABLE product_words (
    word   TEXT NOT NULL,                   -- folded: case, apostrophes and Hangul spellings made one
    sku    TEXT NOT NULL REFERENCES products (sku),
    weight INTEGER NOT NULL,                -- 3 for the name of the kind of product, 1 for other words
    PRIMARY KEY (word, sku)
);
