"""A kernel of the graph of a sample of the rows."""

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from sskpca._linalg.array import Matrix
from sskpca._parameters import check_count
from sskpca.kernels._base import FeatureKernel, Kernel, finite_rows
from sskpca.kernels._fitted import FittedFeatures
from sskpca.rows import Rows
from sskpca.rows._arrays import rows_of

__all__ = ["Sampled"]


@dataclass(eq=False, repr=False)
class Sampled(FeatureKernel):
    """A kernel of the graph of a sample, where a graph of all rows would take too long.

    All rows, those of the sample included, take their features from their neighbours in it, as new rows do.

    Parameters
    ----------
    kernel : Kernel
        A kernel of a graph, such as `Diffusion`.
    n_rows : int, default=5000
        Size of the sample; all rows if there are fewer.
    random_state : int, default=0
        Random seed for the sample.

    Examples
    --------
    >>> from sskpca import LSKPCA
    >>> from sskpca.datasets import make_two_moons
    >>> from sskpca.kernels import Diffusion, Sampled
    >>> X, y, target = make_two_moons(2000)
    >>> model = LSKPCA(Sampled(Diffusion(10), n_rows=500)).fit(X, y)
    >>> float((model.transduction_ == target).mean())
    0.999
    """

    kernel: Kernel
    n_rows: int = 5000
    _: KW_ONLY
    random_state: int = 0

    from_some_rows = True

    def width(self, n_rows: int) -> int:
        """Return the number of eigenvectors, at most."""
        return self.kernel.width(min(check_count(self, "n_rows", self.n_rows), n_rows))

    def fit(self, X: Matrix | Rows) -> FittedFeatures:
        """Learn the graph of a sample and its eigenvectors."""
        size = check_count(self, "n_rows", self.n_rows)
        seed = check_count(self, "random_state", self.random_state, least=0)
        rows = rows_of(X)
        sample = np.sort(np.random.default_rng(seed).permutation(rows.n_rows)[:size])
        return replace(self.kernel.fit_features(finite_rows(rows.take(sample), sample))[0], spec=self)
