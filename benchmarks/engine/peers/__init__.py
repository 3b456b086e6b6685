"""The peers, one module each: the same work in the form that each peer's own manual shows, and fastest where it shows two.

A module here offers `SYNC` and `ASYNC`, calls by the name of the workload (`chain`, `routing`, `loop`, `fan`); what a
peer does not offer is left out. Each call checks nothing; `check()` runs each once and compares the fields it ends with.
"""
