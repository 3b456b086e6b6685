"""How a table looks: text, Mermaid, DOT; from its rows only."""
