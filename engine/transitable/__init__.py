"""Transitable: state graphs whose control flow is an explicit transition table."""
