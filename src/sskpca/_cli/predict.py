"""Labels for the rows of another table."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sskpca._cli.choices import (
    DecimalOption,
    DelimiterOption,
    DryRunOption,
    EncodingOption,
    FillOption,
    ForceOption,
    FormatOption,
    JsonOption,
    LeastOption,
    OutOption,
    OverwriteOption,
    ProbabilitiesOption,
    SheetOption,
    about_file,
)
from sskpca._cli.failure import report_errors

if TYPE_CHECKING:
    from sskpca._frames.predicted import FramePredicted

if TYPE_CHECKING:
    pass

__all__ = ["predict", "predict_file"]


@report_errors
def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help='File that "sskpca label --save-model" wrote.')],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A table with the same columns; - is stdin.")],
    out: OutOption = None,
    least_confidence: LeastOption = None,
    fill: FillOption = False,
    probabilities: ProbabilitiesOption = False,
    overwrite: OverwriteOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    decimal: DecimalOption = None,
    sheet: SheetOption = None,
    json: JsonOption = False,
) -> None:
    """Label new rows with a model.

    OUT is the table with further columns: sskpca_label (blank where unsure), sskpca_confidence, sskpca_guess and
    sskpca_second (the two most probable classes) and sskpca_unseen (true for a row unlike all that the model has seen).
    """
    from sskpca._tables import TableError

    if out is None and not dry_run:
        raise TableError("no output file given; give -o OUT, or --dry-run to write nothing.")
    choices = {"least_confidence": least_confidence, "fill": fill or force, "probabilities": probabilities}
    reading = about_file(format, delimiter, encoding, decimal, sheet)
    found = predict_file(model, new, out, **choices, reading=reading, overwrite=overwrite or force, dry_run=dry_run)
    written = [] if dry_run or out in (None, "-") else [str(out)]
    stream = sys.stderr if out == "-" else sys.stdout
    if json:
        from sskpca._cli.as_json import predicted_content, print_json

        print_json(predicted_content(found, fill or force, written), stream)
        return
    from sskpca._cli.outputs import written_entry
    from sskpca._cli.printing import print_entries
    from sskpca._frames.wording import predicted_entries

    entries = predicted_entries(found.predicted, found.classes, found.least_confidence, fill or force, found.given.rows)
    if written or dry_run:
        entries.append(written_entry(written, dry_run))
    print_entries(entries, stream)


def predict_file(
    model: str,
    new: str,
    out: str | None,
    *,
    reading: dict[str, Any] | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    **choices: Any,
) -> "FramePredicted":
    """Label the rows of a file with a model, and write them.

    Parameters
    ----------
    model, new, out, format, delimiter, overwrite, dry_run
        See the options of the command.
    **choices
        Of `sskpca.predict`.
    """
    from dataclasses import replace

    from sskpca._cli.outputs import check_outputs, table_output, write_all
    from sskpca._frames.choices import file_options
    from sskpca._frames.predicted import table_model
    from sskpca._tables.results import without_formulas

    form = file_options(**(reading or {}))
    output = None if out is None else table_output(out, form.format, form.delimiter)
    check_outputs([] if output is None else [output], [model, new], overwrite)
    found = table_model(model).predict(new, **choices, **(reading or {}))
    if output is not None and output.format in ("csv", "tsv", "xlsx"):
        found = replace(found, predicted=without_formulas(found.predicted))
    if output is not None and not dry_run:
        write_all(output, found.predicted.table, [], overwrite, found.given.origin())
    return found
