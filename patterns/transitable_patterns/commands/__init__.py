"""Commands of the patterns, one module each; `transitable` finds them by entry points."""
