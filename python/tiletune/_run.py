"""A run: what `tune` and `compare` give back, and any run directory."""

from __future__ import annotations

import html
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any, Optional, Union

from . import _frames, _parameters, _program
from ._errors import Error

# A run, the path or name of one, or `"last"`.
RunLike = Union["Run", str, "os.PathLike[str]"]

# The table of games that is meant without a name, by the kind of the run.
_GAMES = {"campaign": "train", "series": "hold-out"}


class Run:
    """A run directory of tiletune.

    `run` is a path, the name of a run in `results`, or `"last"`, the newest one there. The attributes are those of its
    beginning: a new `Run` sees how a run that is going on has gone on.

    Raises `Error` if there is no such run, or if it is damaged.
    """

    def __init__(self, run: RunLike = "last") -> None:
        self._shown = _program.call("runs", "show", str(run))
        #: The run directory.
        self.path: Path = Path(self._shown["path"]).absolute()

    @property
    def name(self) -> str:
        """The name of the campaign, series, experiment or comparison."""
        return str(self._shown["name"])

    @property
    def kind(self) -> str:
        """`"campaign"`, `"series"`, `"experiment"` or `"comparison"`."""
        return str(self._shown["kind"])

    @property
    def state(self) -> str:
        """`"running"`, `"killed"`, `"interrupted"`, `"failed"` or `"complete"`."""
        return str(self._shown["state"])

    @property
    def plan(self) -> dict[str, Any]:
        """The whole configuration with all defaults, with the keys of a campaign file."""
        plan: dict[str, Any] = self._shown["plan"]
        return plan

    @cached_property
    def best(self) -> dict[str, Any]:
        """The recommended weights: the tuned ones if the hold-out games show that they are better, else the start."""
        return self._weights()

    @cached_property
    def tuned(self) -> dict[str, Any]:
        """The tuned weights, whether they are better or not."""
        return self._weights("--tuned")

    @property
    def verdict(self) -> Optional[str]:
        """Whether the tuned weights are better than the start; of a comparison the second player than the first.

        `"better"`, `"worse"`, `"undecided"` and so on; `None` without hold-out games, and before there is a result.
        """
        found = self._difference().get("verdict")
        return None if found is None else str(found)

    @property
    def difference(self) -> Optional[float]:
        """Tuned minus start weights in the hold-out games, in points of the objective, where more is better.

        Of a comparison the second player minus the first.
        """
        found = self._difference()
        return found.get("mean", found.get("difference"))

    @property
    def interval(self) -> Optional[tuple[float, float]]:
        """The ends of the 95 % interval of `difference`; `None` if there is none."""
        found = self._difference()
        low, high = found.get("low"), found.get("high")
        return None if low is None or high is None else (low, high)

    @cached_property
    def validation(self) -> Optional[dict[str, Any]]:
        """Start against tuned weights in the hold-out games, with the keys of `validation` in docs/json.md."""
        return self._json("validation.json")

    @cached_property
    def results(self) -> Optional[dict[str, Any]]:
        """The results of a comparison or an experiment, with the keys of docs/json.md."""
        return self._json("results.json")

    @property
    def report(self) -> Path:
        """The path of the report, a page for a browser."""
        return self.path / "report.html"

    @property
    def log(self) -> Path:
        """The path of what programs and functions wrote to stderr, with the tracebacks of exceptions."""
        return self.path / "program.log"

    def games(self, table: Optional[str] = None, frame: Optional[str] = None) -> Any:
        """The recorded games as a data frame; docs/tables.md has the columns.

        `table` is `"train"` (of a campaign the default), `"hold-out"`, `"hold-out-deeper"`, `"race"`, or `"games"` of a
        comparison or experiment. `frame` is `"polars"` or `"pandas"`, by default the first of them that is installed.
        """
        return _frames.read(self.path, table or _GAMES.get(self.kind, "games"), frame)

    def candidates(self, frame: Optional[str] = None) -> Any:
        """The candidates of a campaign as a data frame: weights, fitness and its standard error."""
        return _frames.read(self.path, "candidates", frame)

    def to_optuna(self, storage: Any = None, study_name: Optional[str] = None) -> Any:
        """A study of Optuna with a trial for each candidate, in memory or in a storage of Optuna.

        The best trial of the study is the luckiest candidate, and `best` the recommended weights. They are among the
        attributes of the study.
        """
        from . import _optuna

        return _optuna.study(self, storage, study_name)

    def __repr__(self) -> str:
        return f"<tiletune.Run {self._place()}: {self.kind}, {self.state}, {self._shown['headline']}>"

    def __fspath__(self) -> str:
        return str(self.path)

    __str__ = __fspath__

    def _repr_html_(self) -> str:
        """What a notebook shows: the result, the weights and the place of the report."""
        shown = [(one["of"], one["result"]) for one in self._shown["results"]]
        if (self.path / "best.toml").is_file():
            shown += [(f"best {name}", f"{value:.6g}") for name, value in self.best.items()]
        rows = "".join(f"<tr><td>{html.escape(of)}</td><td>{html.escape(value)}</td></tr>" for of, value in shown)
        report = f"<p>Report: <code>{html.escape(str(self.report))}</code></p>" if self.report.is_file() else ""
        head = html.escape(f"{self.name}: {self.kind}, {self.state}")
        return f"<p><b>{head}</b></p><table>{rows}</table>{report}"

    def _place(self) -> str:
        here = os.getcwd() + os.sep
        path = str(self.path)
        return path[len(here) :] if path.startswith(here) else path

    def _weights(self, *options: str) -> dict[str, Any]:
        if self.kind not in _GAMES:
            raise Error(f"{self._place()} is of the kind {self.kind}, which has no weights of its own")
        weights = _program.call("export", str(self.path), "--format=json", *options)["weights"]
        return _parameters.texts(weights, self.plan.get("parameters", {}))

    def _difference(self) -> dict[str, Any]:
        """Difference, interval and verdict, of whichever kind the run is."""
        if self.kind == "comparison":
            challenges = (self.results or {}).get("challengers") or [{}]
            last = challenges[0].get("path") or [{}]
            return {**last[-1], "verdict": challenges[0].get("verdict")}
        found: dict[str, Any] = (self.validation or {}).get("objective", {}).get("difference", {})
        return found

    def _json(self, name: str) -> Optional[dict[str, Any]]:
        path = self.path / name
        if not path.is_file():
            return None
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
