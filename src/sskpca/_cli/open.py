"""A page on which to label a table by hand."""

import os
import re
import sys
import threading
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sskpca._cli.choices import (
    DecimalOption,
    DelimiterOption,
    EncodingOption,
    FormatOption,
    IgnoreOption,
    JobsOption,
    LandmarksOption,
    LeastOption,
    MemoryOption,
    NoTextOption,
    SeedOption,
    SheetOption,
    TextOption,
    UnlabeledOption,
    UseOption,
    about_columns,
    about_file,
)
from sskpca._cli.failure import report_errors

if TYPE_CHECKING:
    from sskpca._tables.options import FileOptions, Options

__all__ = ["NoBrowserOption", "PortOption", "open_page", "serve_page"]

PortOption = Annotated[int, typer.Option(metavar="N", help="Port of the page (default: any that is free).")]
NoBrowserOption = Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")]


@report_errors
def open_page(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The table: CSV, TSV, Excel, JSON, Parquet or Arrow.")],
    label: Annotated[
        str | None,
        typer.Option(
            "--label", metavar="COL", help="Column of the labels (default: guessed; a new one if there is none)."
        ),
    ] = None,
    unlabeled: UnlabeledOption = None,
    text: TextOption = None,
    no_text: NoTextOption = False,
    use: UseOption = None,
    ignore: IgnoreOption = None,
    picture: Annotated[
        str | None,
        typer.Option(
            metavar="COL", help="Column of pictures: file names below the table's folder, or bytes (default: guessed)."
        ),
    ] = None,
    pixels: Annotated[
        str | None,
        typer.Option(metavar="WxH", help="The numbers of a row are the grey values of a picture, such as 28x28."),
    ] = None,
    least_confidence: LeastOption = None,
    port: PortOption = 0,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to serve at; others than this machine's need a --token.")
    ] = "127.0.0.1",
    token: Annotated[
        list[str] | None,
        typer.Option(metavar="TOKEN", help="Secret of the page (default: a new one); give it twice with --host."),
    ] = None,
    no_browser: NoBrowserOption = False,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    decimal: DecimalOption = None,
    sheet: SheetOption = None,
    landmarks: LandmarksOption = None,
    memory: MemoryOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
) -> None:
    """Label a table by hand, on a page in the browser: every label re-labels all rows at once.

    The table may have no labels yet. Each label is saved at once in a journal beside the table, in the folder
    TABLE.sskpca; the table itself is not changed. Stop by Ctrl-C, and open it again to go on. The page is served by
    this machine to itself, and nothing leaves it.
    """
    from sskpca._tables.options import file_options, options_of

    columns = about_columns(label, unlabeled, text, use, ignore, no_text)
    options = options_of(
        **columns,
        least_confidence=least_confidence,
        landmarks=landmarks,
        memory=memory,
        random_state=seed,
        n_jobs=jobs,
    )
    reading = file_options(**about_file(format, delimiter, encoding, decimal, sheet))
    serve_page(
        table,
        options,
        reading,
        picture=picture,
        pixels=_size(pixels),
        host=host,
        port=port,
        tokens=token or (),
        browser=not no_browser,
    )


def serve_page(table: str, options: "Options", reading: "FileOptions", **choices: Any) -> None:
    """Serve the page; see `sskpca._web.start.serve`."""
    try:
        from sskpca._web.start import serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("sskpca"):
            raise
        raise ImportError(f'the page needs {error.name}; pip install "sskpca[web]".') from None
    serve(table, options, reading, **choices)
    if any(thread.name.startswith("sskpca") for thread in threading.enumerate()):
        # A thread in the middle of a fit would make the interpreter abort at its end. All labels are on disk.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _size(pixels: str | None) -> tuple[int, int] | None:
    """Read a width and a height."""
    if pixels is None:
        return None
    found = re.fullmatch(r"(\d{1,5})\s*x\s*(\d{1,5})", pixels.strip().lower())
    if found is None or "0" in found.groups():
        from sskpca._tables.error import TableError

        raise TableError(f'give width and height, such as 28x28, not "{pixels}".', parameter="pixels")
    return int(found[1]), int(found[2])
