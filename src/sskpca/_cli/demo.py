"""A half-labelled table, labelled: what the commands do, on data whose truth is known."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sskpca._cli.choices import QuietOption
from sskpca._cli.failure import STOPPED, report_errors
from sskpca._cli.open import NoBrowserOption, PortOption, serve_page
from sskpca._cli.start import own_name

if TYPE_CHECKING:
    from sskpca._frames.wording import Entry
    from sskpca._tables import Labelling

__all__ = ["FILES", "demo"]

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
LABELS_PER_CLASS, SEED = 5, 0
FILES = ("digits.csv", "digits.labelled.csv", "digits.html", "digits.sskpca", "new.csv", "new.labelled.csv")
TABLE, LABELLED, REPORT, MODEL, NEW, NEW_LABELLED = FILES
PAGE_TABLE = "digits-to-label.csv"
# New rows: some of the digits with noise, and one that is no digit.
N_NEW, NOISE = 10, 1.5


@report_errors
def demo(
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="Folder to write to.")] = "demo-output",
    page: Annotated[
        bool, typer.Option("--page", help="Open a page in the browser on which to label the digits by hand.")
    ] = False,
    no_browser: NoBrowserOption = False,
    port: PortOption = 0,
    quiet: QuietOption = False,
) -> None:
    """Label 1,797 handwritten digits from 50 labels; with --page, by hand, beginning with 10.

    Takes some ten seconds. Writes the half-labelled table, the labelled one, a report, a model, and new rows with their
    labels into FOLDER, and prints what came out. Of the files in FOLDER, it replaces only those of an earlier demo.
    """
    if page:
        _page(Path(folder), port, not no_browser)
        return
    try:
        _demo(Path(folder), sys.stderr.isatty() and not quiet)
    except KeyboardInterrupt:
        typer.echo(f"sskpca: stopped; what was done so far is in {folder}.", err=True)
        raise typer.Exit(STOPPED) from None


def _page(folder: Path, port: int, browser: bool) -> None:
    """Open the page of the digits, each of which is a picture."""
    from sskpca._tables.options import file_options, options_of

    _make(folder)
    table = folder / PAGE_TABLE
    if not table.exists():  # it may have been labelled already: the journal is beside it
        _write_table(table, labels_per_class=1, names=tuple("0123456789"))
    serve_page(str(table), options_of("label"), file_options(), pixels=(8, 8), port=port, browser=browser)


def _make(folder: Path) -> None:
    """Make a folder if there is none."""
    from sskpca._tables import TableError

    if folder.exists() and not folder.is_dir():
        raise TableError(f"{folder} is a file; name a folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(f"the folder {folder} cannot be made: {error.strerror}; name another.") from None


def _demo(folder: Path, verbose: bool) -> None:
    from sskpca._cli.commands import Job, label_file, predict_file
    from sskpca._cli.outputs import print_entries
    from sskpca._frames import check
    from sskpca._frames.wording import Entry, check_entries, labelling_entries, predicted_entries

    _make(folder)
    old = [name for name in FILES if (folder / name).exists()]
    if old:
        print_entries([Entry("note", f"replacing {', '.join(old)} in {folder}, and nothing else.")], sys.stdout)
    truth = _write_table(folder / TABLE)
    new_truth = _write_new_rows(folder / NEW)
    table, labelled, report, model, new, new_labelled = (str(folder / name) for name in FILES)
    command = own_name()

    _head("1. Look at the table: nothing is changed", f"{command} {shlex.join(['check', table])}")
    print_entries(check_entries(check(table)), sys.stdout)

    line = f"{command} {shlex.join(['label', table, '-o', labelled, '--report', report, '--save-model', model])}"
    _head("2. Label it", line)
    job = Job(table, labelled, report, model, overwrite=True, command=line)
    answer, written = label_file(job, verbose=verbose)
    found = answer.labelling
    print_entries([*labelling_entries(found, False), Entry("written", ", ".join(written))], sys.stdout)
    print_entries(_truth(found, truth, table), sys.stdout)

    _head("3. Label new rows with the model", f"{command} {shlex.join(['predict', model, new, '-o', new_labelled])}")
    new_answer = predict_file(model, new, new_labelled, overwrite=True)
    predicted, classes = new_answer.predicted, new_answer.classes
    entries = predicted_entries(predicted, classes, new_answer.least_confidence, False, new_answer.given.rows)
    print_entries([*entries, Entry("written", new_labelled)], sys.stdout)
    sure = predicted.sure[:N_NEW]
    right = sum(
        classes[code] == name for code, name in zip(predicted.called[:N_NEW][sure], new_truth[sure], strict=True)
    )
    print_entries(
        [
            Entry(
                "truth", f"{right} of {int(sure.sum())} right. They are digits of the table, blurred; the last is none"
            )
        ],
        sys.stdout,
    )

    print(f"\nOpen {report} in a browser to see it all. Then try:")
    stricter = shlex.quote(str(folder / "strict.csv"))
    print(f"  {command} check {shlex.quote(table)} --ignore pixel_0_2")
    print(f"  {command} label {shlex.quote(table)} -o {stricter} --method ls --least-confidence 0.9 --overwrite")
    print(f"  {command} predict {shlex.quote(model)} {shlex.quote(new)} -o - --fill")
    print(f"With a table of your own: {command} check YOUR.csv")


def _head(title: str, line: str) -> None:
    print(f"\n{title}\n$ {line}", flush=True)


def _write_table(path: Path, labels_per_class: int = LABELS_PER_CLASS, names: tuple[str, ...] = NAMES) -> Any:
    """Write the digits with few of their labels; return the true classes of all."""
    import numpy as np
    import pyarrow as pa
    from sklearn.datasets import load_digits

    from sskpca._tables import write_table

    digits = load_digits()
    truth = np.array(names)[digits.target]
    rng = np.random.default_rng(SEED)
    kept = np.concatenate(
        [rng.choice(np.flatnonzero(truth == name), labels_per_class, replace=False) for name in names]
    )
    labels = np.where(np.isin(np.arange(len(truth)), kept), truth, "")
    pixels = {
        name: pa.array(column) for name, column in zip(digits.feature_names, digits.data.T.astype(int), strict=True)
    }
    write_table(pa.table({"label": pa.array(labels.tolist()), **pixels}), path, overwrite=True)
    return truth


def _write_new_rows(path: Path) -> Any:
    """Write some digits with noise, and at last a row that is none; return the true classes of the digits."""
    import numpy as np
    import pyarrow as pa
    from sklearn.datasets import load_digits

    from sskpca._tables import write_table

    digits = load_digits()
    rng = np.random.default_rng(SEED)
    rows = rng.choice(len(digits.data), N_NEW, replace=False)
    noisy = np.clip(np.rint(digits.data[rows] + NOISE * rng.standard_normal((N_NEW, 64))), 0, 16)
    values = np.vstack([noisy, 16 * rng.integers(0, 2, 64)]).astype(int)
    columns = {name: pa.array(column) for name, column in zip(digits.feature_names, values.T, strict=True)}
    write_table(pa.table(columns), path, overwrite=True)
    return np.array(NAMES)[digits.target[rows]]


def _truth(found: "Labelling", truth: Any, table: str) -> "list[Entry]":
    """Compare what was found with the truth, which the method has not seen."""
    import numpy as np
    from sklearn.neighbors import KNeighborsClassifier

    from sskpca._frames.wording import Entry, percent
    from sskpca._tables import read_table

    free = found.given < 0
    wrong = np.asarray(found.classes)[found.called] != truth
    sure = free & found.sure
    cells, pixels = read_table(table), [column.name for column in found.columns if column.role == "number"]
    X = np.array([cells[name].to_pylist() for name in pixels], dtype=float).T
    nearest = KNeighborsClassifier(1).fit(X[~free], truth[~free])
    naive = 1 - nearest.score(X[free], truth[free])
    entries = [
        Entry(
            "truth",
            f"known here, and not used: {int(wrong[sure].sum())} of the {int(sure.sum()):,} labels written are wrong, "
            f"{percent(float(wrong[sure].mean()))}; of all {int(free.sum()):,}, were the unsure ones filled in, "
            f"{percent(float(wrong[free].mean()))} (the class of the nearest labelled row: {percent(naive)})",
        )
    ]
    entries += [Entry("", f'{found.rows(s.row)} is really "{truth[s.row]}": a person decides') for s in found.suspects]
    return entries
