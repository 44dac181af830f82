"""What marks a row without a label."""

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca._linalg.array import Column
from sskpca._transduction.label_values import label_values

__all__ = ["SUSPICIOUS", "Marks"]

# Text that says "missing" or "unlabelled" in numbers: as a class name it is an accident more often than not.
SUSPICIOUS = (
    *("nan", "none", "null", "<na>", "na", "n/a", "-1", "?", "-"),
    *("unknown", "missing", "unlabeled", "unlabelled", "not labeled", "not labelled"),
    *("todo", "to do", "to-do", "tbd", "tba", "pending"),
)


@dataclass(frozen=True)
class Marks:
    """What says "unlabelled" in a column of labels, besides missing values.

    Attributes
    ----------
    values : tuple
        Text and numbers.
    automatic : bool
        They are not the user's.
    only_null : bool
        There are none: even blank text is a class, and so is text that looks like a mark.
    """

    values: tuple[object, ...] = ()
    automatic: bool = False
    only_null: bool = False

    @classmethod
    def of(cls, unlabeled: Any) -> "Marks":
        """Read the parameter `unlabeled` of the estimators."""
        if unlabeled is None:
            return cls(only_null=True)
        if isinstance(unlabeled, str) and unlabeled == "auto":
            return cls((-1,), automatic=True)
        listed = list(unlabeled) if isinstance(unlabeled, set | frozenset) else unlabeled
        try:
            if isinstance(listed, str) or np.ndim(listed) == 0:
                listed = [listed.item() if isinstance(listed, np.ndarray) else listed]
            marks = [value.item() if isinstance(value, np.generic) else value for value in label_values(listed)]
            if "auto" in [mark for mark in marks if isinstance(mark, str)]:
                raise ValueError
        except ValueError:
            raise ValueError(
                f'unlabeled must be "auto", None, or a mark or list of marks, text or numbers, got {unlabeled!r}.'
            ) from None
        return cls(tuple(mark for mark in marks if mark is not None))

    def missing(self, values: Column, classes: Iterable[object] = ()) -> NDArray[np.bool_]:
        """Say which labels are none: null or blank, or one of the marks that is not one of the `classes`."""
        found = np.array([v is None or (isinstance(v, str) and self._is_blank(v)) for v in values], dtype=bool)
        known = np.fromiter(classes, dtype=object)
        for mark in self.values:
            if not _equal(known, mark).any():
                found |= _equal(values, mark)
        return found

    def doubtful(self, names: Iterable[object]) -> list[object]:
        """List names of classes that are most likely marks: by what they say, or but for type, capitals and blanks."""
        if self.only_null:
            return []
        near = {_spelt(mark) for mark in self.values}
        return [
            name
            for name in names
            if (isinstance(name, str) and name.strip().lower() in SUSPICIOUS)
            or (_spelt(name) in near and name not in self.values)
        ]

    def check(self, names: Iterable[object], values: Column) -> None:
        """Refuse names of classes that are most likely marks; `values` are those that they come from."""
        doubtful = self.doubtful(names)
        if not doubtful:
            return
        used = [mark for mark in self.values if _equal(values, mark).any()]
        # Without marks these, and blank text, would be classes.
        lost = used or any(isinstance(v, str) and self._is_blank(v) for v in values)
        but = "" if self.automatic or not self.values else f" but is not unlabeled={_shown(self.values)}"
        raise ValueError(
            f"y has a class called {doubtful[0]!r}, which looks like a mark for unlabelled rows{but}; pass "
            f"unlabeled={_shown([*used, *doubtful])} if it is, or "
            f"{'write None for unlabelled rows and pass ' if lost else ''}unlabeled=None if it is a class."
        )

    def _is_blank(self, text: str) -> bool:
        return not self.only_null and not text.strip()


def _shown(marks: Iterable[object]) -> str:
    listed = list(marks)
    return repr(listed[0] if len(listed) == 1 else listed)


def _spelt(value: object) -> float | str:
    """Write -1, "-1" and " -1.0" in one way, and "Unknown " and "unknown"."""
    text = str(value).strip().lower()
    try:
        return float(text)
    except ValueError:
        return text


def _equal(values: Column, mark: object) -> NDArray[np.bool_]:
    """Compare without letting numbers equal text, or True equal 1."""
    numeric = isinstance(mark, Number) and not isinstance(mark, bool | np.bool_)
    return np.array(
        [
            (isinstance(v, Number) and not isinstance(v, bool | np.bool_) and v == mark)
            if numeric
            else (type(v) is type(mark) or (isinstance(v, str) and isinstance(mark, str))) and v == mark
            for v in values
        ],
        dtype=bool,
    )
