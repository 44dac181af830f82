"""An upper bound of the risk on the unlabelled points, by transductive Rademacher complexity."""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sskpca._estimators import LRKPCA, LSKPCA, SpectralGraphTransducer
from sskpca._linalg.array import Array
from sskpca._transduction.labels import read_labels

__all__ = ["RiskBound", "lskpca_risk_bound", "ramp_loss", "risk_bound", "sgt_risk_bound"]

C0 = math.sqrt(32 * math.log(4 * math.e) / 3)

# The smallest range of thresholds that is paid for, in margins; the others are its doubles.
FIRST_RANGE = 1 / 8


@dataclass(frozen=True, slots=True)
class RiskBound:
    r"""An upper bound of the risk on the unlabelled points, term by term.

    The risk is the mean of `ramp_loss`, so the share of wrong signs is below the bound too. The bound holds with
    probability at least :math:`1 - \delta` over which points are labelled, all sets of that size being alike.

    Attributes
    ----------
    empirical : float
        The mean ramp loss of the labelled points.
    complexity : float
        How well the functions in question can follow random signs: :math:`\sqrt{2qs^2/(ln)}` over the margin.
    threshold : float
        The same for the range that the labels chose a threshold from; zero if it was fixed before.
    slack : float
        :math:`c_0 r \sqrt{\min(l, n)}` with :math:`c_0 = \sqrt{32\ln(4e)/3}`, :math:`r = 1/l + 1/n`.
    confidence : float
        :math:`\sqrt{2r\ln(1/\delta)}`, with a smaller :math:`\delta` where a threshold was chosen.
    n_labeled, n_unlabeled : int
        l and n.
    rank : int
        q, the dimension of the space of functions.
    delta : float
        The probability with which the bound may fail.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.theory import lskpca_risk_bound
    >>> bound = lskpca_risk_bound(np.ones(2000), rank=5, variance=4000.0, n_unlabeled=2000)
    >>> round(bound.empirical, 3), round(bound.complexity, 3), round(bound.total, 3)
    (0.0, 0.1, 0.403)
    """

    empirical: float
    complexity: float
    threshold: float
    slack: float
    confidence: float
    n_labeled: int
    n_unlabeled: int
    rank: int
    delta: float

    @property
    def total(self) -> float:
        """The bound: the sum of the terms."""
        return self.empirical + self.complexity + self.threshold + self.slack + self.confidence

    @property
    def vacuous(self) -> bool:
        """Whether the bound says nothing, since no risk exceeds 1."""
        return self.total >= 1


def ramp_loss(margins: ArrayLike, margin: float = 1.0) -> Array:
    """Return 1 on the wrong side, 0 from the margin on, and a straight line between.

    Parameters
    ----------
    margins : array-like
        Targets -1 or +1 times decisions.
    margin : float, default=1.0
        Where the loss reaches zero, positive.

    Returns
    -------
    ndarray
        Losses from 0 to 1.

    Examples
    --------
    >>> from sskpca.theory import ramp_loss
    >>> ramp_loss([-3.0, 0.0, 0.25, 2.0])
    array([1.  , 1.  , 0.75, 0.  ])
    """
    _check_positive("ramp_loss", "margin", margin)
    return np.clip(1 - np.asarray(margins, dtype=np.float64) / margin, 0.0, 1.0)


