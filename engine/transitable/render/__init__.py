"""How a table looks: Markdown (`text`), Mermaid (`mermaid`), Graphviz (`dot`), all from one `drawing`."""
