"""What a person takes along: the table with results, the model, the report, and layouts of other tools."""

import copy
import io
import json
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sskpca._frames.labelled import Labelled
from sskpca._frames.predicted import TableModel
from sskpca._selection import SSKPCAClassifier
from sskpca._tables.columns import is_own
from sskpca._tables.job import labelling_of
from sskpca._tables.stream import FORMATS, format_of
from sskpca._tables.writing import put_table
from sskpca._transduction.answer import Transduction
from sskpca._transduction.labels import Labels
from sskpca._web.desk import Desk
from sskpca._web.table import OpenTable
from sskpca._web.worker import Found

__all__ = ["Export", "Exports"]

MEDIA_TYPES = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "jsonl": "application/jsonl",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
}
TITLES = {"csv": "CSV", "tsv": "TSV", "jsonl": "JSON lines", "json": "JSON", "xlsx": "Excel", "arrow": "Arrow"}
TABLE = "table"


@dataclass(frozen=True, slots=True)
class Export:
    """A file to be downloaded.

    Attributes
    ----------
    name : str
    kind : str
        Its media type.
    content : bytes
    """

    name: str
    kind: str
    content: bytes

    @property
    def quoted_name(self) -> str:
        """The name as it stands in a header."""
        return quote(self.name, safe="")


