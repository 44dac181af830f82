"""What would be done with a table."""

import shlex
import sys
from pathlib import Path

from sskpca._cli.choices import (
    DecimalOption,
    DelimiterOption,
    EncodingOption,
    FileArgument,
    FormatOption,
    IgnoreOption,
    JsonOption,
    LabelOption,
    LandmarksOption,
    MemoryOption,
    NoTextOption,
    SheetOption,
    TextOption,
    UnlabeledOption,
    UseOption,
    about_columns,
    about_file,
)
from sskpca._cli.failure import report_errors
from sskpca._cli.own_name import own_name

__all__ = ["check"]


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
        from sskpca._cli.as_json import check_content, print_json, read_content

        print_json({**check_content(found), **read_content(found.form)}, sys.stdout)
        return
    from sskpca._cli.printing import print_entries
    from sskpca._frames.shown import Entry
    from sskpca._frames.wording import check_entries, read_entries

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
