"""Labels for the rows of a table that have none."""

import shlex
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sskpca.cli.choices import (
    DelimiterOption,
    DryRunOption,
    FileArgument,
    FillOption,
    ForceOption,
    FormatOption,
    IgnoreOption,
    JobsOption,
    JsonOption,
    LabelOption,
    LandmarksOption,
    LeastOption,
    MemoryOption,
    OutOption,
    OverwriteOption,
    QuietOption,
    SeedOption,
    TextOption,
    UnlabeledOption,
    UseOption,
    budget,
    chosen,
    separator,
)
from sskpca.cli.failure import told

if TYPE_CHECKING:
    from sskpca.tables import Labelling, Options

__all__ = ["Job", "label", "label_file"]


@told
def label(
    file: FileArgument,
    out: OutOption = None,
    label: LabelOption = None,
    report: Annotated[
        str | None, typer.Option(metavar="HTML", help="Where to write a page that shows what was found.")
    ] = None,
    save_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help='Where to write the model, for "sskpca predict".')
    ] = None,
    unlabeled: UnlabeledOption = None,
    text: TextOption = None,
    use: UseOption = None,
    ignore: IgnoreOption = None,
    method: Annotated[
        str,
        typer.Option(metavar="METHOD", help="auto; or one method with its default settings: ls, lr, mv or sgt."),
    ] = "auto",
    least_confidence: LeastOption = None,
    fill: FillOption = False,
    overwrite: OverwriteOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    landmarks: LandmarksOption = None,
    memory: MemoryOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Label the rows that have no label.

    OUT is the table with five columns more: sskpca_label, sskpca_source (given or model), sskpca_confidence,
    sskpca_suspect (a given label that looks wrong) and sskpca_label_quality (the probability of a given label by a
    model that has not seen it). Rows that are not sure are left blank, unless --fill or --force is
    given. Nothing is overwritten, unless --overwrite or --force is given.
    """
    from sskpca.tables.stream import source_of

    options = chosen(label, unlabeled, text, use, ignore, source_of(file, format).name)
    options = replace(options, method=method, landmarks=landmarks, seed=seed, memory=budget(memory))
    options = replace(options, n_jobs=jobs, verbose=sys.stderr.isatty() and not quiet)
    if least_confidence is not None:
        options = replace(options, least_confidence=least_confidence)
    command = shlex.join(["sskpca", *sys.argv[1:]])
    job = Job(file, out, report, save_model, format, delimiter, fill or force, overwrite or force, dry_run, command)
    found, written = label_file(job, options)
    _tell(job, found, written, json)


@dataclass(frozen=True)
class Job:
    """What is to be read and written; see the options of the command."""

    file: str
    out: str | None
    report: str | None = None
    model: str | None = None
    format: str | None = None
    delimiter: str | None = None
    fill: bool = False
    overwrite: bool = False
    dry_run: bool = False
    command: str = "sskpca"


def label_file(job: Job, options: "Options") -> "tuple[Labelling, list[str]]":
    """Label a file.

    Returns
    -------
    found : Labelling
    written : list of str
        Names of files, the table last.
    """
    from sskpca.cli.outputs import Output, check_outputs, table_output, write_all
    from sskpca.estimators.routes import MANY_ROWS
    from sskpca.tables import TableError, label_table, with_results
    from sskpca.tables.model_file import put_model
    from sskpca.tables.reading import read_table_and_lines

    mark = separator(job.delimiter)
    if job.out is None and not job.dry_run:
        raise TableError("where to write the table is not said; give -o OUT, or --dry-run to write nothing.")
    table_out = None if job.out is None else table_output(job.out, job.format, mark)
    report_out = None if job.report is None else Output(job.report, "--report")
    model_out = None if job.model is None else Output(job.model, "--save-model")
    outputs = [output for output in (report_out, model_out, table_out) if output is not None]
    check_outputs(outputs, [job.file], job.overwrite)

    table, lines = read_table_and_lines(job.file, job.format, mark)
    found, model, features = label_table(table, options)
    page = None if report_out is None else _page(found, table, job).encode()
    if job.dry_run or table_out is None:
        return found, []
    others: list[Any] = []
    if report_out is not None and page is not None:
        others.append((report_out, lambda path: path.write_bytes(page)))
    if model_out is not None:
        kept = {
            **features.to_dict(),
            "label_column": found.label_column,
            "least_confidence": float(found.least_confidence),
        }
        # Predictions need no coordinates of the rows, and of many rows these would fill the disk.
        few = table.num_rows <= MANY_ROWS
        others.append((model_out, lambda path: put_model(path, model, kept, with_rows=few)))
    write_all(table_out, with_results(table, found, force=job.fill), others, job.overwrite, lines)
    return found, [output.path for output in outputs if output.path != "-"]


def _page(found: "Labelling", table: Any, job: Job) -> str:
    from importlib.metadata import version
    from platform import python_version

    from sskpca.report import render_report

    names = ("sskpca", "numpy", "scipy", "scikit-learn", "pyarrow")
    versions = {"Python": python_version(), **{name: version(name) for name in names}}
    # The rows in question only; no others are shown.
    texts = [""] * table.num_rows
    columns = [column.name for column in found.columns if column.role != "label"]
    for row in (*found.next_rows, *(suspect.row for suspect in found.suspects)):
        cells = [(name, _cell(table.column(name).slice(row, 1))) for name in columns]
        texts[row] = ", ".join(f"{name}: {cell}" for name, cell in cells if cell not in (None, ""))
    return render_report(found, command=job.command, versions=versions, row_texts=texts, fill=job.fill)


def _cell(column: Any) -> Any:
    try:
        return column.to_pylist()[0]
    except (OverflowError, ValueError):  # times that Python does not know
        return "?"


def _tell(job: Job, found: "Labelling", written: list[str], json: bool) -> None:
    stream = sys.stderr if job.out == "-" else sys.stdout
    if json:
        from sskpca.cli.as_json import labelling_content, print_json

        print_json(labelling_content(found, job.fill, written), stream)
        return
    from sskpca.cli.printing import print_entries
    from sskpca.cli.wording import labelling_entries, written_entry

    entries = labelling_entries(found, job.fill)
    if written or job.dry_run:
        entries.append(written_entry(written, job.dry_run))
    print_entries(entries, stream)
