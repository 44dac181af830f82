"""Arguments and options that several commands have."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sskpca.tables.options import Options

__all__ = [
    *("DelimiterOption", "DryRunOption", "FileArgument", "FillOption", "ForceOption", "FormatOption"),
    *("IgnoreOption", "JobsOption", "JsonOption", "LabelOption", "LandmarksOption", "LeastOption"),
    *("MemoryOption", "OutOption", "OverwriteOption", "QuietOption", "SeedOption", "TextOption", "UnlabeledOption"),
    *("UseOption", "budget", "chosen", "separator"),
]

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="The table: CSV, TSV, JSON lines, Parquet or Arrow; - is stdin.")
]
LabelOption = Annotated[str | None, typer.Option("--label", metavar="COL", help="Column of the labels.")]
UnlabeledOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MARK",
        help='What means "no label" besides empty cells, such as todo; none: nothing else does. Repeat for more.',
    ),
]
TextOption = Annotated[
    list[str] | None, typer.Option("--text", metavar="COL", help="Column whose words count. Repeat for more.")
]
UseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--use",
        metavar="COL",
        help="Column to use although it looks like an id, or a by-product of labelling. Repeat for more.",
    ),
]
IgnoreOption = Annotated[
    list[str] | None, typer.Option("--ignore", metavar="COL", help="Column to leave out. Repeat for more.")
]
FormatOption = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="csv, tsv, jsonl, parquet or arrow, if the name does not tell."),
]
DelimiterOption = Annotated[
    str | None, typer.Option(metavar="MARK", help='Between the columns of a CSV if no comma, such as ";" or tab.')
]
OutOption = Annotated[
    str | None, typer.Option("--out", "-o", metavar="OUT", help="Where to write the table; - is stdout.")
]
LeastOption = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Rows less sure than this are left blank: 0 to 1; otherwise 0.75."),
]
FillOption = Annotated[bool, typer.Option("--fill", help="Fill in rows that are not sure, too.")]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace files that are there.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Both: --fill and --overwrite.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Do everything, but write nothing.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs; rows are counted from 1.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
JobsOption = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Kernels at a time, in threads; -1: all.")]


MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory to use beside the table, such as 2GB; otherwise most of what there is."),
]
LandmarksOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="See the rows from N of them (Nyström), an approximation; otherwise only if there are more than 10,000.",
    ),
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Of the draw of the landmarks; nothing else is random.")]


def separator(mark: str | None) -> str | None:
    """Read the mark between columns."""
    found = {"tab": "\t", "\\t": "\t"}.get(mark or "", mark)
    if found is not None and (len(found) != 1 or found in '"\r\n'):
        from sskpca.tables.error import TableError

        raise TableError('--delimiter: give one character, such as ";", or tab.')
    return found


def budget(memory: str | None) -> int | None:
    """Read how much memory may be used."""
    from sskpca.rows.memory import bytes_of
    from sskpca.tables.error import TableError

    if memory is None:
        return None
    try:
        return bytes_of(memory)
    except ValueError:
        raise TableError(f'--memory: give a size such as 2GB or 500MB, not "{memory}".') from None


def chosen(
    label: str | None,
    unlabeled: list[str] | None,
    text: list[str] | None,
    use: list[str] | None,
    ignore: list[str] | None,
    source: str,
) -> "Options":
    """Collect what was chosen about the columns."""
    from sskpca.tables.error import TableError
    from sskpca.tables.options import Options

    marks: tuple[str, ...] | None = tuple(unlabeled or ())
    if marks and "none" in marks:
        if len(marks) > 1:
            raise TableError('--unlabeled: "none" means that only empty cells are unlabelled; give it alone.')
        marks = None
    return Options(label, marks, tuple(text or ()), tuple(use or ()), tuple(ignore or ()), source=source)
