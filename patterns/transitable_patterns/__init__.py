"""Reference patterns on the Transitable engine, each in a package of its own.

`routing` sends a request to exactly one handler; `similarity` and `ranking` are the pure-Python core that patterns share.
Nothing is imported here: take what you need from the package of the pattern.
"""
