"""Labels for the rows of a table that have none."""

import shlex
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sskpca._cli.choices import (
    DecimalOption,
    DelimiterOption,
    DryRunOption,
    EncodingOption,
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
    NextOption,
    NoTextOption,
    OutOption,
    OverwriteOption,
    ProbabilitiesOption,
    QuietOption,
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
    from sskpca._frames import Labelled

__all__ = ["Job", "label", "label_file"]


@report_errors
def label(
    file: FileArgument,
    out: OutOption = None,
    label: LabelOption = None,
    report: Annotated[
        str | None, typer.Option(metavar="HTML", help="File to write a page to that shows what was found.")
    ] = None,
    save_model: Annotated[
        str | None, typer.Option(metavar="MODEL", help='File to write the model to, for "sskpca predict".')
    ] = None,
    unlabeled: UnlabeledOption = None,
    text: TextOption = None,
    no_text: NoTextOption = False,
    use: UseOption = None,
    ignore: IgnoreOption = None,
    method: Annotated[
        str,
        typer.Option(metavar="METHOD", help="auto, or a single method with its default settings: ls, lr, mv or sgt."),
    ] = "auto",
    least_confidence: LeastOption = None,
    fill: FillOption = False,
    probabilities: ProbabilitiesOption = False,
    next: NextOption = 10,
    overwrite: OverwriteOption = False,
    force: ForceOption = False,
    dry_run: DryRunOption = False,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    decimal: DecimalOption = None,
    sheet: SheetOption = None,
    landmarks: LandmarksOption = None,
    memory: MemoryOption = None,
    seed: SeedOption = 0,
    jobs: JobsOption = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Label the rows that have no label.

    OUT is the table with further columns: sskpca_label (blank where unsure), sskpca_source (given or model),
    sskpca_confidence, sskpca_guess and sskpca_second (the two most probable classes, also where the label is blank),
    sskpca_next (1, 2, ...: the rows to label next), sskpca_suspect (a given label that the others contradict) and
    sskpca_label_quality (the probability of a given label by a model that has not seen it). Nothing is overwritten,
    unless --overwrite or --force is given.
    """
    command = shlex.join(["sskpca", *sys.argv[1:]])
    reading = about_file(format, delimiter, encoding, decimal, sheet)
    job = Job(file, out, report, save_model, reading, overwrite or force, dry_run, command)
    found, written = label_file(
        job,
        **about_columns(label, unlabeled, text, use, ignore, no_text),
        **{"method": method, "least_confidence": least_confidence, "fill": fill or force, "n_next": next},
        **{"probabilities": probabilities, "landmarks": landmarks, "memory": memory, "random_state": seed},
        n_jobs=jobs,
        verbose=sys.stderr.isatty() and not quiet,
    )
    _tell(job, found, written, json)


@dataclass(frozen=True)
class Job:
    """What is to be read and written; see the options of the command."""

    file: str
    out: str | None
    report: str | None = None
    model: str | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    overwrite: bool = False
    dry_run: bool = False
    command: str = "sskpca"


def label_file(job: Job, *, verbose: bool = False, **choices: Any) -> "tuple[Labelled, list[str]]":
    """Label a file, and write all that was asked for, or nothing.

    Parameters
    ----------
    job : Job
    verbose : bool, default=False
        Show progress.
    **choices
        Of `sskpca.label`.

    Returns
    -------
    found : Labelled
    written : list of str
        Names of files, the table last.
    form : FileForm
        How the table was read.
    """
    from sskpca._cli.option_words import in_options, with_options
    from sskpca._cli.outputs import Output, check_outputs, table_output, write_all
    from sskpca._frames import label as label_any
    from sskpca._frames.choices import file_options
    from sskpca._frames.progress import showing_progress
    from sskpca._selection.progress import step
    from sskpca._tables import TableError

    if job.out is None and not job.dry_run:
        raise TableError("no output file given; give -o OUT, or --dry-run to write nothing.")
    reading = file_options(**job.reading)
    table_out = None if job.out is None else table_output(job.out, reading.format, reading.delimiter)
    report_out = None if job.report is None else Output(job.report, "--report")
    model_out = None if job.model is None else Output(job.model, "--save-model")
    outputs = [output for output in (report_out, model_out, table_out) if output is not None]
    check_outputs(outputs, [job.file], job.overwrite)

    with showing_progress(verbose):
        found = label_any(job.file, **choices, **job.reading)
        step("writing")
        page = None
        if report_out is not None:
            page = found.page(job.command, with_options(found.labelling), in_options).encode()
        table = found.table
    if job.dry_run or table_out is None:
        return found, []
    others: list[Any] = []
    if report_out is not None and page is not None:
        others.append((report_out, lambda path: path.write_bytes(page)))
    if model_out is not None:
        others.append((model_out, found.put_model))
    write_all(table_out, table, others, job.overwrite, found.origin)
    return found, [output.path for output in outputs if output.path != "-"]


def _tell(job: Job, found: "Labelled", written: list[str], json: bool) -> None:
    stream = sys.stderr if job.out == "-" else sys.stdout
    if json:
        from sskpca._cli.as_json import labelling_content, print_json, read_content

        content = labelling_content(found.labelling, found.fill, written)
        print_json({**content, **read_content(found.given.form)}, stream)
        return
    from sskpca._cli.outputs import written_entry
    from sskpca._cli.printing import print_entries
    from sskpca._frames.wording import labelling_entries, read_entries

    entries = [*read_entries(found.given.form), *labelling_entries(found.labelling, found.fill)]
    if written or job.dry_run:
        entries.append(written_entry(written, job.dry_run))
    print_entries(entries, stream)