def lskpca_risk_bound(
    margins: ArrayLike,
    *,
    rank: int,
    variance: float,
    n_unlabeled: int,
    delta: float = 0.05,
    margin: float = 1.0,
    threshold: float | None = None,
) -> RiskBound:
    r"""Bound the risk of LS-KPCA or LR-KPCA, uncentred, on the unlabelled points.

    .. math::

        R_n \le R_l + \frac1\varrho \sqrt{\frac{2qs^2}{ln}} + c_0 r \sqrt{\min(l, n)} + \sqrt{2r \ln\frac1\delta},
        \qquad r = \frac1l + \frac1n

    It holds for all functions with :math:`\sum_i f(x_i)^2 \le s^2` in a q-dimensional space at once, whatever method
    chose among them [Walder2010]_ [ElYaniv2009]_. The space, s and the margin :math:`\varrho` must have been fixed
    without a look at the labels.

    Parameters
    ----------
    margins : array-like of shape (n_labeled,)
        Targets -1 or +1 times decisions, of the labelled points.
    rank : int
        q, the dimension of the space of functions.
    variance : float
        s squared, as a sum over the data.
    n_unlabeled : int
        n, the number of unlabelled points.
    delta : float, default=0.05
        The probability with which the bound may fail.
    margin : float, default=1.0
        Where the ramp loss reaches zero.
    threshold : float or None, default=None
        What was subtracted from f, if the labels had a say in it. It is paid for with :math:`\beta\sqrt{2r}/\varrho`,
        :math:`\beta = \varrho 2^{k-3}` the first such number, k = 0, 1, ..., that is not below its modulus, and with
        :math:`2^{-k-1}\delta` in place of :math:`\delta`. A threshold fixed before costs nothing.

    Returns
    -------
    RiskBound
        The bound, term by term.

    References
    ----------
    .. [Walder2010] C. Walder, R. Henao, M. Mørup, L. K. Hansen, Semi-Supervised Kernel PCA, arXiv:1008.1398, 2010.
    .. [ElYaniv2009] R. El-Yaniv, D. Pechyony, Transductive Rademacher Complexity and its Applications, Journal of
       Artificial Intelligence Research 35, 193-234, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.theory import lskpca_risk_bound
    >>> bound = lskpca_risk_bound(np.ones(2000), rank=5, variance=4000.0, n_unlabeled=2000)
    >>> round(bound.complexity, 3), round(bound.slack, 3), round(bound.confidence, 3)
    (0.1, 0.226, 0.077)
    >>> round(bound.total, 3), bound.vacuous
    (0.403, False)
    """
    return _bound(
        "lskpca_risk_bound", margins, rank, variance, n_unlabeled, delta=delta, margin=margin, threshold=threshold
    )


def sgt_risk_bound(
    margins: ArrayLike,
    *,
    rank: int,
    n_unlabeled: int,
    delta: float = 0.05,
    margin: float = 1.0,
    threshold: float | None = None,
) -> RiskBound:
    r"""Bound the risk of the spectral graph transducer on the unlabelled points.

    Its functions have :math:`s^2 = l + n`, so that the complexity of `lskpca_risk_bound` is :math:`\sqrt{2qr}`.

    Parameters
    ----------
    margins : array-like of shape (n_labeled,)
        Targets -1 or +1 times decisions, of the labelled points.
    rank : int
        q, the number of eigenvectors of the Laplacian that are used.
    n_unlabeled : int
        n, the number of unlabelled points.
    delta : float, default=0.05
        The probability with which the bound may fail.
    margin : float, default=1.0
        Where the ramp loss reaches zero.
    threshold : float or None, default=None
        What was subtracted from f, if the labels had a say in it; see `lskpca_risk_bound` for what it costs.

    Returns
    -------
    RiskBound
        The bound, term by term.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.theory import sgt_risk_bound
    >>> bound = sgt_risk_bound(np.ones(100), rank=80, n_unlabeled=1400)
    >>> round(bound.total, 2), bound.vacuous
    (2.1, True)
    """
    name = "sgt_risk_bound"
    _check_count(name, "n_unlabeled", n_unlabeled)
    n = float(np.size(margins) + n_unlabeled)
    return _bound(name, margins, rank, n, n_unlabeled, delta=delta, margin=margin, threshold=threshold)


