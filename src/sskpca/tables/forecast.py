"""What a fit will take, before it is made."""

from dataclasses import dataclass

from sskpca.estimators.routes import MANY_ROWS
from sskpca.rows.memory import USABLE, available_memory, in_bytes
from sskpca.tables.error import TableError

__all__ = ["Plan", "plan"]

# Dense matrices of all pairs of rows at a time: a kernel, its decomposition, and the work space of either.
PAIRS = 3
# Kernels that are kept, the coordinates of each, once as values and once as map.
KERNELS, RANK = 17, 200
# With many rows: landmarks, and kernels of which one at a time has features and eigenvectors under way.
N_LANDMARKS, FEWER_KERNELS, UNDER_WAY = 500, 13, 3000
# The matrix of features and its copies.
COPIES = 4
# Libraries, and what does not grow with the rows.
BASE = 2e8


@dataclass(frozen=True)
class Plan:
    """How the principal coordinates will be found, and what that takes.

    Attributes
    ----------
    coordinates : {"exact", "nystrom"}
    n_landmarks : int
        All rows if exact.
    memory_bytes : float
    seconds : float
        Of one core that has nothing else to do; a rough guess, see `_seconds`.
    sentence : str
        For the user.
    """

    coordinates: str
    n_landmarks: int
    memory_bytes: float
    seconds: float
    sentence: str


def plan(
    n_rows: int,
    n_features: int,
    n_classes: int,
    available: int | None = None,
    *,
    n_labeled: int = 50,
    landmarks: int | None = None,
) -> Plan:
    """Plan a fit of `SSKPCAClassifier` within the memory there is.

    Exact as long as the rows are not many (10,000) and fit; from landmarks otherwise, and the sentence says so.

    Parameters
    ----------
    n_rows, n_features, n_classes, n_labeled : int
        For sparse features, `n_features` is the mean number of entries in a row.
    available : int, optional
        Bytes; found out by default.
    landmarks : int, optional
        Use so many, however few the rows are.

    Raises
    ------
    TableError
        It does not fit; it says how many rows would.
    """
    there = available_memory() if available is None else available
    exact, usable = _memory(n_rows, n_features), USABLE * there
    if landmarks is None and n_rows <= MANY_ROWS and exact <= usable:
        seconds = _seconds(n_rows, n_classes, n_labeled)
        sentence = (
            f"exact, {_grouped(n_rows)} rows: needs {in_bytes(exact)} of {in_bytes(there)}, about {_duration(seconds)}"
        )
        return Plan("exact", n_rows, exact, seconds, sentence)
    number = min(landmarks or N_LANDMARKS, n_rows)
    memory = _memory_by_landmarks(n_rows, n_features, number)
    if memory > usable:
        fit = int((usable - BASE) / ((memory - BASE) / n_rows))
        raise TableError(
            f"{_grouped(n_rows)} rows need {in_bytes(memory)} of memory, and {in_bytes(usable)} can be used: "
            f"{_grouped(max(fit, 0))} rows would fit; leave out unlabelled rows, or use a computer with more memory."
        )
    seconds = _seconds_by_landmarks(n_rows, n_classes, n_labeled)
    sentence = (
        f"{_grouped(n_rows)} rows seen from {_grouped(number)} landmarks (Nyström), an approximation: needs "
        f"{in_bytes(memory)} of {in_bytes(there)}, about {_duration(seconds)}"
    )
    return Plan("nystrom", number, memory, seconds, sentence)


def _memory(n_rows: float, n_features: int) -> float:
    return 8 * (PAIRS * n_rows**2 + (2 * KERNELS * RANK + COPIES * n_features) * n_rows) + BASE


def _memory_by_landmarks(n_rows: float, n_features: int, landmarks: int) -> float:
    numbers = 2 * FEWER_KERNELS * RANK + 3 * landmarks + UNDER_WAY + COPIES * n_features
    return 8 * numbers * n_rows + BASE


def _seconds(n_rows: int, n_classes: int, n_labeled: int) -> float:
    """Guess the processor time of a fit.

    Measured at two places. The digits of scikit-learn (1,797 rows, 10 classes, 50 labels): 22 s for the fit, and 13 s
    to try one label the other way; the guess is 36 s. Digit1 (1,500 rows, 2 classes, 10 labels): about 10 s, with no
    label to try; the guess is 12 s. How it grows with rows and labels beyond that is assumed, not measured.
    """
    functions = 1 if n_classes <= 2 else n_classes
    kernels = 3e-3 * n_rows + 1e-6 * n_rows**2
    candidates = (2.0 + functions) * min(1.0, n_rows / 1000) * (0.9 + 0.005 * n_labeled)
    # A label that looks wrong is tried the other way: the candidates anew. That there is one is usual.
    return kernels + 2 * candidates


def _seconds_by_landmarks(n_rows: int, n_classes: int, n_labeled: int) -> float:
    """Guess the processor time of a fit from landmarks: the graphs of nearest neighbours take most of it.

    Measured at one place: 50,000 rows with 10 features, 2 classes and 498 labels took about 6 minutes of one core; so
    does the guess. How it grows is assumed, not measured.
    """
    functions = 1 if n_classes <= 2 else n_classes
    return 4e-3 * n_rows + (n_rows / 4000) ** 2 + 2 * (2.0 + functions) * (0.9 + 0.005 * n_labeled)


def _grouped(number: int) -> str:
    return f"{number:,}"


def _duration(seconds: float) -> str:
    """Round, as it is a guess.

    Examples
    --------
    >>> _duration(17.2), _duration(250), _duration(9000)
    ('20 s', '4 min', '2.5 h')
    """
    if seconds < 100:
        return f"{max(round(seconds, -1 if seconds > 10 else 0), 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
