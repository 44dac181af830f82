"""What a fit will take, before it is made."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil

from sskpca.estimators.routes import GRAPH_ROWS, MANY_ROWS, SHARE, SQUARES
from sskpca.linalg.threads import n_threads
from sskpca.rows.memory import USABLE, available_memory, in_bytes
from sskpca.selection.portfolio import N_EIGENVECTORS, VERY_MANY
from sskpca.selection.query import MOST_ROWS
from sskpca.tables.error import TableError

__all__ = ["Plan", "plan"]

# Dense matrices of all pairs of rows at a time: a kernel, its decomposition, and the work space of either.
PAIRS = 3
# Kernels that are kept, the coordinates of each, once as values and once as map.
KERNELS, RANK = 17, 200
# With many rows: landmarks, and kernels of which one at a time has features and eigenvectors under way.
N_LANDMARKS, FEWER_KERNELS, UNDER_WAY = 500, 13, 3000
# With very many rows: kernels, whose coordinates are held or not; one at a time is copied.
FEWEST_KERNELS, HELD_TWICE = 6, 2
# The matrix of features and its copies; numbers that are found for each row, and for each of its classes.
COPIES, ANSWERS, OF_CLASS = 4, 20, 8
# Libraries, and what does not grow with the rows.
BASE = 2.5e8
# To choose what to label next, coordinates of a sample of rows, and their work space.
CHOOSING = 8 * (FEWEST_KERNELS + 4) * RANK


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
    budget : int
        Bytes that the coordinates of all kernels together may take: `memory` of the estimators.
    sampled : bool
        Are graphs made of a sample of the rows, as of very many?
    notes : tuple of str
        What of this is an approximation.
    """

    coordinates: str
    n_landmarks: int
    memory_bytes: float
    seconds: float
    sentence: str
    budget: int
    sampled: bool = False
    notes: tuple[str, ...] = ()


def plan(
    n_rows: int,
    n_features: int,
    n_classes: int,
    available: int | None = None,
    *,
    n_labeled: int = 50,
    landmarks: int | None = None,
    memory: int | None = None,
) -> Plan:
    """Plan a fit of `SSKPCAClassifier` within the memory there is.

    Exact as long as the rows are not many (10,000) and fit; from landmarks otherwise; with graphs of a sample of the
    rows if they are very many (50,000), or if graphs of all would not fit; and the sentence and the notes say so.

    Parameters
    ----------
    n_rows, n_features, n_classes, n_labeled : int
        For sparse features, `n_features` is the mean number of entries in a row.
    available : int, optional
        Bytes, most of which are used; found out by default.
    landmarks : int, optional
        Use so many, however few the rows are.
    memory : int, optional
        Bytes that may be used in place of what is available.

    Raises
    ------
    TableError
        It does not fit; it says how many rows would, or how much memory to give.
    """
    there = memory or (available_memory() if available is None else available)
    usable = there if memory else USABLE * there
    exact = _memory(n_rows, n_features)
    if landmarks is None and n_rows <= MANY_ROWS and exact <= usable:
        seconds = _seconds(n_rows, n_classes, n_labeled)
        sentence = (
            f"exact, {_grouped(n_rows)} rows: needs {in_bytes(exact)} of {in_bytes(there)}, about {_duration(seconds)}"
        )
        return Plan("exact", n_rows, exact, seconds, sentence, int(usable))
    number = min(landmarks or N_LANDMARKS, n_rows)
    needed = _memory_by_landmarks(n_rows, n_features, number)
    sampled = n_rows > VERY_MANY or needed > usable
    held, budget = True, int(usable)
    if sampled:
        apart, own = _memory_beside(n_rows, n_features, n_classes), _least_budget(number)
        if apart + own > usable:
            least = partial(_least_memory, n_features=n_features, n_classes=n_classes, landmarks=landmarks)
            limit = None if memory is None else USABLE * (available_memory() if available is None else available)
            raise _too_many(n_rows, least, usable, limit)
        budget = int(usable - apart)
        values = 8 * n_rows * (min(RANK, number) + 1)
        held = values <= SHARE * budget / FEWEST_KERNELS
        needed = apart + own + held * (FEWEST_KERNELS + HELD_TWICE) * values
    seconds = _seconds_by_landmarks(n_rows, n_classes, n_labeled, sampled, held)
    sentence = (
        f"{_grouped(n_rows)} rows seen from {_grouped(number)} landmarks (Nyström), an approximation: needs "
        f"{in_bytes(needed)} of {in_bytes(there)}, about {_duration(seconds)}"
    )
    return Plan("nystrom", number, needed, seconds, sentence, budget, sampled, _notes(n_rows, number, sampled, held))


