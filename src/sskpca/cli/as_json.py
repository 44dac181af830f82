"""What was found, for programs; rows are counted from 1, as in words."""

import json
from dataclasses import asdict
from typing import Any, TextIO

import numpy as np

from sskpca.report.words import GAP_OF_PROOF
from sskpca.tables.job import Check
from sskpca.tables.labelling import Labelling
from sskpca.tables.results import Predicted

__all__ = ["check_content", "labelling_content", "predicted_content", "print_json"]


def print_json(content: dict[str, Any], stream: TextIO) -> None:
    """Print in one go; what is not a number is null."""
    stream.write(json.dumps(_finite(content), indent=2, allow_nan=False) + "\n")
    stream.flush()


def check_content(check: Check) -> dict[str, Any]:
    """List what is known of a table."""
    return asdict(check)


def labelling_content(labelling: Labelling, fill: bool, written: list[str]) -> dict[str, Any]:
    """List what came out of labelling a table."""
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
        "suspects": [{**asdict(suspect), "row": suspect.row + 1} for suspect in labelling.suspects],
        "next_rows": [row + 1 for row in labelling.next_rows],
        "columns": [asdict(column) for column in labelling.columns],
        "warnings": list(labelling.warnings),
        "notes": list(labelling.notes),
        "plan": labelling.plan,
        "seconds": labelling.seconds,
        "written": written,
    }


def predicted_content(predicted: Predicted, classes: list[str], fill: bool, written: list[str]) -> dict[str, Any]:
    """List what new rows were called."""
    filled = predicted.sure | fill
    return {
        "n_rows": len(filled),
        "found": _by_class(classes, predicted.called[filled]),
        "n_unsure": int(np.sum(~predicted.sure)),
        "n_blank": int(np.sum(~filled)),
        "unseen_rows": (np.flatnonzero(predicted.unseen) + 1).tolist(),
        "notes": list(predicted.notes),
        "written": written,
    }


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
