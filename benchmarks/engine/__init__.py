"""How fast the engine is: the same work by it, by a plain loop and by peers, side by side in one run.

`python -m benchmarks.engine` from the top of the repository. What each side does is in `work` (shared by all), `plain`
(the loops that the bars refer to), `ours` and `peers`; `measure` takes times, `bars` holds the limits, `report` and
`picture` write what was measured.
"""
