"""A colour and a shape for every class, so that colour is not the only carrier."""

from dataclasses import dataclass

import numpy as np

from sskpca._linalg.array import Array

__all__ = ["COLORS", "MARKS", "SHAPES", "Mark", "mark_of", "outline"]

# Okabe and Ito's colours, which people with any colour vision tell apart; those that differ most come first. Grey
# stands for their black, which would not be seen on a dark page.
COLORS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442", "#8c8c8c")


def _polygon(n: int, turn: float = 0.0, inner: float = 1.0) -> Array:
    """Corners on the unit circle, every second one at the radius `inner`; `turn` in degrees from the top."""
    angle = np.deg2rad(turn) + 2 * np.pi * np.arange(n) / n
    radius = np.where(np.arange(n) % 2 == 0, 1.0, inner)
    return np.column_stack([radius * np.sin(angle), radius * np.cos(angle)])


def _cross(arm: float, turn: float) -> Array:
    a = np.array([(arm, 1), (arm, arm), (1, arm)])
    corners = np.vstack([a, a[::-1] * (1, -1), -a, a[::-1] * (-1, 1)])
    c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    return np.asarray(corners @ np.array([[c, s], [-s, c]]))


# Corners, up is positive. Each has about the area of the circle of radius 0.9.
SHAPES: dict[str, Array] = {
    "circle": 0.9 * _polygon(24),
    "square": 1.13 * _polygon(4, 45),
    "triangle": 1.3 * _polygon(3),
    "diamond": 1.2 * _polygon(4) * (0.9, 1.15),
    "triangle upside down": 1.3 * _polygon(3, 180),
    "plus": 1.1 * _cross(0.36, 0),
    "star": 1.4 * _polygon(10, inner=0.5),
    "cross": 1.1 * _cross(0.36, 45),
}

MARKS = len(COLORS) * len(SHAPES)
"""So many classes look different."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How a class looks."""

    color: str
    shape: str


def mark_of(k: int) -> Mark:
    """Return the mark of a class; the colours come round after eight, each time with another shape.

    Examples
    --------
    >>> mark_of(0)
    Mark(color='#0072b2', shape='circle')
    >>> mark_of(8)
    Mark(color='#0072b2', shape='square')
    """
    n = len(COLORS)
    return Mark(COLORS[k % n], list(SHAPES)[(k + k // n) % len(SHAPES)])


def outline(shape: str, radius: float) -> str:
    """Draw a shape around the origin as the path of an SVG, in which down is positive."""
    corners = (f"{radius * x:.2f} {-radius * y:.2f}" for x, y in SHAPES[shape])
    return "M" + "L".join(corners) + "z"
