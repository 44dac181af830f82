r"""Random Fourier features [RahimiRecht2007]_: a kernel of the difference as a sum of random waves.

.. math:: k(x - y) = \mathbb{E}_\omega \cos \omega^\top (x - y) \approx a(x)^\top a(y), \qquad
          a(x) = \sqrt{\tfrac1D} \left( \cos \omega_j^\top x, \; \sin \omega_j^\top x \right)_{j = 1 \dots D}  \tag{W1}

with :math:`\omega` from the kernel's spectrum: normal for the Gaussian, Cauchy for the Laplacian kernel. Normal waves
are drawn at right angles to each other, which makes the error smaller [YuEtAl2016]_. They do not look at the data:
where this has little variance, landmarks need fewer features for the same accuracy.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from sskpca.kernels.base import finite_rows, whole_number
from sskpca.kernels.mapped import MappedKernel
from sskpca.kernels.nystrom import needs_all_rows
from sskpca.kernels.stationary import Gaussian, Laplacian
from sskpca.linalg.array import Array
from sskpca.rows.source import Rows

__all__ = ["RandomFourier"]

# Rows from which the bandwidth is learned and on which the error is measured.
N_CHECKS = 500


class RandomFourier(MappedKernel, BaseEstimator):
    """A Gaussian or Laplacian kernel by random waves.

    Parameters
    ----------
    kernel : Gaussian or Laplacian
        What it learns from the data, it learns from 500 rows.
    n_features : int, default=500
        Half as many waves, each with its cosine and its sine; an odd number is rounded up.
    random_state : int, default=0
        Of the waves and the rows.

    Attributes
    ----------
    kernel_ : Kernel
        Fitted to the 500 rows.
    missed_ : float
        Relative error of the centred kernel matrix of these rows, in the Frobenius norm.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((300, 2))
    >>> waves = RandomFourier(Gaussian(gamma=0.5), n_features=2000)
    >>> A = waves.fit_features(X)
    >>> bool(np.abs(A @ A.T - Gaussian(gamma=0.5).fit_gram(X)).max() < 0.1)
    True
    """

    def __init__(self, kernel: Any, n_features: int = 500, *, random_state: int = 0) -> None:
        self.kernel = kernel
        self.n_features = n_features
        self.random_state = random_state

    def fit_map(self, rows: Rows) -> None:
        """Learn the bandwidth from some rows and draw the waves."""
        if not isinstance(self.kernel, Gaussian | Laplacian):
            other = "exact" if needs_all_rows(self.kernel) else "nystrom"
            raise ValueError(
                f"RandomFourier: only Gaussian and Laplacian kernels are sums of waves, not {self.kernel!r}; use "
                f'coordinates="{other}".'
            )
        whole_number(self.n_features, "RandomFourier: n_features", 1)
        whole_number(self.random_state, "RandomFourier: random_state", 0)
        rng = np.random.default_rng(int(self.random_state))
        fetched = np.sort(rng.permutation(rows.n_rows)[:N_CHECKS])
        sample = rows.take(fetched)
        finite_rows(sample, fetched)
        self.kernel_: Any = clone(self.kernel)
        K = self.kernel_.fit_gram(sample)
        number = (int(self.n_features) + 1) // 2
        if isinstance(self.kernel, Gaussian):
            self._waves = np.sqrt(2 * self.kernel_.gamma_) * _orthogonal(rows.n_columns, number, rng)
        else:
            self._waves = self.kernel_.gamma_ * rng.standard_cauchy((rows.n_columns, number))
        A = self.features(sample)
        for M in (K, A):  # K is symmetric: both of its sides lose their mean, one after the other
            M -= M.mean(axis=0)
        K -= K.mean(axis=1, keepdims=True)
        size = float(np.linalg.norm(K))
        self.missed_ = float(np.linalg.norm(K - A @ A.T)) / size if size > 0 else 0.0

    def features(self, X: Any) -> Array:
        """Return the features of points (W1)."""
        with np.errstate(over="ignore", invalid="ignore"):  # of rows with missing numbers, which are refused later
            phase = np.asarray(X @ self._waves)
            number = phase.shape[1]
            out = np.empty((len(phase), 2 * number))
            np.cos(phase, out=out[:, :number])
            np.sin(phase, out=out[:, number:])
        out /= np.sqrt(number)
        return out


def _orthogonal(d: int, number: int, rng: np.random.Generator) -> Array:
    """Draw normal vectors in groups of at most d at right angles: each by itself is normal still."""
    groups = []
    for first in range(0, number, d):
        k = min(d, number - first)
        Q = np.linalg.qr(rng.standard_normal((d, k)))[0]
        groups.append(Q * np.sqrt(rng.chisquare(d, size=k)))
    return np.hstack(groups)
