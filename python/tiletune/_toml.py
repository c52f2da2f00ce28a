"""Writes TOML: the campaign and weights files that the program reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from numbers import Integral
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def document(table: Mapping[str, Any]) -> str:
    """A TOML document. Values that are `None` are left out."""
    return "\n".join(_lines(table, ()))


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    given = {key: value for key, value in table.items() if value is not None}
    tables = {key: value for key, value in given.items() if isinstance(value, Mapping)}
    lines = [f"[{'.'.join(map(_key, path))}]"] if path else []
    lines += [f"{_key(key)} = {_value(value)}" for key, value in given.items() if key not in tables]
    lines.append("")
    for key, inner in tables.items():
        lines += _lines(inner, (*path, key))
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None)
        return f"{{ {inner} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if hasattr(value, "__float__"):
        # Also numbers of other libraries, whose own text is not TOML.
        return repr(float(value))
    return _text(str(value))


def _text(value: str) -> str:
    # The escapes of JSON are escapes of TOML, which also wants one for DEL.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
