"""The group of all commands: the engine's own, and those that other packages add by the entry-point group below.

Responsible for: listing plug-in commands without importing them, importing one when it is called, and keeping one that
cannot be imported from breaking the rest. Not for: what any command does.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

import click

from transitable.cli.check import check
from transitable.cli.draw import draw
from transitable.cli.run import run

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PLUGINS = "transitable.commands"
"""The entry-point group: name -> `module:command`, a `click.Command`."""


class PluginError(click.ClickException):
    """A command of another package cannot be used; leaves with exit code 2."""

    exit_code = 2

    def __init__(self, name: str, owner: str, reason: str) -> None:
        super().__init__(f"command {name!r} of {owner} cannot be used: {reason}; every other command still works")
        self.name = name
        self.owner = owner
        self.reason = reason


def name_owner(plugin: EntryPoint) -> str:
    """Name who added a command: the distribution where it is known, and what is imported."""
    owner = plugin.dist.name if plugin.dist is not None else "another package"
    return f"{owner} ({plugin.value})"


class CommandGroup(click.Group):
    """A group that also has the commands of other packages; an own command goes before one of the same name."""

    def find_plugins(self) -> dict[str, EntryPoint]:
        """List the plug-in commands by name; of two with one name, that of the first owner in alphabetical order."""
        found = sorted(metadata.entry_points(group=PLUGINS), key=name_owner, reverse=True)
        return {plugin.name: plugin for plugin in found if plugin.name not in self.commands}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all names; nothing is imported for it."""
        return sorted([*super().list_commands(ctx), *self.find_plugins()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Find a command, and import it if it is a plug-in.

        Raises:
            PluginError: If its import fails, or gives no command.
        """
        plugin = None if cmd_name in self.commands else self.find_plugins().get(cmd_name)
        return super().get_command(ctx, cmd_name) if plugin is None else load_plugin(plugin)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands; a plug-in's own help is only seen with `transitable NAME --help`."""
        plugins = self.find_plugins()
        rows = [
            (
                name,
                f"from {name_owner(plugins[name])}" if name in plugins else self.commands[name].get_short_help_str(80),
            )
            for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def load_plugin(plugin: EntryPoint) -> click.Command:
    """Import a command of another package.

    Raises:
        PluginError: If its import fails, or gives no command.
    """
    try:
        command = plugin.load()
    except Exception as error:
        raise PluginError(plugin.name, name_owner(plugin), f"{type(error).__name__}: {error}") from error
    if not isinstance(command, click.Command):
        raise PluginError(plugin.name, name_owner(plugin), f"found {command!r}, expected a click.Command")
    return command


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="transitable")
def main() -> None:
    """State graphs whose control flow is an explicit, proved transition table.

    MODULE:GRAPH names a graph: MODULE is a dotted module or the path of a .py file, GRAPH a (dotted) name in it that is
    a Graph or a function without arguments that makes one. The current folder can be imported from.
    """


for command in (check, draw, run):
    main.add_command(command)
