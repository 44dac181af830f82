"""Features of the rows of a graph, which new rows take over from their nearest neighbours."""

from dataclasses import dataclass, replace

from sskpca._graphs import FittedGraph, interpolated
from sskpca._linalg.array import Array, Matrix
from sskpca.kernels._fitted import FittedFeatures

__all__ = ["FittedSpectra", "FittedSpectrum"]


@dataclass(frozen=True, eq=False, repr=False)
class FittedSpectrum(FittedFeatures):
    """Features from the eigenvectors of a graph.

    Attributes
    ----------
    graph_ : FittedGraph
    eigenvalues_ : ndarray
        Eigenvalues of the Laplacian, ascending.
    scale_ : float
        The factor that brings the mean diagonal to 1.
    data : ndarray of shape (n_samples, n_features)
        The features of the data.
    """

    graph_: FittedGraph
    eigenvalues_: Array
    scale_: float
    data: Array

    def features(self, X: Matrix) -> Array:
        """Return the features of new rows."""
        return interpolated([self.graph_], [self.data], X)

    def contracted(self, weights: Array) -> "FittedSpectrum":
        """Return functions as features: a number for each row of the data and function."""
        return replace(
            self, data=self.data @ weights, eigenvalues_=self.eigenvalues_[:0], graph_=self.graph_.without_edges()
        )

    def plus(self, other: FittedFeatures) -> "FittedSpectrum | FittedSpectra | None":
        """Return the sum of functions that are interpolated alike, or from the same points."""
        if not isinstance(other, FittedSpectrum):
            return None
        if other.graph_.interpolates_like(self.graph_):
            return replace(self, data=self.data + other.data)
        return FittedSpectra(self.spec, (self, other)) if other.graph_.searches_like(self.graph_) else None


@dataclass(frozen=True, eq=False, repr=False)
class FittedSpectra(FittedFeatures):
    """Sums of functions on several graphs of the same points: the neighbours of new rows are searched once.

    Attributes
    ----------
    spectra : tuple of FittedSpectrum
        As many features each; the kernel that is printed is that of the first.
    """

    spectra: tuple[FittedSpectrum, ...]

    def features(self, X: Matrix) -> Array:
        """Return the sums of the features of new rows."""
        return interpolated([one.graph_ for one in self.spectra], [one.data for one in self.spectra], X)

    def plus(self, other: FittedFeatures) -> "FittedSpectra | None":
        """Return the sum of functions that are interpolated from the same points."""
        if not isinstance(other, FittedSpectrum):
            return None
        for i, one in enumerate(self.spectra):
            both = one.plus(other)
            if isinstance(both, FittedSpectrum):
                return replace(self, spectra=(*self.spectra[:i], both, *self.spectra[i + 1 :]))
            if both is None:
                return None
        return replace(self, spectra=(*self.spectra, other))
