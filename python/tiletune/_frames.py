"""Tables of a run as data frames of polars or pandas."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Optional

from ._errors import Error

LIBRARIES = ("polars", "pandas")

# Columns that hold a value a second time, for readers that must have every bit.
_BITS = "_bits"


def read(run: Path, table: str, frame: Optional[str]) -> Any:
    """A table of a run directory."""
    library = _library(frame)
    files = sorted((run / "tables" / table).glob("*.parquet"))
    if not files:
        known = sorted(one.name for one in (run / "tables").glob("*") if list(one.glob("*.parquet")))
        raise Error(f"{run} has no rows in a table `{table}` (its tables: {', '.join(known) or 'none'})")
    found = _polars(files) if library == "polars" else _pandas(files)
    return found[[name for name in found.columns if not name.endswith(_BITS)]]


def _library(frame: Optional[str]) -> str:
    if frame is not None and frame not in LIBRARIES:
        raise Error(f"`frame` is {frame!r}: it is \"polars\" or \"pandas\"")
    found = next((name for name in ([frame] if frame else LIBRARIES) if find_spec(name)), None)
    if found is None:
        wanted = frame or "polars"
        raise Error(f"tables need {frame or 'polars or pandas'}: install it, as in `pip install {wanted}`")
    return found


def _polars(files: list[Path]) -> Any:
    return import_module("polars").read_parquet(files)


def _pandas(files: list[Path]) -> Any:
    pandas = import_module("pandas")
    try:
        return pandas.concat([pandas.read_parquet(file) for file in files], ignore_index=True)
    except ImportError as error:
        raise Error(f"pandas cannot read Parquet: install pyarrow, as in `pip install pyarrow` ({error})") from None
