"""Parameters of a function that is tuned: bounds, start and scale; or choices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Optional, Union

from ._errors import Error


@dataclass(frozen=True)
class Real:
    """A number between two bounds.

    `start` is where the search begins, by default the middle on the scale. `scale` is `"linear"`, or `"log"`: equal
    steps are equal ratios, and bounds must be positive. `step` is the first standard deviation of the search, as a
    multiple of the usual one. Where `active_when` does not hold, as in `"method == 'exact'"`, the number has its start
    value.
    """

    min: float
    max: float
    start: Optional[float] = None
    scale: str = "linear"
    step: Optional[float] = None
    doc: Optional[str] = None
    active_when: Optional[str] = None


@dataclass(frozen=True)
class Integer(Real):
    """A whole number between two bounds, which belong to it. Its weights are of the type `int`."""


@dataclass(frozen=True)
class Choice:
    """One of at least two texts, without an order. `start` is where the search begins, by default the first one."""

    choices: Sequence[str]
    start: Optional[str] = None
    doc: Optional[str] = None
    active_when: Optional[str] = None

    def __post_init__(self) -> None:
        # A text is a sequence of its letters.
        if isinstance(self.choices, str):
            raise Error(f"the choices are {self.choices!r}: write a list, as in tiletune.Choice([\"a\", \"b\"])")


Bounds = Union[tuple[float, float], Real, Choice]

# The value of a parameter: a number, or one of its choices.
Value = Union[int, float, str]


def table(parameters: Mapping[str, Bounds], start: Mapping[str, Value]) -> dict[str, Any]:
    """The tables `[parameters.<name>]` of a campaign. Values in `start` replace those of the parameters."""
    if not parameters:
        raise Error("there is no parameter to tune: name one with its bounds, as in {\"empty\": (0, 300)}")
    unknown = [name for name in start if name not in parameters]
    if unknown:
        raise Error(f"`start` has `{unknown[0]}`, which is no parameter (they are {', '.join(parameters)})")
    return {name: _entry(name, _declared(name, bounds), start.get(name)) for name, bounds in parameters.items()}


def plain(value: Any) -> Value:
    """A number of any library as one of Python. A text stays."""
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, Integral) else float(value)


def start_values(parameters: Mapping[str, Any]) -> dict[str, Value]:
    """The start of each of these tables."""
    return {name: entry["start"] for name, entry in parameters.items()}


def texts(weights: Mapping[str, float], parameters: Mapping[str, Any]) -> dict[str, Value]:
    """Weights of a run, with the text of each choice in the place of its number."""
    choices = {name: one.get("choices") for name, one in parameters.items()}
    return {name: choices[name][int(value)] if choices.get(name) else value for name, value in weights.items()}


def _declared(name: str, bounds: Bounds) -> Union[Real, Choice]:
    if isinstance(bounds, (Real, Choice)):
        return bounds
    try:
        low, high = bounds
        return Real(float(low), float(high))
    except (TypeError, ValueError):
        raise Error(
            f"the bounds of `{name}` are {bounds!r}: write two numbers, as in (0, 300), or tiletune.Real(0, 300), "
            "tiletune.Integer(0, 300) or tiletune.Choice([\"a\", \"b\"])"
        ) from None


def _entry(name: str, parameter: Union[Real, Choice], start: Optional[Value]) -> dict[str, Any]:
    if isinstance(parameter, Choice):
        given = [start, parameter.start, *parameter.choices]
        choices = list(parameter.choices)
        first = next((one for one in given if one is not None), None)
        first = first if first is None else _choice(name, first, choices)
        return {"doc": parameter.doc, "start": first, "choices": choices, "active_when": parameter.active_when}
    if not (math.isfinite(parameter.min) and math.isfinite(parameter.max)):
        raise Error(f"the bounds of `{name}` are {parameter.min} and {parameter.max}: both are finite numbers")
    is_integer = isinstance(parameter, Integer)
    if start is None:
        start = parameter.start if parameter.start is not None else _middle(parameter)
    start = plain(start)
    if is_integer and not isinstance(start, str) and float(start).is_integer():
        start = int(start)
    return {
        "doc": parameter.doc,
        "start": start,
        "min": plain(parameter.min),
        "max": plain(parameter.max),
        "scale": parameter.scale,
        "integer": is_integer or None,
        "step": parameter.step,
        "active_when": parameter.active_when,
    }


def _choice(name: str, value: Value, choices: Sequence[str]) -> str:
    """A choice that is given by its text, or by its number from 0, as weights files have it."""
    value = plain(value)
    if not isinstance(value, str) and value in range(len(choices)):
        return choices[int(value)]
    if value not in choices:
        raise Error(f"the start of `{name}` is {value!r}: it is one of {', '.join(map(repr, choices))}, or its number from 0")
    return str(value)


def _middle(parameter: Real) -> float:
    is_log = parameter.scale == "log" and parameter.min > 0 and parameter.max > 0
    low, high = float(parameter.min), float(parameter.max)
    middle = math.sqrt(low) * math.sqrt(high) if is_log else low / 2 + high / 2
    return round(middle) if isinstance(parameter, Integer) and math.isfinite(middle) else middle
