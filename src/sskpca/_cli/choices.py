"""Arguments and options that several commands have."""

from typing import Annotated, Any

import typer

__all__ = [
    *("DecimalOption", "DelimiterOption", "DryRunOption", "EncodingOption", "FileArgument", "FillOption"),
    *("ForceOption", "FormatOption", "IgnoreOption", "JobsOption", "JsonOption", "LabelOption", "LandmarksOption"),
    *("LeastOption", "MemoryOption", "NextOption", "NoTextOption", "OutOption", "OverwriteOption"),
    *("ProbabilitiesOption", "QuietOption", "SeedOption", "SheetOption", "TextOption", "UnlabeledOption", "UseOption"),
    *("about_columns", "about_file"),
]

FileArgument = Annotated[
    str,
    typer.Argument(metavar="FILE", help="The table: CSV, TSV, Excel (.xlsx), JSON, Parquet or Arrow; - is stdin."),
]
LabelOption = Annotated[
    str | None, typer.Option("--label", metavar="COL", help="Column of the labels (default: guessed).")
]
UnlabeledOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MARK",
        help='Text that means "no label", such as todo; "none": only empty cells do. Repeat for more.',
    ),
]
TextOption = Annotated[
    list[str] | None, typer.Option("--text", metavar="COL", help="Column of text whose words to use. Repeat for more.")
]
NoTextOption = Annotated[
    bool, typer.Option("--no-text", help="Leave out columns of sentences, except those named by --text.")
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
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="csv, tsv, xlsx, json, jsonl, parquet or arrow (default: by the name of the file).",
    ),
]
DelimiterOption = Annotated[
    str | None,
    typer.Option(metavar="MARK", help='Column separator of CSV files, such as ";" or tab (default: detected).'),
]
EncodingOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Encoding of CSV files, such as utf-8 or cp1252 (default: detected).")
]
DecimalOption = Annotated[
    str | None,
    typer.Option(
        metavar="MARK",
        help='Decimal mark of CSV files, "." or ","; the other may then separate thousands (default: detected).',
    ),
]
SheetOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Sheet of an Excel file (default: the first that has a table).")
]
OutOption = Annotated[
    str | None, typer.Option("--out", "-o", metavar="OUT", help="File to write the table to; - is stdout.")
]
LeastOption = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Leave rows blank that are less sure than this, from 0 to 1 (default: 0.75)."),
]
FillOption = Annotated[bool, typer.Option("--fill", help="Label unsure rows, too.")]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Both --fill and --overwrite.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Do everything, but write nothing.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON, for programs; rows are counted from 1, without the header.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Number of threads (default: all processors).")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory to use besides the table, such as 2GB (default: most of what is free)."),
]
LandmarksOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Use a Nyström approximation with N landmarks (default: 500 for more than 10,000 rows, otherwise none).",
    ),
]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Random seed for the choice of landmarks.")]
NextOption = Annotated[
    int, typer.Option("--next", metavar="N", help="Number of rows to propose for labelling, in sskpca_next.")
]
ProbabilitiesOption = Annotated[
    bool, typer.Option("--probabilities", help="Add the probability of every class, in columns sskpca_p_CLASS.")
]


def about_columns(
    label: str | None,
    unlabeled: list[str] | None,
    text: list[str] | None,
    use: list[str] | None,
    ignore: list[str] | None,
    no_text: bool = False,
) -> dict[str, Any]:
    """Collect what was chosen about the columns, as parameters of `sskpca.label` and `sskpca.check`."""
    marks: list[str] | None = list(unlabeled or ())
    if marks and "none" in marks:
        if len(marks) > 1:
            from sskpca._tables.error import TableError

            raise TableError('"none" means that only empty cells are unlabelled; give it alone.', parameter="unlabeled")
        marks = None
    names = {"text": text or (), "use": use or (), "ignore": ignore or ()}
    return {"label": label, "unlabeled": marks, **names, "sentences": not no_text}


def about_file(
    format: str | None, delimiter: str | None, encoding: str | None, decimal: str | None, sheet: str | None
) -> dict[str, Any]:
    """Collect what was chosen about a file, as parameters of `sskpca.label`, `sskpca.check` and `sskpca.predict`."""
    return {"format": format, "delimiter": delimiter, "encoding": encoding, "decimal": decimal, "sheet": sheet}
