"""The commands check, label and predict: parse, call one function, print."""

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
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
from sskpca._cli.start import own_name

if TYPE_CHECKING:
    from sskpca._frames import Labelled
    from sskpca._frames.predicted import FramePredicted

__all__ = ["Job", "check", "label", "label_file", "predict", "predict_file"]


@report_errors
def check(
    file: FileArgument,
    label: LabelOption = None,
    unlabeled: UnlabeledOption = None,
    text: TextOption = None,
    no_text: NoTextOption = False,
    use: UseOption = None,
    ignore: IgnoreOption = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    encoding: EncodingOption = None,
    decimal: DecimalOption = None,
    sheet: SheetOption = None,
    landmarks: LandmarksOption = None,
    memory: MemoryOption = None,
    json: JsonOption = False,
) -> None:
    """Show what would be done with a table: columns, classes, memory and time. Changes nothing."""
    from sskpca._frames import check as check_any

    columns = about_columns(label, unlabeled, text, use, ignore, no_text)
    reading = about_file(format, delimiter, encoding, decimal, sheet)
    found = check_any(file, **columns, landmarks=landmarks, memory=memory, **reading)
    if json:
        from sskpca._cli.outputs import check_content, print_json, read_content

        print_json({**check_content(found), **read_content(found.form)}, sys.stdout)
        return
    from sskpca._cli.outputs import print_entries
    from sskpca._frames.wording import Entry, check_entries, read_entries

    entries = check_entries(found)
    entries[1:1] = read_entries(found.form)
    if file != "-":
        repeated = {"--unlabeled": unlabeled, "--text": text, "--use": use, "--ignore": ignore}
        given = [(option, value) for option, values in repeated.items() for value in values or ()]
        once = {"--label": label, "--format": format, "--delimiter": delimiter, "--encoding": encoding}
        once |= {"--decimal": decimal, "--sheet": sheet, "--memory": memory}
        once["--landmarks"] = None if landmarks is None else str(landmarks)
        given += [(option, value) for option, value in once.items() if value is not None]
        chosen = [*(["--no-text"] if no_text else []), *(part for pair in given for part in pair)]
        entries.append(Entry("to do it", f"{own_name()} {shlex.join(['label', file, *chosen, *names_beside(file)])}"))
    print_entries(entries, sys.stdout)


def names_beside(file: str) -> list[str]:
    """Propose names for what is written.

    Examples
    --------
    >>> names_beside("data/animals.csv.gz")
    ['-o', 'animals.labelled.csv.gz', '--report', 'animals.html', '--save-model', 'animals.sskpca']
    """
    path = Path(file)
    packed = path.suffix if path.suffix == ".gz" else ""
    inner = path.with_suffix("") if packed else path
    table = f"{inner.stem}.labelled{inner.suffix}{packed}"
    return ["-o", table, "--report", f"{inner.stem}.html", "--save-model", f"{inner.stem}.sskpca"]


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
    """
    from sskpca._cli.failure import in_options, with_options
    from sskpca._cli.outputs import Output, check_outputs, table_output, write_all
    from sskpca._frames import label as label_any
    from sskpca._frames.progress import showing_progress
    from sskpca._selection.progress import step
    from sskpca._tables import TableError
    from sskpca._tables.options import file_options

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
        from sskpca._cli.outputs import labelling_content, print_json, read_content

        content = labelling_content(found.labelling, found.fill, written)
        print_json({**content, **read_content(found.given.form)}, stream)
        return
    from sskpca._cli.outputs import print_entries, written_entries
    from sskpca._frames.wording import labelling_entries, read_entries

    form = found.given.form
    entries = [*read_entries(form), *labelling_entries(found.labelling, found.fill)]
    print_entries([*entries, *written_entries(written, job.dry_run, form)], stream)


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
        from sskpca._cli.outputs import predicted_content, print_json

        print_json(predicted_content(found, fill or force, written), stream)
        return
    from sskpca._cli.outputs import print_entries, written_entries
    from sskpca._frames.wording import predicted_entries, read_entries

    given, least = found.given, found.least_confidence
    entries = predicted_entries(found.predicted, found.classes, least, fill or force, given.rows)
    print_entries([*read_entries(given.form), *entries, *written_entries(written, dry_run, given.form)], stream)


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
    model, new, out, overwrite, dry_run
        See the options of the command.
    reading : dict, optional
        How the new table is written, see `about_file`.
    **choices
        Of `sskpca.predict`.
    """
    from dataclasses import replace

    from sskpca._cli.outputs import check_outputs, table_output, write_all
    from sskpca._frames.predicted import table_model
    from sskpca._tables.options import file_options
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