def risk_bound(model: Any, y: Any, *, delta: float = 0.05, margin: float = 1.0) -> list[RiskBound]:
    r"""Bound the risk of a fitted model's decisions on the unlabelled rows of its data.

    What the labels had a say in is paid for, so that the statement is about `decision_` as it is:

    - An automatic variance is at most that of evenly split labels, so :math:`s^2 = m` is taken.
    - An automatic threshold costs what `lskpca_risk_bound` says of thresholds.
    - A centred model fixes the size of :math:`f - \bar f` only. The bound is that of :math:`f - \bar f`, with
      :math:`\bar f` a part of the threshold: the labels had a say in it.

    It says nothing of a kernel, rank, variance or margin that was picked with the labels, by cross-validation for
    example; the label weight is free.

    Parameters
    ----------
    model : LSKPCA, LRKPCA or SpectralGraphTransducer
        Fitted.
    y : array-like of shape (n_samples,)
        The labels it was fitted to.
    delta : float, default=0.05
        The probability with which each bound may fail.
    margin : float, default=1.0
        Where the ramp loss reaches zero.

    Returns
    -------
    list of RiskBound
        One for each function, as in `reports_`: one for two classes, and for more one for each class against the
        rest. There the share of wrong classes is at most the sum, which may fail with probability delta for each.

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.theory import risk_bound
    >>> X, y, _ = make_two_moons(200)
    >>> (bound,) = risk_bound(LSKPCA(rank=10, centered=False).fit(X, y), y)
    >>> bound.n_labeled, bound.n_unlabeled, bound.vacuous
    (8, 192, True)
    """
    name = "risk_bound"
    if not isinstance(model, LSKPCA | LRKPCA | SpectralGraphTransducer):
        raise TypeError(
            f"{name}: model must be an LSKPCA, LRKPCA or SpectralGraphTransducer, got {type(model).__name__}; no "
            "bound is known for others."
        )
    if not hasattr(model, "decision_"):
        raise ValueError(f"{name}: this {type(model).__name__} is not fitted yet.")
    labels = read_labels(y, model.unlabeled)
    m = len(model.decision_)
    if len(labels.codes) != m:
        raise ValueError(f"{name}: y has {len(labels.codes)} rows, but the model was fitted to {m}.")
    labeled = labels.labeled
    if len(labeled) == m:
        raise ValueError(f"{name}: y has no unlabelled rows, and the bound is about those; pass the labels of the fit.")
    if not np.array_equal(labels.classes, model.classes_) or not np.array_equal(
        labels.codes, model.answer_.labels.codes
    ):
        raise ValueError(f"{name}: y is not what the model was fitted to; pass the same labels.")

    centered = model.coordinates_.centered
    decisions = model.decision_.reshape(m, -1)
    # In f - mean(f) a constant coordinate plays no part.
    rank = int(np.count_nonzero(model.coordinates_.variances > 0))
    chosen = centered or not isinstance(getattr(model, "threshold", "auto"), Real)
    automatic = isinstance(getattr(model, "variance", None), str)
    bounds = []
    for j, k in enumerate(labels.parted):
        report: Any = model.reports_[j]
        # f - threshold = (f - mean) - (threshold - mean), and the bracket has mean zero.
        constant = -float(decisions[:, j].mean()) if centered else float(model.threshold_[j])
        bounds.append(
            _bound(
                name,
                labels.targets(k) * decisions[labeled, j],
                rank,
                float(m) if automatic else report.variance,
                m - len(labeled),
                delta=delta,
                margin=margin,
                threshold=constant if chosen else None,
            )
        )
    return bounds


def _bound(
    name: str,
    margins: ArrayLike,
    rank: int,
    variance: float,
    n_unlabeled: int,
    *,
    delta: float,
    margin: float,
    threshold: float | None,
) -> RiskBound:
    """Add up the terms; `name` is the function that was called."""
    margins = np.asarray(margins, dtype=np.float64)
    if margins.ndim != 1 or margins.size == 0 or not np.isfinite(margins).all():
        raise ValueError(
            f"{name}: margins must be one finite number for each labelled point, and at least one; got an array of "
            f"shape {margins.shape}{'' if np.isfinite(margins).all() else ' with NaN or infinity'}."
        )
    _check_count(name, "rank", rank)
    _check_count(name, "n_unlabeled", n_unlabeled)
    _check_positive(name, "variance", variance)
    _check_positive(name, "margin", margin)
    if not _is_number(delta) or not 0 < delta < 1:
        raise ValueError(f"{name}: delta must be a number between 0 and 1, got {delta!r}.")
    loss = float(ramp_loss(margins, margin).mean())
    l, n = margins.size, int(n_unlabeled)  # noqa: E741
    if rank > l + n:
        raise ValueError(f"{name}: rank must be at most the number of points, {l + n}, got {rank}.")
    r = 1 / l + 1 / n
    shift, doublings = 0.0, 0
    if threshold is not None:
        if not _is_number(threshold) or not math.isfinite(threshold):
            raise ValueError(f"{name}: threshold must be None or a finite number, got {threshold!r}.")
        # A union over ranges [-beta, beta]: the k-th may fail with probability delta / 2^k, k = 1, 2, ...
        reach = FIRST_RANGE
        doublings = 1
        while reach < abs(threshold) / margin:
            reach, doublings = 2 * reach, doublings + 1
        shift = reach * math.sqrt(2 * r)
    return RiskBound(
        empirical=loss,
        complexity=math.sqrt(2 * rank * variance / (l * n)) / margin,
        threshold=shift,
        slack=C0 * r * math.sqrt(min(l, n)),
        confidence=math.sqrt(2 * r * (doublings * math.log(2) - math.log(delta))),
        n_labeled=l,
        n_unlabeled=n,
        rank=int(rank),
        delta=float(delta),
    )


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _check_positive(name: str, what: str, value: Any) -> None:
    if not _is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"{name}: {what} must be a finite positive number, got {value!r}.")


def _check_count(name: str, what: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool | np.bool_) or value < 1:
        raise ValueError(f"{name}: {what} must be a whole number from 1 up, got {value!r}.")
