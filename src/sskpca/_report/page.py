"""The page: one HTML file that asks nothing of a network."""

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup
from numpy.typing import NDArray

from sskpca._linalg.array import Array
from sskpca._report import words
from sskpca._report.pictures import (
    ClassCount,
    calibration_bins,
    candidate_panels,
    class_counts,
    compared_methods,
    pack_map,
)
from sskpca._report.words import unsure_rows
from sskpca._selection.relevance import Relevance
from sskpca._tables.columns import Column
from sskpca._tables.error import setting
from sskpca._tables.labelling import Labelling
from sskpca.plots._map import neighbor_map
from sskpca.plots._marks import MARKS, SHAPES, mark_of, outline

__all__ = ["render_report"]

MOST_CANDIDATES = 30
MOST_CLASSES = 200
MOST_KEYS = 24
MOST_COLUMNS = 200
MOST_GAINS = 20
MOST_HURTING = 5
MOST_CHARACTERS = 300
"""Of the text of a row."""

SCRIPTS = ("sort.js", "filter.js", "map.js")
METHODS = {"ls": "least squares", "uncentered": "least squares, mean square fixed", "ridge": "ridge", "lr": "logistic"}
ROLES = {
    "label": "the labels",
    "number": "used as a number",
    "category": "used as a category",
    "date": "used as a date",
    "text": "used as text",
    "vector": "used as a vector",
    "ignored": "not used",
}


def render_report(
    labelling: Labelling,
    *,
    command: str,
    versions: dict[str, str],
    row_texts: Sequence[str] | None = None,
    fill: bool = False,
    places: Array | None = None,
    written: Callable[[str], str] = str,
) -> str:
    """Render what came out of labelling a table as one HTML page.

    The page holds its style, script and pictures, asks nothing of a network and may not, and is the same for the same
    input, byte by byte. Everything from the table is escaped.

    Parameters
    ----------
    labelling : Labelling
    command : str
        What was run.
    versions : dict of str
        Names of programs and libraries, and their versions.
    row_texts : sequence of str of length n_rows, optional
        Each row in a line, to show the rows in question; see `describe_rows`.
    fill : bool, default=False
        Whether rows that are not sure were labelled, too.
    places : ndarray of shape (n_rows, 2), optional
        Where the rows lie on the map; `neighbor_map` of the rows by default.
    written : callable, default=str
        Write a choice such as "fill=True" as the reader makes it.

    Returns
    -------
    str
        To be written in UTF-8.
    """
    n_rows = len(labelling.called)
    if row_texts is not None and len(row_texts) != n_rows:
        raise ValueError(f"row_texts has {len(row_texts)} texts for {n_rows} rows; give one for each row, or None.")
    counts = class_counts(labelling)
    panels, n_kernels_left_out = candidate_panels(labelling.candidates)
    style, script = _read("style.css"), "".join(map(_read, SCRIPTS))
    if places is None:
        places = neighbor_map(labelling.matrix)
    is_given = labelling.given >= 0
    unsure = ~is_given & ~labelling.sure
    found = ~is_given if fill else ~is_given & labelling.sure
    gains = _gains(labelling.relevance)
    hurting = [entry for entry in reversed(labelling.relevance) if entry.hurts]
    columns = _columns(labelling.columns)
    marks = [mark_of(k) for k in range(min(MARKS, len(labelling.classes)))]
    shown_counts, other_counts = _largest(counts)
    return (
        _environment()
        .get_template("template.html.jinja")
        .render(
            labelling=labelling,
            command=command,
            versions=versions,
            row_texts=row_texts,
            policy=_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            n_rows=n_rows,
            n_given=int(is_given.sum()),
            n_found=int(found.sum()),
            n_sure=int(np.sum(~is_given & labelling.sure)),
            n_unsure=int(unsure.sum()),
            fill=fill,
            unsure_rows=_unsure(labelling),
            comparison=compared_methods(labelling),
            gains=gains,
            n_gains_left_out=len(labelling.relevance) - len(gains),
            largest_gain=max((abs(entry.gain) for entry in gains), default=0.0) or 1.0,
            hurting=hurting[:MOST_HURTING],
            n_hurting=len(hurting),
            ignore=written(setting("ignore", [entry.column for entry in hurting[:MOST_HURTING]])),
            fill_setting=written(setting("fill", True)),
            # what the probabilities themselves say of the labels that are written
            expected_wrong=round(float(np.sum(1 - labelling.confidence[found]))),
            threshold=f"{words.number(100 * labelling.least_confidence)}{words.SPACE}%",
            first_row=labelling.rows.first,
            numbering=words.numbering(labelling.rows),
            error_known=bool(np.isfinite([labelling.expected_error, *labelling.expected_interval]).all()),
            noisy=labelling.noisy,
            few=words.FEW_LABELS,
            proof=words.proof(labelling.gap),
            counts=shown_counts,
            other_counts=other_counts,
            largest=max((entry.total for entry in counts), default=0) or 1,
            keys=shown_counts[:MOST_KEYS],
            names=[words.clip(words.clean(name)) for name in labelling.classes],
            marks=marks,
            drawn_marks=[{"color": mark.color, "corners": SHAPES[mark.shape].round(3).tolist()} for mark in marks],
            map=pack_map(labelling, places),
            bins=calibration_bins(labelling.reliability),
            panels=panels,
            n_kernels_left_out=n_kernels_left_out,
            candidates=_candidates(labelling.candidates),
            n_candidates=len(labelling.candidates["weight"]),
            forest_weight=labelling.forest_weight,
            n_counting=int(np.sum(labelling.candidates["weight"] > 0)),
            columns=columns[:MOST_COLUMNS],
            n_columns_left_out=max(0, len(columns) - MOST_COLUMNS),
            n_used=sum(column.role not in ("label", "ignored") for column in columns),
            n_ignored=sum(column.role == "ignored" for column in columns),
            n_features=sum(column.n_features for column in columns),
            roles=ROLES,
            most_characters=MOST_CHARACTERS,
        )
    )


