"""Kernels for many rows: each part of a kernel by the features that suit it."""

from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from sskpca.kernels.algebra import Mixture, Scaled, Sum, explicit
from sskpca.kernels.fourier import RandomFourier
from sskpca.kernels.nystrom import Nystrom
from sskpca.kernels.sampled import Sampled

__all__ = ["Approximation", "streamable"]


@dataclass(frozen=True)
class Approximation:
    """How to make a kernel explicit: what has no features of its own gets some.

    Attributes
    ----------
    how : {"nystrom", "fourier"}
    n_features : int
        Landmarks, or random features.
    landmarks
        Of `Nystrom`.
    random_state : int
    n_rows : int, optional
        In the sample that graphs are made of; none is all rows.

    Examples
    --------
    >>> from sskpca.kernels import Diffusion, Gaussian
    >>> Approximation("nystrom", 100).of(Gaussian() + Diffusion())
    Sum(first=Nystrom(kernel=Gaussian(), n_landmarks=100), second=Diffusion())
    """

    how: str
    n_features: int
    landmarks: Any = "uniform"
    random_state: int = 0
    n_rows: int | None = None

    def of(self, kernel: Any) -> Any:
        """Return the kernel with each of its parts made explicit."""
        if isinstance(kernel, Scaled):
            return Scaled(self.of(kernel.kernel), kernel.weight)
        if isinstance(kernel, Sum):
            return Sum(self.of(kernel.first), self.of(kernel.second))
        if isinstance(kernel, Mixture):
            return Mixture(self.of(kernel.first), self.of(kernel.second), kernel.weight)
        if streamable(kernel) or (explicit(kernel) and self.n_rows is None):
            return clone(kernel)
        if explicit(kernel):
            assert self.n_rows is not None
            return Sampled(clone(kernel), self.n_rows, random_state=self.random_state)
        if self.how == "fourier":
            return RandomFourier(clone(kernel), self.n_features, random_state=self.random_state)
        return Nystrom(clone(kernel), self.n_features, landmarks=self.landmarks, random_state=self.random_state)


def streamable(kernel: Any) -> bool:
    """Say whether a kernel's map is learned from some rows, so that all of them need never be in memory."""
    if isinstance(kernel, Scaled):
        return streamable(kernel.kernel)
    if isinstance(kernel, Sum | Mixture):
        return streamable(kernel.first) and streamable(kernel.second)
    return hasattr(kernel, "fit_map")
