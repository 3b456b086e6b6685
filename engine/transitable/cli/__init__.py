"""The command line: `transitable check`, `draw`, `run`, and whatever other packages add; `main` is the whole of it.

`references` finds the graph that a command names, `group` finds the commands of other packages, and each command has a
module of its own. Click and rich come with the extra `cli`; without them `main` says so.
"""

try:
    from transitable.cli.group import main
except ModuleNotFoundError as error:
    from transitable.cli.missing import is_extra, main  # type: ignore[assignment]  # stands in for the group

    if not is_extra(error):
        raise

__all__ = ["main"]
