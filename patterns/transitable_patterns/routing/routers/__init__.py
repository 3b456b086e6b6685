"""Routers: what proposes a route. One protocol, `ports.Router`; here are rules, a script for tests, and a chain."""

from .chain import Chain, Routed, Skip
from .rules import RulesRouter
from .scripted import ScriptedRouter

__all__ = ["Chain", "Routed", "RulesRouter", "ScriptedRouter", "Skip"]
