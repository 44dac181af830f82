"""Test whether the labelled rows are a random sample of all rows, and which columns were filled in with the labels.

If they are a random sample, then which cells are filled has nothing to do with which rows have labels, and no
classifier tells the labelled rows from the others. If they are not, no error that is estimated from held-out labels
shows it: those are all labels of labelled rows. A column that was filled in together with the labels says nothing about
rows without one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from scipy import sparse, stats

from sskpca._linalg.array import Array, Indices, Matrix
from sskpca._tables.cells import MISSING, NO_NUMBER, Cells, is_missing, is_number, is_vector, texts
from sskpca._tables.columns import Column
from sskpca._tables.error import listed, quoted, setting
from sskpca._tables.features import ENCODERS

__all__ = ["LEVEL", "Contrast", "Difference", "Screened", "compare_rows", "contrast", "screen_columns"]

# A table of ordinary rows is called different once in a thousand, and never for what hardly matters: an AUC of 0.65 is
# that of one column whose means are half a standard deviation apart.
LEVEL, LEAST_AUC = 1e-3, 0.65
# What one kind of rows has at most a tenth as often as the other kind, it has (almost) never.
RARE = 0.1
# At most so many rows of each kind are compared: enough to see any difference that matters, in about 0.3 s.
MOST_ROWS = 400
# Enough for p-values of half the level.
N_PERMUTATIONS = 1999
# Of the kernel ridge regression that tells the rows apart; the kernel is 1 on its diagonal.
RIDGE = 1.0
# Columns that are ranked at a time.
BLOCK = 1000

# At most one table in a hundred whose cells are missing at random has a column that is called a by-product, or whose
# empty cells are called related to the labels.
BY_PRODUCT_LEVEL = 0.01


@dataclass(frozen=True, slots=True)
class Contrast:
    """How often something is so in labelled rows and in the others, such as that a cell is filled.

    Attributes
    ----------
    with_label, without : tuple of int
        In how many rows it is so, of how many: of the labelled rows, and of the others.
    lowest, highest : float
        Its share in the labelled rows of the class that has it least, and most, often.
    p_value : float
        Of Fisher's exact test; 1 if it is so in all rows or in none.
    """

    with_label: tuple[int, int]
    without: tuple[int, int]
    lowest: float
    highest: float
    p_value: float

    def only_labeled(self, level: float) -> bool:
        """Return whether it is so in labelled rows and (almost) never in others.

        Either all classes have it at least ten times as often as the other rows, or nearly all labelled rows have it
        and nearly no others. If it were enough that labelled rows have it more often on the whole, then a column that
        describes a rare class would be found wherever that class was labelled more than its share.
        """
        labeled, others = _share(self.with_label), _share(self.without)
        in_every_class = others <= RARE * self.lowest
        return self.p_value <= level and (in_every_class or (labeled >= 1 - RARE and others <= RARE))

    def only_others(self, level: float) -> bool:
        """Return whether it is so in other rows and (almost) never in labelled ones, of whatever class."""
        return self.p_value <= level and self.highest <= RARE * _share(self.without)


def contrast(mask: NDArray[np.bool_], codes: Indices) -> Contrast:
    """Compare labelled rows with the others by something that is so in some rows.

    Parameters
    ----------
    mask : ndarray of bool, shape (n_rows,)
    codes : ndarray of shape (n_rows,)
        Classes, from 0; -1 where unlabelled. There are rows of both kinds.

    Examples
    --------
    Filled where labels are, and nowhere else: one of the 20 ways to choose 3 rows of 6.

    >>> codes = np.array([0, 1, 1, -1, -1, -1])
    >>> found = contrast(codes >= 0, codes)
    >>> found.with_label, found.without, round(found.p_value, 3)  # or the other way round: two-sided
    ((3, 3), (0, 3), 0.1)
    """
    labeled = codes >= 0
    sizes = np.bincount(codes[labeled])
    shares = np.bincount(codes[labeled & mask], minlength=len(sizes))[sizes > 0] / sizes[sizes > 0]
    first = (int(np.sum(mask & labeled)), int(labeled.sum()))
    second = (int(np.sum(mask & ~labeled)), int(np.sum(~labeled)))
    counts = [[number, total - number] for number, total in (first, second)]
    p_value = 1.0 if mask.all() or not mask.any() else float(stats.fisher_exact(counts).pvalue)
    return Contrast(first, second, float(shares.min()), float(shares.max()), p_value)


def _share(part: tuple[int, int]) -> float:
    return part[0] / part[1]


@dataclass(frozen=True, slots=True)
class Difference:
    """How well labelled rows are told from the others.

    Attributes
    ----------
    auc : float
        Of held-out decisions: the share of the pairs of a labelled row and another that are told apart; 0.5 by chance.
    p_value : float
        How often the labels of a random sample would be told apart as well; 1 if `auc` is below `LEAST_AUC`.
    feature : int or None
        The one that tells most by itself; None if none has an AUC of `LEAST_AUC`, or the rows do not differ.
    """

    auc: float
    p_value: float
    feature: int | None

    @property
    def significant(self) -> bool:
        """Whether the labelled rows are not like the others."""
        return self.p_value <= LEVEL


def compare_rows(X: Matrix, labeled: NDArray[np.bool_]) -> Difference:
    r"""Test whether a classifier can tell labelled rows from the others.

    Kernel ridge regression of what is labelled, :math:`y`, with a Gaussian kernel of median width, centred. The
    decision on each row by all others is exact,

    .. math:: f_{-i} = \frac{(Hy)_i - H_{ii} y_i}{1 - H_{ii}}, \qquad H = K (K + I)^{-1},

    and linear in :math:`y`, so that as many permutations of :math:`y` as one likes take one matrix product. Their AUCs
    are those of a random sample of labels, exactly: the p-value needs no assumption.

    Parameters
    ----------
    X : ndarray or csr_matrix of shape (n_rows, n_features)
    labeled : ndarray of bool, shape (n_rows,)
        Of both kinds, 400 rows at most are drawn.

    Returns
    -------
    Difference
    """
    rng = np.random.default_rng(0)
    kinds = [np.flatnonzero(labeled == kind) for kind in (True, False)]
    rows = np.concatenate([rng.permutation(kind)[:MOST_ROWS] for kind in kinds])
    rng.shuffle(rows)  # ties are broken by the order
    part, y = X[rows], labeled[rows].astype(float)
    hat = _hat(part)
    auc = float(_aucs(_held_out(hat, y[:, None]), y[:, None])[0])
    if auc < LEAST_AUC:
        return Difference(auc, 1.0, None)
    drawn = rng.permuted(np.tile(y, (N_PERMUTATIONS, 1)), axis=1).T
    as_good = int(np.sum(_aucs(_held_out(hat, drawn), drawn) >= auc))
    p_value = (1 + as_good) / (1 + N_PERMUTATIONS)
    return Difference(auc, p_value, _telling_feature(part, y) if p_value <= LEVEL else None)


def _hat(X: Matrix) -> Array:
    products = X @ X.T
    products = products.toarray() if sparse.issparse(products) else products
    size = np.diag(products)
    distances = np.maximum(size[:, None] + size - 2 * products, 0.0)
    K = np.exp(-distances / (np.median(distances[distances > 0]) if distances.any() else 1.0))
    K -= K.mean(axis=0)
    K -= K.mean(axis=1, keepdims=True)
    return np.asarray(np.linalg.solve(K + RIDGE * np.eye(len(K)), K))


def _held_out(hat: Array, Y: Array) -> Array:
    own = np.diag(hat)[:, None]
    centred = Y - Y.mean(axis=0)
    return np.asarray((hat @ centred - own * centred) / (1 - own))


def _aucs(decisions: Array, Y: Array) -> Array:
    """Return the AUC of each column of decisions."""
    n_labeled = float(Y[:, 0].sum())
    in_order = np.take_along_axis(Y, np.argsort(decisions, axis=0, kind="stable"), axis=0)
    ranks = np.arange(1, len(Y) + 1) @ in_order
    return np.asarray((ranks - n_labeled * (n_labeled + 1) / 2) / (n_labeled * (len(Y) - n_labeled)))


def _telling_feature(X: Matrix, y: Array) -> int | None:
    """Find the feature that by itself tells the labelled rows best, if it does."""
    n_labeled, best, found = y.sum(), LEAST_AUC, None
    for first in range(0, X.shape[1], BLOCK):
        block = X[:, first : first + BLOCK]
        ranks = stats.rankdata(block.toarray() if sparse.issparse(block) else block, axis=0)
        aucs = (y @ ranks - n_labeled * (n_labeled + 1) / 2) / (n_labeled * (len(y) - n_labeled))
        either_way = np.maximum(aucs, 1 - aucs)
        if either_way.max() >= best:
            best, found = float(either_way.max()), first + int(either_way.argmax())
    return found


@dataclass(frozen=True)
class Screened:
    """What is left of the columns of a table.

    Attributes
    ----------
    columns : tuple of Column
        By-products of labelling are ignored.
    hidden : frozenset of str
        Columns whose empty cells tell labelled rows from others, so that emptiness must not be a feature.
    warnings, notes : tuple of str
    """

    columns: tuple[Column, ...]
    hidden: frozenset[str]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]


def screen_columns(table: pa.Table, columns: Sequence[Column], codes: Indices, use: Sequence[str] = ()) -> Screened:
    """Leave out the columns that are by-products of labelling.

    Such a column holds something in labelled rows and (almost) nothing in others, or the other way round. Nothing is an
    empty cell, or a value that fills the place: the one that nearly all unlabelled rows have. A column that is filled
    everywhere is no by-product, even if it decides the label.

    Parameters
    ----------
    table : pyarrow.Table
    columns : sequence of Column
        From `decide_columns`.
    codes : ndarray of shape (n_rows,)
        Classes of the rows, -1 where unlabelled.
    use : sequence of str
        Columns that stay even if they are by-products, with a warning.
    """
    used = [column for column in columns if column.role in ENCODERS]
    # Each column is tested for its empty cells, and for as many values as nearly all unlabelled rows could have.
    n_values = max(1, int(len(codes) / ((1 - RARE) * np.sum(codes < 0))))
    level = BY_PRODUCT_LEVEL / max(1, len(used) * (1 + n_values))
    reasons: dict[str, str] = {}
    related: dict[str, Contrast] = {}
    everywhere = contrast(np.ones(len(codes), dtype=bool), codes)
    for column in used:
        cells = table.column(column.name)
        empty = _empty(cells, column)
        filled = contrast(~empty, codes) if empty.any() else everywhere
        if filled.only_labeled(level) or filled.only_others(level):
            reasons[column.name] = f"filled in {_compared(filled)}"
        elif reason := _placed(cells, empty, codes, level):
            reasons[column.name] = reason
        if filled.p_value <= level:
            related[column.name] = filled
    left_out = {name: reason for name, reason in reasons.items() if name not in use}
    kept = {name: reason for name, reason in reasons.items() if name in use}
    told = {*related} - {*left_out}
    notes = [_hidden(column, related[column.name]) for column in used if column.name in told]
    return Screened(
        tuple(
            replace(
                c,
                role="ignored",
                reason=f"{left_out[c.name]}, so a by-product of labelling ({_use(c.name)} to use it)",
            )
            if c.name in left_out
            else c
            for c in columns
        ),
        frozenset(related) - frozenset(left_out),
        (*_left_out(left_out), *_kept(kept)),
        tuple(notes),
    )


def _empty(cells: Cells, column: Column) -> NDArray[np.bool_]:
    if column.n_missing == 0:
        return np.zeros(len(cells), dtype=bool)
    if is_number(cells.type) or is_vector(cells.type):
        return np.asarray(pc.is_null(cells, nan_is_null=True).to_numpy(zero_copy_only=False), dtype=bool)
    return is_missing(texts(cells), NO_NUMBER if column.role == "number" else MISSING)


def _placed(cells: Cells, empty: NDArray[np.bool_], codes: Indices, level: float) -> str:
    """Describe the value that fills the place in unlabelled rows if labelled rows have others; "" if there is none."""
    if is_vector(cells.type):
        return ""
    others = codes < 0
    if is_number(cells.type) and cells.null_count == 0 and not _is_frequent(_numbers(cells)[others]):
        return ""
    values = cells if is_number(cells.type) else texts(cells)
    counts = pc.value_counts(values.filter(pa.array(others & ~empty)))
    if len(counts) == 0:
        return ""
    numbers = np.asarray(counts.field("counts"))
    if np.sum(others & empty) + numbers.max() < (1 - RARE) * np.sum(others):
        return ""
    value = counts.field("values")[int(numbers.argmax())]
    same = np.asarray(pc.fill_null(pc.equal(values, value), False).to_numpy(zero_copy_only=False), dtype=bool)
    found = contrast(~(empty | same), codes)
    gaps = "empty or " if np.any(others & empty) else ""
    return f'other than {gaps}"{value.as_py()}" in {_compared(found)}' if found.only_labeled(level) else ""


def _numbers(cells: Cells) -> Array:
    """Return numbers as NumPy has them; decimal ones, as databases give, are objects to it."""
    values = cells.to_numpy()
    return np.asarray(values, dtype=float if values.dtype == object else None)


def _is_frequent(values: Array) -> bool:
    """Return whether nearly all numbers are the same one, which is then their median."""
    middle = np.partition(values, len(values) // 2)[len(values) // 2]
    return bool(np.isnan(values).any() or np.sum(values == middle) >= (1 - RARE) * len(values))


def _compared(found: Contrast) -> str:
    (labeled, n_labeled), (others, n_others) = found.with_label, found.without
    return f"{labeled:,} of {n_labeled:,} labelled rows and {others:,} of {n_others:,} others"


def _left_out(reasons: dict[str, str]) -> list[str]:
    if not reasons:
        return []
    first, *more = reasons
    described = listed([f'"{name}" ({reason})' for name, reason in reasons.items()], 4)
    what, it, one = ("columns", "them", "one") if more else ("column", "it", "it")
    return [
        f"{what} left out: {described}. This shows which rows have labels, as by-products of labelling do; what is "
        f"learned from {it} need not hold for the other rows. To use {one} all the same, give {_use(first)}."
    ]


def _kept(reasons: dict[str, str]) -> list[str]:
    return [
        f'"{name}" is {reason}, and used because of {_use(name)}: if it is a by-product of labelling, the expected '
        "error is far too low for the other rows."
        for name, reason in reasons.items()
    ]


def _use(name: str) -> str:
    return setting("use", [name])


def _hidden(column: Column, found: Contrast) -> str:
    end = (
        "an empty text has no words, so this cannot be kept from the model"
        if column.role == "text"
        else "whether a cell is empty is not used"
    )
    return f"{quoted([column.name])} is filled in {_compared(found)}, which is no coincidence: {end}."
