"""The commands by name."""

from typing import Annotated

import typer

from sskpca._cli.check import check
from sskpca._cli.demo import demo
from sskpca._cli.label import label
from sskpca._cli.open import open_page
from sskpca._cli.predict import predict

__all__ = ["app"]

# Plain help: the library that draws boxes takes longer to load than all the rest.
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


def _version(wanted: bool) -> None:
    if wanted:
        from sskpca import __version__

        typer.echo(f"sskpca {__version__}")
        raise typer.Exit


@app.callback()
def sskpca(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Label a table from a handful of labels.

    Start with "sskpca demo", or with "sskpca check FILE" for a table of your own.

    Exit codes: 0 done, 1 a bug, 2 something is wrong with the input or the command (a sentence says what), 130 stopped.
    """


for command in (check, label, predict, demo):
    app.command()(command)
app.command("open")(open_page)
