"""The texts of handlers: from orders, products, guide entries and open questions to a reply in the user's language.

Which reply is due is decided by the nodes; here it is only worded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .state import SPECIALISTS, Code, Route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .ports import GuideEntry, Order, Product
    from .replies import Replies
    from .state import Language


class Wording:
    """Words replies with one set of templates."""

    def __init__(self, replies: Replies, max_options: int) -> None:
        self._replies = replies
        self._max_options = max_options

    def marker(self, language: Language) -> str:
        """Tell the sentence that says that a person takes over."""
        return self._replies.marker(language)

    def fixed(self, template: str, language: Language) -> str:
        """Write a reply without places."""
        return self._replies.write(template, language)

    def orders(self, orders: Sequence[Order], language: Language) -> str:
        """Describe one order in a line, or several under a heading."""
        lines = [self._order(order, language) for order in orders]
        return "\n".join([self._replies.write("order_list", language), *lines] if len(lines) > 1 else lines)

    def products(self, products: Sequence[Product], language: Language) -> str:
        """Describe products, a line each; asks which one is meant where there is none."""
        if not products:
            return self._replies.write("product_none", language)
        return "\n".join(self._product(product, language) for product in products)

    def steps(self, entry: GuideEntry, language: Language) -> str:
        """Number the steps of a guide entry, under its title."""
        steps = [
            self._replies.write("support_step", language, number=number, step=step)
            for number, step in enumerate(entry.steps[language], start=1)
        ]
        return "\n".join([self._replies.write("support_steps", language, title=entry.title[language]), *steps])

    def question(self, code: Code, options: Sequence[Route], language: Language, *, limit: int) -> str:
        """Ask what the request left open.

        Args:
            code: Why there is something to ask.
            options: Routes that are in question, likeliest first; at most the policy's number is offered.
            language: Of the question.
            limit: Characters that a request may have.
        """
        offered = tuple(route for route in options if route in SPECIALISTS)[: self._max_options]
        everything = SPECIALISTS[: self._max_options]
        write = self._replies.write
        if code in (Code.INPUT_EMPTY, Code.INPUT_TYPE, Code.REQUEST_INVALID):
            return write("ask_empty", language)
        if code is Code.INPUT_TOO_LONG:
            return write("ask_too_long", language, limit=limit)
        if code is Code.UNSUPPORTED:
            return write("ask_unsupported", language, options=self._options(everything, language))
        if code in (Code.ROUTE_DISABLED, Code.POLICY) and offered:
            return write("ask_unavailable", language, option=write(f"option_{offered[0]}", language))
        if code is Code.MULTI_INTENT and len(offered) > 1:
            return write("ask_one_first", language, options=self._options(offered, language))
        if offered:
            choices = offered if len(offered) > 1 else (*offered, Route.CLARIFY)
            return write("ask_which", language, options=self._options(choices[: self._max_options], language))
        if code is Code.ROUTER_CLARIFY:
            return write("ask_reference", language)
        return write("ask_topic", language, options=self._options(everything, language))

    def _options(self, routes: Sequence[Route], language: Language) -> str:
        return " / ".join(self._replies.write(f"option_{route}", language) for route in routes)

    def _order(self, order: Order, language: Language) -> str:
        write = self._replies.write
        parts = [
            write(
                "order_line",
                language,
                order_id=order.order_id,
                status=write(f"status_{order.status}", language),
                items=", ".join(order.items),
                placed_on=order.placed_on,
            )
        ]
        if order.expected_on is not None:
            parts.append(write("order_expected", language, date=order.expected_on))
        if order.carrier is not None and order.tracking is not None:
            parts.append(write("order_tracking", language, carrier=order.carrier, tracking=order.tracking))
        if order.refund is not None:
            parts.append(write("order_refund", language, refund=write(f"refund_{order.refund}", language)))
        return " ".join(parts)

    def _product(self, product: Product, language: Language) -> str:
        write = self._replies.write
        stock = write("in_stock", language, count=product.stock) if product.stock else write("sold_out", language)
        return write(
            "product_line",
            language,
            name=product.name[language],
            price=product.price,
            stock=stock,
            facts=product.facts[language],
        )
