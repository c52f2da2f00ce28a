"""Parameters of a function that is tuned: bounds, start and scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Optional, Union

from ._errors import Error


@dataclass(frozen=True)
class Real:
    """A number between two bounds.

    `start` is where the search begins, by default the middle on the scale. `scale` is `"linear"`, or `"log"`: equal
    steps are equal ratios, and bounds must be positive. `step` is the first standard deviation of the search, as a
    multiple of the usual one.
    """

    min: float
    max: float
    start: Optional[float] = None
    scale: str = "linear"
    step: Optional[float] = None
    doc: Optional[str] = None


@dataclass(frozen=True)
class Integer(Real):
    """A whole number between two bounds, which belong to it. Its weights are of the type `int`."""


Bounds = Union[tuple[float, float], Real]


def table(parameters: Mapping[str, Bounds], start: Mapping[str, float]) -> dict[str, Any]:
    """The tables `[parameters.<name>]` of a campaign. Values in `start` replace those of the parameters."""
    if not parameters:
        raise Error("there is no parameter to tune: name one with its bounds, as in {\"empty\": (0, 300)}")
    unknown = [name for name in start if name not in parameters]
    if unknown:
        raise Error(f"`start` has `{unknown[0]}`, which is no parameter (they are {', '.join(parameters)})")
    return {name: _entry(_declared(name, bounds), start.get(name)) for name, bounds in parameters.items()}


def plain(value: Any) -> Union[int, float]:
    """A number of any library as one of Python."""
    return int(value) if isinstance(value, Integral) else float(value)


def start_values(parameters: Mapping[str, Any]) -> dict[str, float]:
    """The start of each of these tables."""
    return {name: entry["start"] for name, entry in parameters.items()}


def _declared(name: str, bounds: Bounds) -> Real:
    if isinstance(bounds, Real):
        return bounds
    try:
        low, high = bounds
        return Real(float(low), float(high))
    except (TypeError, ValueError):
        raise Error(
            f"the bounds of `{name}` are {bounds!r}: write two numbers, as in (0, 300), or tiletune.Real(0, 300) or "
            "tiletune.Integer(0, 300)"
        ) from None


def _entry(parameter: Real, start: Optional[float]) -> dict[str, Any]:
    is_integer = isinstance(parameter, Integer)
    if start is None:
        start = parameter.start if parameter.start is not None else _middle(parameter)
    start = plain(start)
    if is_integer and (isinstance(start, int) or start.is_integer()):
        start = int(start)
    return {
        "doc": parameter.doc,
        "start": start,
        "min": plain(parameter.min),
        "max": plain(parameter.max),
        "scale": parameter.scale,
        "integer": is_integer or None,
        "step": parameter.step,
    }


def _middle(parameter: Real) -> float:
    is_log = parameter.scale == "log" and parameter.min > 0 and parameter.max > 0
    low, high = float(parameter.min), float(parameter.max)
    middle = math.sqrt(low) * math.sqrt(high) if is_log else low / 2 + high / 2
    return round(middle) if isinstance(parameter, Integer) and math.isfinite(middle) else middle