def _notes(n_rows: int, number: int, sampled: bool, held: bool) -> tuple[str, ...]:
    notes = [f"the rows are seen from {_grouped(number)} of them (landmarks), an approximation."]
    if sampled:
        of = f"a sample of {_grouped(GRAPH_ROWS)} rows" if n_rows > GRAPH_ROWS else "the rows"
        notes.append(f"there are two graphs of neighbours only, made of {of}: those of all kinds would take too much.")
    if not held:
        notes.append("the coordinates of all rows have no room in the memory: they are found anew when needed.")
    return tuple(notes)


def _too_many(n_rows: int, least: Callable[[int], float], usable: float, limit: float | None) -> TableError:
    """Say what would fit; if the memory was given and there is more, within `limit`, how much to give."""
    needed = least(n_rows)
    if limit is not None and needed <= limit:
        megabytes = ceil(needed / 1e6)
        return TableError(
            f"{_grouped(n_rows)} rows need {megabytes} MB of memory, and --memory allows {in_bytes(usable)}: give "
            f"--memory {ceil(megabytes / 10) * 10}MB or more, or leave it out."
        )
    fit = bisect_right(range(n_rows), usable, key=least) - 1
    return TableError(
        f"{_grouped(n_rows)} rows need {in_bytes(needed)} of memory, and {in_bytes(usable)} can be used: "
        f"{_grouped(max(fit, 0))} rows would fit; leave out unlabelled rows, or use a computer with more memory."
    )


def _least_memory(n_rows: int, n_features: int, n_classes: int, landmarks: int | None) -> float:
    """Forecast what the way takes that needs least, of those that `plan` may take."""
    number = min(landmarks or N_LANDMARKS, n_rows)
    ways = [_memory_beside(n_rows, n_features, n_classes) + _least_budget(number)]
    if n_rows <= VERY_MANY:
        ways.append(_memory_by_landmarks(n_rows, n_features, number))
    if n_rows <= MANY_ROWS and landmarks is None:
        ways.append(_memory(n_rows, n_features))
    return min(ways)


def _memory(n_rows: float, n_features: int) -> float:
    return 8 * (PAIRS * n_rows**2 + (2 * KERNELS * RANK + COPIES * n_features) * n_rows) + BASE


def _memory_by_landmarks(n_rows: float, n_features: int, landmarks: int) -> float:
    """Forecast what kernels with graphs of all rows take."""
    numbers = 2 * FEWER_KERNELS * RANK + 3 * landmarks + UNDER_WAY + COPIES * n_features
    return 8 * numbers * n_rows + BASE


def _memory_beside(n_rows: float, n_features: int, n_classes: int) -> float:
    """Forecast what is needed beside coordinates: the matrix, the answers, and a sample of rows to choose from."""
    numbers = COPIES * n_features + OF_CLASS * n_classes + ANSWERS
    return 8 * numbers * n_rows + CHOOSING * min(n_rows, MOST_ROWS) + BASE


def _least_budget(landmarks: int) -> float:
    """Say how much the coordinates need at least: for each kernel matrices of features by features, and some rows."""
    return FEWEST_KERNELS * 8 * (SQUARES + 2 + n_threads()) * max(landmarks, N_EIGENVECTORS) ** 2


def _seconds(n_rows: int, n_classes: int, n_labeled: int) -> float:
    """Forecast the processor time of a fit and of what is found beside it.

    The kernels take their time for every row, and the held-out labels theirs for every function. Within a factor of two
    of all that is in ``benchmarks/speed/results/forecast.csv``: 100 to 8,000 rows, 2 to 30 classes, 10 to 600 labels.
    """
    return 0.4 + 3.3e-3 * n_rows + 2.2e-7 * n_rows**2 + 1e-2 * _functions(n_classes) * n_labeled


def _seconds_by_landmarks(n_rows: int, n_classes: int, n_labeled: int, sampled: bool, held: bool) -> float:
    """Forecast the same for a fit from landmarks; likewise, 2,000 to 60,000 rows.

    If graphs are of all rows, they take most of it. Where coordinates are not held, they are found anew all the time.
    """
    labels = 5e-3 * _functions(n_classes) * n_labeled
    if sampled:
        return 8 + (2.5e-4 if held else 6e-4) * n_rows + labels
    return 5 + 1.2e-3 * n_rows + (n_rows / 8000) ** 2 + labels


def _functions(n_classes: int) -> int:
    return 1 if n_classes <= 2 else n_classes


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
