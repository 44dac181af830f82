"""What was found, for programs; rows are counted from 1, without the header."""

import json
from dataclasses import asdict
from typing import Any, TextIO

import numpy as np

from sskpca._cli.option_words import in_options, with_options
from sskpca._frames.predicted import FramePredicted
from sskpca._report.words import GAP_OF_PROOF
from sskpca._tables.check import Check
from sskpca._tables.file_form import FileForm
from sskpca._tables.labelling import Labelling
from sskpca._tables.row_names import RowNames

__all__ = ["check_content", "labelling_content", "predicted_content", "print_json", "read_content"]


def print_json(content: dict[str, Any], stream: TextIO) -> None:
    """Print in one go; what is not a number is null."""
    stream.write(json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")
    stream.flush()


def check_content(check: Check) -> dict[str, Any]:
    """List what is known of a table."""
    return asdict(with_options(check))


def read_content(form: FileForm | None) -> dict[str, Any]:
    """List how the file is written, as it was found out."""
    return {} if form is None else {"read_as": {"sentence": in_options(form.sentence), **asdict(form)}}


def labelling_content(labelling: Labelling, fill: bool, written: list[str]) -> dict[str, Any]:
    """List what came out of labelling a table."""
    labelling = with_options(labelling)
    free = labelling.given < 0
    found = free & (labelling.sure | fill)
    return {
        "source": labelling.source,
        "n_rows": len(free),
        "label_column": labelling.label_column,
        "given": _by_class(labelling.classes, labelling.given[~free]),
        "found": _by_class(labelling.classes, labelling.called[found]),
        "n_unsure": int(np.sum(free & ~labelling.sure)),
        "n_blank": int(np.sum(free & ~found)),
        "least_confidence": labelling.least_confidence,
        "expected_error": labelling.expected_error,
        "error_interval": list(labelling.expected_interval),
        "loo_error": labelling.loo_error,
        "loo_interval": list(labelling.loo_interval),
        "baselines": [
            {
                "name": b.name,
                "always": b.always or None,
                "error": b.error,
                "interval": b.interval,
                "n_labels": b.n_labels,
            }
            for b in labelling.baselines
        ],
        "relevance": [{**asdict(entry), "helps": entry.helps, "hurts": entry.hurts} for entry in labelling.relevance],
        "gap": labelling.gap,
        "proved": bool(labelling.gap <= GAP_OF_PROOF) and labelling.candidates["method"].tolist() != ["mv"],
        "suspects": [{**asdict(suspect), **_row(suspect.row, labelling.rows)} for suspect in labelling.suspects],
        "next_rows": [_row(row, labelling.rows) for row in labelling.next_rows],
        "id_column": labelling.rows.title or None,
        "columns": [asdict(column) for column in labelling.columns],
        "warnings": list(labelling.warnings),
        "notes": list(labelling.notes),
        "plan": labelling.plan,
        "seconds": labelling.seconds,
        "written": written,
    }


def predicted_content(found: FramePredicted, fill: bool, written: list[str]) -> dict[str, Any]:
    """List what new rows were called."""
    predicted = found.predicted
    filled = predicted.sure | fill
    return {
        "n_rows": len(filled),
        "found": _by_class(found.classes, predicted.called[filled]),
        "n_unsure": int(np.sum(~predicted.sure)),
        "n_blank": int(np.sum(~filled)),
        "unseen_rows": [_row(row, found.given.rows) for row in np.flatnonzero(predicted.unseen).tolist()],
        "notes": list(predicted.notes),
        "written": written,
    }


def _row(row: int, rows: RowNames) -> dict[str, Any]:
    """Name a row for programs and for people: where there is a header, by its row in a spreadsheet, too."""
    return {"row": row + 1, "spreadsheet_row": row + 2 if rows.first == 2 else None, "id": rows.id(row)}


def _by_class(classes: Any, codes: Any) -> dict[str, int]:
    return dict(zip(classes, np.bincount(codes, minlength=len(classes)).tolist(), strict=True))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value