class Exports:
    """What can be exported from a desk.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self._desk, self._lock = desk, threading.Lock()
        self._made: tuple[Found, Labelled] | None = None

    def list(self) -> list[dict[str, str]]:
        """List what can be exported, the table in its own format first."""
        own = _own_format(self._desk.table)
        others = [format for format in FORMATS if format != own]
        listed = [(TABLE, f"Table with results ({_title(own)})")]
        listed += [(f"{TABLE}-{format}", f"Table with results ({_title(format)})") for format in others]
        listed += [
            ("model", "Model, for sskpca predict"),
            ("report", "Report (HTML)"),
            ("label-studio", "Label Studio (JSON)"),
            ("hugging-face", "Hugging Face data set (ZIP)"),
        ]
        return [{"id": name, "label": label} for name, label in listed]

    def make(self, name: str) -> Export | None:
        """Make a file of the complete answer for the newest labels; None if there is no export of this name.

        Raises
        ------
        NotYetError
            There is no complete answer yet.
        TableError
            The table cannot be written in this format.
        """
        write = WRITERS.get(name)
        return None if write is None else write(self._labelled(), self._desk.table)

    def _labelled(self) -> Labelled:
        """Return the labelled table, which is made once for each answer."""
        found, desk = self._desk.complete(), self._desk
        with self._lock:
            if self._made is None or self._made[0].answer is not found.answer:
                model, answer = desk.model, found.answer
                assert model is not None  # it is complete
                assert isinstance(answer, Transduction)
                self._made = found, desk.worker.ask(lambda: labelled_of(desk.table, model, answer)).result()
            return self._made[1]


def labelled_of(table: OpenTable, model: SSKPCAClassifier, answer: Transduction) -> Labelled:
    """Return what `sskpca.label` returns, for the labels that an answer was found for.

    In the table, the column of labels has those that were given on the page, too.
    """
    start = time.perf_counter()
    fitted = copy.copy(model)
    fitted.answer_ = answer
    target = replace(table.ready.target, labels=answer.labels)
    ready = replace(table.ready, target=target)
    found = labelling_of(ready, table.options, fitted, start)
    given = table.given
    cells = _label_cells(table, answer.labels)
    if cells is not None:
        own = given.table.column_names.index(table.label_column)
        changed = given.table.set_column(own, table.label_column, cells)
        file = given.file
        if file is not None:
            kept = {name: column for name, column in file.originals.items() if name != table.label_column}
            file = replace(file, table=changed, originals=kept, lines=None)
        given = replace(given, table=changed, file=file)
    return Labelled(
        found, given, TableModel(fitted, ready.features, table.label_column, table.options.least_confidence)
    )


def _label_cells(table: OpenTable, labels: Labels) -> pa.ChunkedArray | None:
    """Write the labels into the cells of their column where they are others than in the table; None if none is."""
    own = table.ready.target.labels
    before, after = own.names(), labels.names()
    changed = np.flatnonzero(before != after)
    if len(changed) == 0:
        return None
    column = table.table.column(table.label_column)
    cells = pc.cast(column, pa.string()).to_pylist()
    for row in changed.tolist():
        cells[row] = None if after[row] is None else str(after[row])
    text = pa.chunked_array([pa.array(cells, pa.string())])
    try:
        return pc.cast(text, column.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # a new class is no number
        return text


def _table_in(format: str | None) -> Callable[[Labelled, OpenTable], Export]:
    def made(found: Labelled, opened: OpenTable) -> Export:
        wanted = format or _own_format(opened)
        file = io.BytesIO()
        put_table(found.arrow, file, wanted, False, None, found.origin)
        return Export(f"{_stem(opened)}.labelled{FORMATS[wanted][0]}", MEDIA_TYPES[wanted], file.getvalue())

    return made


def _model(found: Labelled, opened: OpenTable) -> Export:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        found.put_model(path)
        return Export(f"{_stem(opened)}.sskpca", "application/octet-stream", path.read_bytes())


def _report(found: Labelled, opened: OpenTable) -> Export:
    page = found.page(f"sskpca open {opened.path.name}")
    return Export(f"{_stem(opened)}.html", "text/html", page.encode())


def _label_studio(found: Labelled, opened: OpenTable) -> Export:
    """Write tasks with annotations for labels and predictions for all other rows, as Label Studio imports them."""
    from importlib.metadata import version

    labelling, table = found.labelling, _typed(found)
    shown = [name for name in table.column_names if not is_own(name) and name != labelling.label_column]
    model_version = f"sskpca {version('sskpca')}"
    tasks = []
    for row, cells in enumerate(table.select(shown).to_pylist()):
        name = labelling.classes[labelling.called[row]]
        result = [
            {
                "id": f"row-{row}",
                "type": "choices",
                "from_name": "label",
                "to_name": "row",
                "value": {"choices": [name]},
            }
        ]
        task: dict[str, object] = {"id": row + 1, "data": {**_plain(cells), "row": opened.row_name(row)}}
        if labelling.given[row] >= 0:
            task["annotations"] = [{"result": result, "was_cancelled": False, "ground_truth": False}]
        else:
            score = round(float(labelling.confidence[row]), 6)
            task["predictions"] = [{"model_version": model_version, "score": score, "result": result}]
        tasks.append(task)
    content = json.dumps(tasks, ensure_ascii=False, allow_nan=False).encode()
    return Export(f"{_stem(opened)}.label-studio.json", "application/json", content)


def _hugging_face(found: Labelled, opened: OpenTable) -> Export:
    """Write a folder that the library datasets loads: Parquet with class numbers, -1 where there is no label."""
    labelling, table = found.labelling, _typed(found)
    column, names = labelling.label_column, list(labelling.classes)
    kept = table.select([name for name in table.column_names if not is_own(name) and name != column])
    added = {
        column: pa.array(labelling.given, pa.int64()),
        "sskpca_label": pa.array(np.where((labelling.given >= 0) | labelling.sure, labelling.called, -1), pa.int64()),
        "sskpca_confidence": pa.array(np.round(labelling.confidence, 6)),
    }
    for name, values in added.items():
        kept = kept.append_column(name, values)
    described = {name: {"names": names, "_type": "ClassLabel"} for name in (column, "sskpca_label")}
    features = {name: described.get(name, _feature(kept.schema.field(name).type)) for name in kept.column_names}
    if all(feature is not None for feature in features.values()):
        kept = kept.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    from pyarrow import parquet

    data, packed = io.BytesIO(), io.BytesIO()
    parquet.write_table(kept, data)
    page = (
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/train.parquet\n---\n\n"
        f"# {opened.path.name}\n\n"
        f"`{column}`: labels given by people, -1 where there is none. `sskpca_label`: those, and labels found by "
        "sskpca where it is sure; -1 elsewhere. `sskpca_confidence`: their probability.\n\n"
        + "Classes by number: "
        + ", ".join(f"{code} {name}" for code, name in enumerate(names))
        + ".\n"
    )
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        folder.writestr("README.md", page)
        folder.writestr("data/train.parquet", data.getvalue())
    return Export(f"{_stem(opened)}.hugging-face.zip", "application/zip", packed.getvalue())


def _typed(found: Labelled) -> pa.Table:
    """Return the table with numbers where columns hold nothing else: those of a CSV are text."""
    table, roles = found.given.table, {column.name: column.role for column in found.labelling.columns}
    for i, name in enumerate(table.column_names):
        if roles.get(name) != "number" or not pa.types.is_string(table.column(i).type):
            continue
        for kind in (pa.int64(), pa.float64()):
            with suppress(pa.ArrowInvalid):
                table = table.set_column(i, name, pc.cast(pc.utf8_trim_whitespace(table.column(i)), kind))
                break
    return table


def _feature(kind: pa.DataType) -> dict[str, str] | None:
    """Describe an Arrow type as the library datasets does; None if it does not matter here."""
    simple = {
        "double": "float64",
        "float": "float32",
        "string": "string",
        "large_string": "large_string",
        "bool": "bool",
    }
    name = str(kind)
    if name in simple or pa.types.is_integer(kind):
        return {"dtype": simple.get(name, name), "_type": "Value"}
    return None


def _plain(cells: dict[str, object]) -> dict[str, object]:
    return {name: _json_value(value) for name, value in cells.items()}


def _json_value(value: object) -> object:
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, date | datetime | timedelta | Decimal):
        return str(value)
    if isinstance(value, bytes):
        return None
    if isinstance(value, dict):
        return _plain(value)
    return [_json_value(part) for part in value] if isinstance(value, list) else value


def _own_format(table: OpenTable) -> str:
    form = table.given.form
    return format_of(table.path, None)[0] if form is None else form.format


def _title(format: str) -> str:
    return TITLES.get(format, format.capitalize())


def _stem(table: OpenTable) -> str:
    return table.path.name.removesuffix(".gz").rpartition(".")[0] or table.path.name


WRITERS: dict[str, Callable[[Labelled, OpenTable], Export]] = {
    TABLE: _table_in(None),
    **{f"{TABLE}-{format}": _table_in(format) for format in FORMATS},
    "model": _model,
    "report": _report,
    "label-studio": _label_studio,
    "hugging-face": _hugging_face,
}
