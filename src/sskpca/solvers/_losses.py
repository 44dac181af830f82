r"""Losses of a label as functions of the margin :math:`a = t f(x)`.

Each offers its value, two derivatives, and the curvature of a majorant: a parabola that touches the loss
at the margin, with the same slope, and is nowhere below it.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import special

from sskpca._linalg.array import Array

__all__ = ["LOSSES", "HuberHinge", "Logistic", "Loss", "Sigmoid"]


def expit(x: Array) -> Array:
    """Evaluate the logistic function."""
    return np.asarray(special.expit(x))


class Loss(Protocol):
    """What LR-KPCA needs to know of a loss; a protocol, see *Add a loss*.

    Examples
    --------
    >>> from sskpca.solvers import Logistic, Loss
    >>> def at_the_boundary(loss: Loss):
    ...     return loss.value(0.0)
    >>> round(float(at_the_boundary(Logistic())), 3)
    0.693
    """

    @property
    def convex(self) -> bool:
        """Whether the loss lies above its tangents."""
        ...

    def value(self, margin: Array) -> Array:
        """Evaluate the loss; never negative.

        Parameters
        ----------
        margin : ndarray
            Targets -1 or +1 times function values.

        Returns
        -------
        ndarray
            Losses, one for each margin.
        """
        ...

    def slope(self, margin: Array) -> Array:
        """Evaluate its derivative.

        Parameters
        ----------
        margin : ndarray
            Targets -1 or +1 times function values.

        Returns
        -------
        ndarray
            Derivatives, one for each margin.
        """
        ...

    def second(self, margin: Array) -> Array:
        """Evaluate its second derivative.

        Parameters
        ----------
        margin : ndarray
            Targets -1 or +1 times function values.

        Returns
        -------
        ndarray
            Second derivatives, one for each margin.
        """
        ...

    def majorant(self, margin: Array) -> Array:
        """Evaluate the curvature of a parabola that touches the loss here and majorises it everywhere.

        Parameters
        ----------
        margin : ndarray
            Targets -1 or +1 times function values.

        Returns
        -------
        ndarray
            Curvatures, one for each margin.
        """
        ...


@dataclass(frozen=True, slots=True)
class Logistic:
    r"""The logistic loss, :math:`\log(1 + e^{-a})`.

    Parameters
    ----------
    convex : bool, default=True
        Whether the loss lies above its tangents; not to be changed.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import Logistic
    >>> Logistic().value(np.array([-1.0, 0.0, 1.0])).round(3)
    array([1.313, 0.693, 0.313])
    """

    convex: bool = True

    def value(self, margin: Array) -> Array:
        """Evaluate the loss."""
        return np.logaddexp(0.0, -margin)

    def slope(self, margin: Array) -> Array:
        """Evaluate its derivative."""
        return -expit(-margin)

    def second(self, margin: Array) -> Array:
        """Evaluate its second derivative."""
        return expit(margin) * expit(-margin)

    def majorant(self, margin: Array) -> Array:
        r"""Evaluate :math:`\tanh(a/2)/(2a)`, the tight bound of Jaakkola and Jordan."""
        a = np.maximum(np.abs(margin), 1e-4)  # at most 1e-9 below the limit 1/4
        return np.asarray(np.tanh(a / 2) / (2 * a))


@dataclass(frozen=True, slots=True)
class Sigmoid:
    r"""The sigmoid loss, :math:`1 / (1 + e^{a})`, bounded and not convex: hopeless labels are given up.

    Parameters
    ----------
    convex : bool, default=False
        Whether the loss lies above its tangents; not to be changed.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import Sigmoid
    >>> Sigmoid().value(np.array([-1.0, 0.0, 1.0])).round(3)
    array([0.731, 0.5  , 0.269])
    """

    convex: bool = False

    def value(self, margin: Array) -> Array:
        """Evaluate the loss."""
        return expit(-margin)

    def slope(self, margin: Array) -> Array:
        """Evaluate its derivative."""
        return -expit(margin) * expit(-margin)

    def second(self, margin: Array) -> Array:
        """Evaluate its second derivative, negative for negative margins."""
        z = expit(margin)
        return z * expit(-margin) * (2 * z - 1)

    def majorant(self, margin: Array) -> Array:
        r"""Evaluate :math:`1/(6\sqrt3)`, the largest value of the second derivative."""
        return np.full_like(margin, 1 / (6 * np.sqrt(3)))


@dataclass(frozen=True, slots=True)
class HuberHinge:
    r"""The hinge :math:`(1 - a)_+` with its corner rounded to a parabola.

    Parameters
    ----------
    width : float, default=0.5
        Half-width of the rounded corner.
    convex : bool, default=True
        Whether the loss lies above its tangents; not to be changed.

    Examples
    --------
    >>> import numpy as np
    >>> from sskpca.solvers import HuberHinge
    >>> HuberHinge().value(np.array([-1.0, 1.0, 2.0]))
    array([2.   , 0.125, 0.   ])
    """

    width: float = 0.5
    convex: bool = True

    def value(self, margin: Array) -> Array:
        """Evaluate the loss."""
        inside = np.clip(1 + self.width - margin, 0.0, 2 * self.width)
        return inside**2 / (4 * self.width) + np.maximum(1 - self.width - margin, 0.0)

    def slope(self, margin: Array) -> Array:
        """Evaluate its derivative."""
        return -np.clip(1 + self.width - margin, 0.0, 2 * self.width) / (2 * self.width)

    def second(self, margin: Array) -> Array:
        """Evaluate its second derivative: constant on the rounded corner, zero elsewhere."""
        return np.where(np.abs(1 - margin) <= self.width, 0.5 / self.width, 0.0)

    def majorant(self, margin: Array) -> Array:
        """Evaluate the curvature of the parabola that touches again at the mirror image of the margin in 1."""
        return 0.5 / np.maximum(self.width, np.abs(1 - margin))


LOSSES: dict[str, Loss] = {"logistic": Logistic(), "sigmoid": Sigmoid(), "hinge": HuberHinge()}
