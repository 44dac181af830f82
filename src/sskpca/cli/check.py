"""What would be done with a table."""

import sys
from dataclasses import replace
from functools import partial

from sskpca.cli.choices import (
    DelimiterOption,
    FileArgument,
    FormatOption,
    IgnoreOption,
    JsonOption,
    LabelOption,
    MemoryOption,
    TextOption,
    UnlabeledOption,
    UseOption,
    budget,
    chosen,
    separator,
)
from sskpca.cli.failure import told

__all__ = ["check"]


@told
def check(
    file: FileArgument,
    label: LabelOption = None,
    unlabeled: UnlabeledOption = None,
    text: TextOption = None,
    use: UseOption = None,
    ignore: IgnoreOption = None,
    format: FormatOption = None,
    delimiter: DelimiterOption = None,
    memory: MemoryOption = None,
    json: JsonOption = False,
) -> None:
    """Say what would be done with a table; change nothing."""
    from sskpca.tables import check_table, read_table
    from sskpca.tables.error import DelimiterError, failures, together
    from sskpca.tables.stream import source_of

    options = chosen(label, unlabeled, text, use, ignore, source_of(file, format).name)
    options = replace(options, memory=budget(memory))
    try:
        found = check_table(read_table(file, format=format, delimiter=separator(delimiter)), options)
    except DelimiterError as error:
        # What else is wrong can be seen with the right one; from a pipe it cannot be read again.
        again = partial(read_table, file, format=format, delimiter=error.mark)
        raise together(error, () if file == "-" else failures(lambda: check_table(again(), options))) from None
    if json:
        from sskpca.cli.as_json import check_content, print_json

        print_json(check_content(found), sys.stdout)
        return
    from sskpca.cli.printing import print_entries
    from sskpca.cli.wording import check_entries

    repeated = {"--unlabeled": unlabeled, "--text": text, "--use": use, "--ignore": ignore}
    given = [(option, value) for option, values in repeated.items() for value in values or ()]
    once = {"--label": label, "--format": format, "--delimiter": delimiter, "--memory": memory}
    given += [(option, value) for option, value in once.items() if value is not None]
    print_entries(check_entries(found, file, [part for pair in given for part in pair]), sys.stdout)
