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
    """What LR-KPCA needs to know of a loss."""

    @property
    def convex(self) -> bool:
        """Whether the loss lies above its tangents."""
        ...

    def value(self, margin: Array) -> Array:
        """Evaluate the loss; never negative."""
        ...

    def slope(self, margin: Array) -> Array:
        """Evaluate its derivative."""
        ...

    def second(self, margin: Array) -> Array:
        """Evaluate its second derivative."""
        ...

    def majorant(self, margin: Array) -> Array:
        """Evaluate the curvature of a parabola that touches the loss here and majorises it everywhere."""
        ...


@dataclass(frozen=True, slots=True)
class Logistic:
    r""":math:`\log(1 + e^{-a})`."""

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
    r""":math:`1 / (1 + e^{a})`, bounded and not convex: hopeless labels are given up."""

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
    r"""The hinge :math:`(1 - a)_+` with its corner rounded to a parabola of half-width `width`."""

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
