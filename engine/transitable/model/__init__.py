"""What a graph is: state (`state`), rows (`rows`), places (`nodes`), and the compiled, still unchecked `table`."""
