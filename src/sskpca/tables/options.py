"""What the owner of a table may choose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sskpca.tables.error import TableError

__all__ = ["LEAST_CONFIDENCE", "METHODS", "Options"]

METHODS = ("auto", "ls", "lr", "mv", "sgt")
# A wrong label in a file has to be found before it can be corrected; a blank one is seen, and filled in by hand. Say it
# costs four times as much: then below three in four it is cheaper to leave the cell empty. Probabilities are calibrated
# on held-out labels, so that this is what they mean; of two classes it is half-way between a coin and certainty.
LEAST_CONFIDENCE = 0.75


@dataclass(frozen=True)
class Options:
    """Choices for labelling a table; none has to be made.

    Attributes
    ----------
    label : str, optional
        The column of labels; guessed by default.
    unlabeled : tuple of str or None
        Further marks of unlabelled rows; None (`--unlabeled none`): only empty cells are.
    text, use, ignore : tuple of str
        Columns whose words count; that count although they look like ids or by-products of labelling; that do
        not count.
    method : {"auto", "ls", "lr", "mv", "sgt"}
        "auto" is `SSKPCAClassifier`; the others are `LSKPCA`, `LRKPCA`, `MVKPCA` and `SpectralGraphTransducer` with
        their default kernels and weights.
    least_confidence : float
        Rows whose class is less probable are not sure.
    kernels : "auto" or sequence of kernels
        Of `SSKPCAClassifier`.
    rank : int
        Leading components of each kernel.
    landmarks : int, optional
        See the rows from so many of them (Nyström), however few there are; by default only where they are many.
    seed : int
        Of the draw of the landmarks.
    n_jobs : int, optional
    verbose : bool
        Show progress on the error stream.
    available : int, optional
        Bytes of memory; found out by default.
    memory : int, optional
        Bytes that may be used, beside the table itself; most of what is available by default.
    source : str
        Name of the file, for the report.
    """

    label: str | None = None
    unlabeled: tuple[str, ...] | None = ()
    text: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    method: str = "auto"
    least_confidence: float = LEAST_CONFIDENCE
    kernels: str | Sequence[Any] = "auto"
    rank: int = 200
    landmarks: int | None = None
    seed: int = 0
    n_jobs: int | None = None
    verbose: bool = False
    available: int | None = None
    memory: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise TableError(f'there is no method "{self.method}"; choose one of {", ".join(METHODS)}.')
        if self.landmarks is not None and self.landmarks < 1:
            raise TableError(f"the number of landmarks must be 1 or more, not {self.landmarks}.")
        if self.seed < 0:
            raise TableError(f"the seed must be 0 or more, not {self.seed}.")
        if not 0 <= self.least_confidence <= 1:
            raise TableError(
                f"the least confidence must be between 0 and 1 (75 % is 0.75), not {self.least_confidence}."
            )
