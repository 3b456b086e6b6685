"""Calls in a thread of their own, for sync nodes with a time-out or beside an event loop.

Responsible for: starting the call and telling when it is done. A result that nobody waits for any more is dropped. The
threads are daemons, so a node that never returns does not keep the process alive.
"""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Call:
    """A call under way."""

    __slots__ = ("_done", "error", "value")

    def __init__(self) -> None:
        self._done = threading.Event()
        self.value: Any = None
        """What it returned; only once it is done."""
        self.error: BaseException | None = None
        """What it raised; None when it returned."""

    def wait(self, seconds: float | None) -> bool:
        """Wait for the end, at most so many seconds; False when it is not done by then."""
        return self._done.wait(seconds)

    def finish(self) -> None:
        """Mark it as done."""
        self._done.set()

    def unwrap(self) -> Any:
        """Give the value, or raise what the call raised."""
        if self.error is not None:
            raise self.error
        return self.value


def bind_to_loop(function: Callable[[], object]) -> Callable[[], None]:
    """Make of a function for the running event loop one that may be called from any thread."""
    import asyncio  # only beside an event loop, so that importing the engine stays cheap

    loop, home = asyncio.get_running_loop(), threading.get_ident()

    def call() -> None:
        if threading.get_ident() == home:
            function()
        else:
            loop.call_soon_threadsafe(function)

    return call


def start_call(
    function: Callable[..., Any], arguments: tuple[Any, ...], on_done: Callable[[Call], None] | None = None
) -> Call:
    """Start a call in a daemon thread, with a copy of the caller's context variables.

    Args:
        function: What to call.
        arguments: With what.
        on_done: Called in the thread once it is done; None for nothing.
    """
    call = Call()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            call.value = context.run(function, *arguments)
        except BaseException as error:  # noqa: BLE001  # carried to the caller, who raises it
            call.error = error
        call.finish()
        if on_done is not None:
            on_done(call)

    threading.Thread(target=work, name=f"transitable:{getattr(function, '__name__', 'node')}", daemon=True).start()
    return call