def _read(name: str) -> str:
    return files("sskpca._report").joinpath(name).read_text("utf-8")


@cache  # compiling the templates takes longer than filling them
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: words.clean(value) if type(value) is str else value,
    )
    environment.filters.update(
        clip=words.clip,
        count=words.count,
        several=words.several,
        percent=words.percent,
        number=words.number,
        duration=words.duration,
    )
    environment.globals.update(outline=outline, n_marks=MARKS)
    return environment


def _policy(style: str, script: str) -> str:
    """Write the content security policy: this style, this script, and nothing else."""
    style_hash, script_hash = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii") for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _largest(counts: tuple[ClassCount, ...]) -> tuple[list[ClassCount], ClassCount | None]:
    """Keep the largest classes if there are very many, in their order, and add up the others."""
    if len(counts) <= MOST_CLASSES:
        return list(counts), None
    by_size = sorted(counts, key=lambda entry: -entry.total)
    rest = by_size[MOST_CLASSES:]
    given, found, unsure = (sum(getattr(entry, name) for entry in rest) for name in ("given", "found", "unsure"))
    kept = sorted(by_size[:MOST_CLASSES], key=lambda entry: entry.code)
    return kept, ClassCount(len(rest), "", given, found, unsure)


def _unsure(labelling: Labelling) -> list[dict[str, Any]]:
    """List unsure rows with their two most probable classes, the least sure first."""
    rows = unsure_rows(labelling)
    others = labelling.probabilities[rows].copy()
    first = labelling.called[rows]
    others[np.arange(len(rows)), first] = -1.0
    second = others.argmax(axis=1)
    return [
        {
            "row": int(row),
            "name": labelling.classes[a],
            "share": float(labelling.confidence[row]),
            "other": labelling.classes[b],
            "other_share": float(labelling.probabilities[row, b]),
        }
        for row, a, b in zip(rows, first, second, strict=True)
    ]


def _gains(relevance: tuple[Relevance, ...]) -> tuple[Relevance, ...]:
    """Keep the columns that gain most and those that lose most, in their order, if there are very many."""
    if len(relevance) <= MOST_GAINS:
        return relevance
    return (*relevance[: MOST_GAINS - MOST_HURTING], *relevance[-MOST_HURTING:])


def _candidates(table: Mapping[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """List the candidates that count most."""
    order = np.argsort(-table["weight"].astype(float), kind="stable")[:MOST_CANDIDATES]
    return [
        {
            "kernel": str(table["kernel"][i]),
            "method": METHODS.get(str(table["method"][i]), str(table["method"][i])),
            **{name: float(table[name][i]) for name in ("label_weight", "variance", "weight", "loo_loss", "loo_error")},
        }
        for i in order
    ]


def _columns(columns: tuple[Column, ...]) -> list[Column]:
    """Put the labels first, then what is ignored, then what is used: of many columns, the first are shown."""
    rank = {"label": 0, "ignored": 1}
    return sorted(columns, key=lambda column: rank.get(column.role, 2))
