"""A fitted state that changes as a whole, at the end, or not at all."""

import copy
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

__all__ = ["at_once", "become"]

Model = TypeVar("Model")
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


def become(model: Any, other: Any) -> None:
    """Give a model the state of another one: one assignment, which nothing can interrupt in the middle."""
    model.__dict__ = other.__dict__


def at_once(
    fit: Callable[Concatenate[Model, Arguments], Result],
) -> Callable[Concatenate[Model, Arguments], Result]:
    """Let a method work on a copy of the model, whose state the model takes over when all is done.

    A refit that fails or is interrupted leaves the model as it was.
    """

    @wraps(fit)
    def whole(self: Model, /, *args: Arguments.args, **options: Arguments.kwargs) -> Result:
        trial = copy.copy(self)
        result = fit(trial, *args, **options)
        become(self, trial)
        return self if result is trial else result  # type: ignore[return-value]

    return whole
