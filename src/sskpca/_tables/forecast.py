"""What a fit will take, before it is made."""

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil

import numpy as np

from sskpca._estimators.routes import SHARE, SQUARES
from sskpca._linalg.threads import n_threads, one_thread
from sskpca._selection.query import MOST_ROWS
from sskpca._tables.error import TableError, setting
from sskpca.kernels._defaults import GRAPH_ROWS, MANY_ROWS, N_EIGENVECTORS, VERY_MANY
from sskpca.rows._memory import USABLE, available_memory, in_bytes

__all__ = ["Plan", "duration_in_words", "plan", "slowness"]

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
# To measure the speed of the machine: a decomposition of this size, so many times, and the seconds it took where the
# forecasts come from. Long enough to share the processor with whatever else runs.
SAMPLE_SIZE, SAMPLE_REPEATS, SAMPLE_SECONDS = 200, 40, 0.11
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
        A rough guess, see `_seconds`.
    share_of_kernels : float
        How much of the time the kernels take; the labels have most of the rest.
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
    share_of_kernels: float = 0.7


def plan(
    n_rows: int,
    n_features: int,
    n_classes: int,
    available: int | None = None,
    *,
    n_labeled: int = 50,
    landmarks: int | None = None,
    memory: int | None = None,
    slow: float = 1.0,
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
    slow : float, default=1.0
        How many times as long as a core that has nothing else to do this machine takes: see `slowness`.

    Raises
    ------
    TableError
        It does not fit; it says how many rows would, or how much memory to give.
    """
    there = memory or (available_memory() if available is None else available)
    usable = there if memory else USABLE * there
    exact = _memory(n_rows, n_features)
    if landmarks is None and n_rows <= MANY_ROWS and exact <= usable:
        seconds, share = _times(_seconds(n_rows, n_classes, n_labeled), slow)
        sentence = (
            f"exact, {n_rows:,} rows: needs {in_bytes(exact)} of {in_bytes(there)}, about {duration_in_words(seconds)}"
        )
        return Plan("exact", n_rows, exact, seconds, sentence, int(usable), share_of_kernels=share)
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
    seconds, share = _times(_seconds_by_landmarks(n_rows, n_classes, n_labeled, sampled, held), slow)
    sentence = (
        f"{n_rows:,} rows, approximated by {number:,} landmarks (Nyström): needs "
        f"{in_bytes(needed)} of {in_bytes(there)}, about {duration_in_words(seconds)}"
    )
    notes = _notes(n_rows, number, sampled, held)
    return Plan("nystrom", number, needed, seconds, sentence, budget, sampled, notes, share)


def _notes(n_rows: int, number: int, sampled: bool, held: bool) -> tuple[str, ...]:
    notes = [f"kernels are approximated by {number:,} of the rows (landmarks)."]
    if sampled:
        of = f"a sample of {GRAPH_ROWS:,} rows" if n_rows > GRAPH_ROWS else "the rows"
        notes.append(
            f"only two graphs of neighbours are used, of {of}: all of them would take too much memory or time."
        )
    if not held:
        notes.append("the coordinates of all rows do not fit into the memory: they are computed again when needed.")
    return tuple(notes)


def _too_many(n_rows: int, least: Callable[[int], float], usable: float, limit: float | None) -> TableError:
    """Report how many rows would fit; or, if a larger budget were within `limit`, how much to give."""
    needed = least(n_rows)
    if limit is not None and needed <= limit:
        megabytes = ceil(needed / 1e6)
        return TableError(
            f"{n_rows:,} rows need {megabytes} MB of memory, and {in_bytes(usable)} are allowed: give "
            f"{setting('memory', f'{ceil(megabytes / 10) * 10}MB')} or more, or leave it out.",
            parameter="memory",
        )
    fit = bisect_right(range(n_rows), usable, key=least) - 1
    return TableError(
        f"{n_rows:,} rows need {in_bytes(needed)} of memory, and {in_bytes(usable)} can be used: "
        f"{max(fit, 0):,} rows would fit; leave out unlabelled rows, or use a computer with more memory."
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
    """Return the least memory of the coordinates: of each kernel, matrices of features by features, and some rows."""
    return FEWEST_KERNELS * 8 * (SQUARES + 2 + n_threads()) * max(landmarks, N_EIGENVECTORS) ** 2


def slowness() -> float:
    """Measure how much longer this machine takes at the moment than an idle core of where forecasts come from.

    Takes about a tenth of a second if it does not.
    """
    factor = np.random.default_rng(0).standard_normal((SAMPLE_SIZE, SAMPLE_SIZE))
    matrix = factor + factor.T
    with one_thread():
        start = time.perf_counter()
        for _ in range(SAMPLE_REPEATS):
            np.linalg.eigh(matrix)
    return (time.perf_counter() - start) / SAMPLE_SECONDS


def _times(parts: tuple[float, float], slow: float) -> tuple[float, float]:
    """Return the seconds of both parts, and the share of the first."""
    return slow * sum(parts), parts[0] / sum(parts)


def _seconds(n_rows: int, n_classes: int, n_labeled: int) -> tuple[float, float]:
    """Forecast the processor time of a fit and of what is found beside it: of the kernels, and of all the rest.

    The kernels take their time for every row, and the held-out labels theirs for every function. Within a factor of two
    of all that is in ``benchmarks/speed/results/forecast.csv``: 100 to 8,000 rows, 2 to 30 classes, 10 to 600 labels.
    """
    kernels = 0.2 + 1.1e-3 * n_rows + 1.5e-7 * n_rows**2
    return kernels, 0.35 + 2e-4 * n_rows + 2.2e-3 * _functions(n_classes) * n_labeled


def _seconds_by_landmarks(
    n_rows: int, n_classes: int, n_labeled: int, sampled: bool, held: bool
) -> tuple[float, float]:
    """Forecast the same for a fit from landmarks; likewise, 2,000 to 60,000 rows.

    If graphs are of all rows, they take most of it. Where coordinates are not held, they are found anew all the time.
    """
    labels = 2e-3 * _functions(n_classes) * n_labeled
    if sampled:
        return 3 + (2.6e-4 if held else 4e-4) * n_rows, labels
    return 2.4 + 3.5e-4 * n_rows + (n_rows / 8700) ** 2, labels


def _functions(n_classes: int) -> int:
    return 1 if n_classes <= 2 else n_classes


def duration_in_words(seconds: float) -> str:
    """Round a time, as it is a guess.

    Examples
    --------
    >>> duration_in_words(17.2), duration_in_words(250), duration_in_words(9000)
    ('20 s', '4 min', '2.5 h')
    """
    if seconds < 100:
        return f"{max(round(seconds, -1 if seconds > 10 else 0), 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
