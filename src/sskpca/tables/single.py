"""One method with one kernel, calibrated on held-out labels."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sskpca.coordinates import Coordinates
from sskpca.estimators import LRKPCA, LSKPCA, MVKPCA, SpectralGraphTransducer
from sskpca.estimators.held_out import HeldOutDecisions, alone
from sskpca.kernels import Gaussian, Kernel, Nystrom
from sskpca.linalg.array import Array, Indices
from sskpca.selection.automatic import PLAIN_SLOPE
from sskpca.selection.averaging import log_likelihood
from sskpca.selection.calibration import fit_slope, probabilities
from sskpca.selection.novelty import Novelty, with_doubt
from sskpca.selection.odd_labels import twins
from sskpca.tables.forecast import Plan

__all__ = ["CalibratedClassifier", "default_kernel", "fit_single"]


@dataclass(frozen=True)
class CalibratedClassifier:
    """A fitted classifier of one method, with what `SSKPCAClassifier` has besides.

    Attributes
    ----------
    model : LSKPCA, LRKPCA, MVKPCA or SpectralGraphTransducer
    slope : float
        Log-odds for a decision of 1.
    novelty : Novelty
    held_out : HeldOutDecisions
        On all labels; the only one of a class has a decision of zero and is wrong.
    """

    model: Any
    slope: float
    novelty: Novelty
    held_out: HeldOutDecisions

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.asarray(self.model.classes_)

    @property
    def coordinates_(self) -> Coordinates:
        """The principal coordinates of the data."""
        return self.model.coordinates_  # type: ignore[no-any-return]

    @property
    def label_distributions_(self) -> Array:
        """Probabilities of the classes for every row of the data."""
        return probabilities(_columns(self.model.decision_), self.slope)

    def predict_proba(self, X: Any) -> Array:
        """Give the probability of each class; equal ones for rows unlike all data, as `SSKPCAClassifier` does."""
        return self._judged(X)[0]

    def _judged(self, X: Any) -> tuple[Array, Array]:
        """Give the probabilities of the classes and the novelty of new rows."""
        novelty = self.novelty.of_rows(X)
        known = probabilities(_columns(self.model.decision_function(X)), self.slope)
        return with_doubt(known, novelty), novelty

    @property
    def gap(self) -> float:
        """The largest duality gap, relative; of MV-KPCA, an eigenproblem, the largest residual."""
        reports = self.model.reports_
        if isinstance(self.model, MVKPCA):
            return float(max(report.kkt_residual.max() for report in reports))
        return max(abs(float(report.gap)) for report in reports)

    def candidates(self, method: str, codes: Indices) -> dict[str, NDArray[Any]]:
        """Describe it as the only candidate; MV-KPCA has no variance to choose, so that is NaN."""
        known = ~alone(codes)
        likelihood = log_likelihood(_columns(self.held_out.decisions).T[:, known], codes[known])
        variance = np.nan if method == "mv" else 1.0
        return {
            "kernel": np.array([" ".join(repr(self.model.kernel_).split())], dtype=object),
            "method": np.array([method], dtype=object),
            "label_weight": np.array([self.model.label_weight]),
            "variance": np.array([variance]),
            "weight": np.array([1.0]),
            "loo_loss": np.array([-float(likelihood.sum()) / max(int(known.sum()), 1)]),
            "loo_error": np.array([self.held_out.error]),
        }


def default_kernel(plan: Plan, seed: int) -> Kernel:
    """Return the Gaussian kernel, seen as planned."""
    return Gaussian() if plan.coordinates == "exact" else Nystrom(Gaussian(), plan.n_landmarks, random_state=seed)


def fit_single(
    method: str, X: Any, names: NDArray[Any], rank: int, kernel: Kernel, memory: int | None = None
) -> CalibratedClassifier:
    """Fit one method with its default weights, and calibrate it by leaving out labels.

    Parameters
    ----------
    method : {"ls", "lr", "mv", "sgt"}
    X : ndarray or csr_matrix
    names : ndarray of object
        Labels, None where there is none.
    rank : int
    kernel : Kernel
        For all but "sgt", which has its own.
    memory : int, optional
        Budget of the coordinates, see `sskpca.rows.bytes_of`.
    """
    classes = {"ls": LSKPCA, "lr": LRKPCA, "mv": MVKPCA}
    settings: dict[str, Any] = {"unlabeled": None}
    if method == "sgt":
        model: Any = SpectralGraphTransducer(n_eigenvectors=max(1, min(80, X.shape[0] - 2)), **settings)
    else:
        model = classes[method](kernel=kernel, rank=rank, memory=memory, **settings)
    model.fit(X, names)
    held_out, slope = _held_out(model)
    return CalibratedClassifier(model, slope, Novelty.of(X, twins(X)), held_out)


def _held_out(model: Any) -> tuple[HeldOutDecisions, float]:
    labels = model._labels
    rows = labels.labeled
    codes = labels.codes[rows]
    known = ~alone(codes)
    decisions = np.zeros((len(rows), _columns(model.decision_).shape[1]))
    if not known.any():  # nothing can be left out, so nothing is known: as for `SSKPCAClassifier`
        return HeldOutDecisions(rows, decisions, np.ones(len(rows), dtype=bool)), PLAIN_SLOPE
    found = model.leave_one_out()
    decisions[known] = _columns(found.decisions)
    wrong = np.ones(len(rows), dtype=bool)
    wrong[known] = found.wrong
    return replace(found, rows=rows, decisions=decisions, wrong=wrong), fit_slope(decisions[known].T, codes[known])


def _columns(decisions: Array) -> Array:
    return decisions.reshape(len(decisions), -1)
