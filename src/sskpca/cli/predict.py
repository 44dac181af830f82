"""Labels for the rows of another table."""

import sys
import warnings
from typing import Annotated, Any

import typer

from sskpca.cli.choices import (
    DelimiterOption,
    DryRunOption,
    FillOption,
    ForceOption,
    FormatOption,
    JsonOption,
    LeastOption,
    OutOption,
    OverwriteOption,
    separator,
)
from sskpca.cli.failure import told

__all__ = ["predict", "predict_file"]


@told
def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help='What "sskpca label --save-model" wrote.')],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A table with the same columns; - is stdin.")],
    out: OutOption = None,
    least_confidence: LeastOption = None,
    fill: FillOption = False,
    overwrite: OverwriteOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    json: JsonOption = False,
) -> None:
    """Label new rows with a model.

    OUT is the table with three columns more: sskpca_label (blank where not sure), sskpca_confidence and sskpca_unseen
    (true for a row that is like nothing that the model has seen).
    """
    from sskpca.tables import TableError

    if out is None and not dry_run:
        raise TableError("where to write the table is not said; give -o OUT, or --dry-run to write nothing.")
    predicted, classes, least = predict_file(
        model, new, out, least_confidence, format, delimiter, fill or force, overwrite or force, dry_run
    )
    written = [] if dry_run or out in (None, "-") else [str(out)]
    stream = sys.stderr if out == "-" else sys.stdout
    if json:
        from sskpca.cli.as_json import predicted_content, print_json

        print_json(predicted_content(predicted, classes, fill or force, written), stream)
        return
    from sskpca.cli.printing import print_entries
    from sskpca.cli.wording import predicted_entries, written_entry

    entries = predicted_entries(predicted, classes, least, fill or force)
    if written or dry_run:
        entries.append(written_entry(written, dry_run))
    print_entries(entries, stream)


def predict_file(
    model: str,
    new: str,
    out: str | None,
    least_confidence: float | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    fill: bool = False,
    overwrite: bool = False,
    dry_run: bool = False,
) -> tuple[Any, list[str], float]:
    """Label the rows of a file with a model.

    Returns
    -------
    predicted : Predicted
    classes : list of str
    least_confidence : float
        That of the model, if none is given.
    """
    from sskpca.cli.outputs import check_outputs, table_output, write_all
    from sskpca.tables import FeatureMap, ModelFileError, Options, TableError, load_model, predict_table
    from sskpca.tables.options import LEAST_CONFIDENCE
    from sskpca.tables.reading import read_table_and_lines
    from sskpca.tables.results import without_formulas

    mark = separator(delimiter)
    output = None if out is None else table_output(out, format, mark)
    check_outputs([] if output is None else [output], [model, new], overwrite)
    fitted, kept, _ = load_model(model)
    try:
        features = FeatureMap.from_dict(kept)
        usual = float(kept.get("least_confidence", LEAST_CONFIDENCE))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise ModelFileError(
            f"{model} does not say how a table is read; save the model by sskpca label --save-model."
        ) from None
    least = usual if least_confidence is None else least_confidence
    Options(least_confidence=least)  # refuses what is no share
    table, lines = read_table_and_lines(new, format, mark)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # of numbers that are too large: such rows are not sure
            predicted = predict_table(
                fitted, features, table, least_confidence=least, force=fill, label_column=kept.get("label_column")
            )
    except (TableError, MemoryError):
        raise
    except Exception as error:  # a file can hold any parts that make a model
        raise ModelFileError(f"{model} cannot predict the rows of {new}: {str(error).rstrip('.')}.") from error
    if output is not None and output.format in ("csv", "tsv"):
        predicted = without_formulas(predicted)
    if output is not None and not dry_run:
        write_all(output, predicted.table, [], overwrite, lines)
    return predicted, [str(name) for name in fitted.classes_], least
