"""Routing: a request goes through one table to exactly one of four handlers.

`routing_graph()` builds the graph, ready to run on the shipped rules and sample data; every part can be exchanged. The
modules in reading order: `state`, `ports`, `policy`, `nodes`, `graph`; then what a node leans on: `requests`, `text`,
`decisions`, `validation`, `trace`, `wording`; the rules router's own: `lexicon`, `rulebook`, `reading`, `routers`; and the
shipped ports: `shop`, `guide`, `replies`.
"""

from .decisions import Candidate, Decision
from .errors import (
    ColumnMapError,
    DataFileError,
    ExampleFileError,
    GuideFileError,
    PolicyFileError,
    ReplyFileError,
    RequestError,
    RouterUnavailable,
    RoutingError,
    RuleFileError,
    ScoreError,
    ShopFileError,
)
from .graph import routing_graph
from .guide import FileGuide, read_guide
from .policy import RoutingPolicy, read_policy
from .ports import (
    Catalogue,
    GuideAdvice,
    GuideEntry,
    Identity,
    Order,
    OrderBook,
    Product,
    RouteCase,
    Router,
    RouterQuery,
    SignalReader,
    Signals,
    SupportGuide,
)
from .replies import Replies, read_replies
from .routers import Chain, Routed, RulesRouter, ScriptedRouter, Skip
from .rulebook import RuleBook, parse_rule_book, read_rule_book
from .scores import compare_scores
from .shop import SqliteShop, build_shop, open_sample_shop, open_shop
from .state import Code, Entry, Language, Route, RoutingState, next_turn
from .text import detect_language, normalise_text

__all__ = [
    "Candidate",
    "Catalogue",
    "Chain",
    "Code",
    "ColumnMapError",
    "DataFileError",
    "Decision",
    "Entry",
    "ExampleFileError",
    "FileGuide",
    "GuideAdvice",
    "GuideEntry",
    "GuideFileError",
    "Identity",
    "Language",
    "Order",
    "OrderBook",
    "PolicyFileError",
    "Product",
    "Replies",
    "ReplyFileError",
    "RequestError",
    "Route",
    "RouteCase",
    "Routed",
    "Router",
    "RouterQuery",
    "RouterUnavailable",
    "RoutingError",
    "RoutingPolicy",
    "RoutingState",
    "RuleBook",
    "RuleFileError",
    "RulesRouter",
    "ScoreError",
    "ScriptedRouter",
    "ShopFileError",
    "SignalReader",
    "Signals",
    "Skip",
    "SqliteShop",
    "SupportGuide",
    "build_shop",
    "compare_scores",
    "detect_language",
    "next_turn",
    "normalise_text",
    "open_sample_shop",
    "open_shop",
    "parse_rule_book",
    "read_guide",
    "read_policy",
    "read_replies",
    "read_rule_book",
    "routing_graph",
]
