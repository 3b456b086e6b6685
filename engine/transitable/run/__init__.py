"""How a graph runs: the pure kernel, and the two loops around it."""
