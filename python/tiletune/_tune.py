"""`tune` and `resume`: a campaign of a Python function."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Optional, Union

from . import _function, _parameters, _program, _toml, _watch
from ._errors import Error
from ._function import Play
from ._parameters import Bounds, Value
from ._run import Run, RunLike

# Training games of a tuning without any limit.
_GAMES = 5000

# Limits of the hold-out games of each of the two sets of weights; in between they are a tenth of the training games.
_LEAST_HOLD_OUT, _MOST_HOLD_OUT = 100, 1000

_DIRECTIONS = {"maximise": None, "maximize": None, "minimise": True, "minimize": True}

# What starts a search: values by name, or a run whose recommended weights they are.
Start = Union[Mapping[str, Value], RunLike]


def tune(
    play: Play,
    parameters: Mapping[str, Bounds],
    *,
    games: Optional[int] = None,
    minutes: Optional[float] = None,
    start: Optional[Start] = None,
    require: Sequence[str] = (),
    seed: Optional[int] = None,
    direction: str = "maximise",
    name: Optional[str] = None,
    why: Optional[str] = None,
    out: Optional[Union[str, "os.PathLike[str]"]] = None,
    threads: Optional[int] = None,
    progress: bool = True,
    **settings: Mapping[str, Any],
) -> Run:
    """Tunes the parameters of a Python function on all cores, and plays hold-out games with the result.

    `play(weights, seed)` gets a dict of numbers and a whole number from 0 to 2^64 - 1, and returns a number, or a dict
    of numbers whose first one is the score. It must depend on nothing else. `parameters` has two bounds for each
    weight, or a `Real`, `Integer` or `Choice`; the weight of a `Choice` is a text. All candidates keep the constraints
    of `require`, as in `["low < high"]`.

    The search ends after so many training `games` or `minutes`, by default after 5,000 games. `start` has values to
    begin with, or is a run. The same `seed` gives the same result. `direction` is `"maximise"` or `"minimise"`. `out`
    is the run directory, by default `results/<name>-<time>`. `threads` is the number of games at a time, by default
    one for each core. `settings` are other tables of a campaign file (docs/campaigns.md and docs/external.md), as in
    `validation={"games": 300}`, `player={"time_limit": 5}` or `evaluation={"games": 10}`.

    A function of a script or module is imported by each worker. Another one, of a notebook cell or a lambda, is
    forked from this process, which only Linux can. A game that raises an exception makes its weights unusable; the
    traceback is in the log of the run.

    Returns the complete run. Raises `Error` with the message of the program. Ctrl-C ends all workers; the
    `KeyboardInterrupt` says how to continue.
    """
    _function.refuse_in_workers("tune")
    title = name or _function.title(play)
    tables = _parameters.table(parameters, _values(start))
    campaign: dict[str, Any] = {
        "why": why or f"Which parameters of {title} are best?",
        "name": title,
        "seed": seed,
        "require": list(require) or None,
        "player": {"minimise": _is_loss(direction)},
        "budget": {"games": games, "minutes": minutes},
        "validation": {"games": _hold_out(games, minutes)},
        "parameters": tables,
    }
    _merge(campaign, settings)
    if not any(value is not None for value in campaign["budget"].values()):
        campaign["budget"]["games"] = _GAMES
    run = Path(out) if out is not None else free(title)
    with _function.reached([play]) as ([function], environment), tempfile.TemporaryDirectory() as folder:
        begins = _parameters.start_values(tables)
        campaign["player"] = function.program(begins, environment, campaign["player"])
        file = Path(folder, "campaign.toml")
        file.write_text(_toml.document(campaign), encoding="utf-8")
        command = ["tune", str(file), f"--out={run}", *_program.flags({"threads": threads})]
        return _finish(command, environment, run, progress, bool(environment))


def resume(
    run: RunLike = "last",
    play: Optional[Play] = None,
    *,
    threads: Optional[int] = None,
    progress: bool = True,
) -> Run:
    """Continues a run that was interrupted, and returns it complete.

    `play` is needed for a function of a notebook cell or a lambda alone, which the run cannot find by itself.
    """
    _function.refuse_in_workers("resume")
    found = Run(run)
    needs_function = _function.is_forked(found.plan.get("heuristic", {}).get("command", []))
    if needs_function != (play is not None):
        cure = "give it, as in tiletune.resume(RUN, play)" if needs_function else "leave it out"
        knows = "does not know" if needs_function else "knows"
        raise Error(f"{found.path} {knows} its function: {cure}")
    command = ["resume", str(found.path), *_program.flags({"threads": threads})]
    # What was forked must be forked again, so that the run finds it in the same way.
    forks = [play] if play is not None else []
    with _function.forked(forks) as environment:
        return _finish(command, environment, found.path, progress, needs_function)


def _finish(
    command: Sequence[str], environment: Mapping[str, str], run: Path, progress: bool, is_forked: bool
) -> Run:
    code, stdout, stderr = _watch.run(command, environment, progress)
    if code == _watch.INTERRUPTED:
        raise KeyboardInterrupt(how_to_continue(run, is_forked))
    told = _program.result(code, stdout, stderr)
    refused = told.get("refused_candidates")
    done = Run(run)
    if refused:
        what = f"{refused} candidates raised an exception or gave no number, and were left out; see {done.log}"
        warnings.warn(what, stacklevel=3)
    return done


def how_to_continue(run: Path, is_forked: bool) -> str:
    """The message of an interrupted run."""
    if not (run / "manifest.json").is_file():
        return "interrupted; there is nothing to resume"
    play = ", play" if is_forked else ""
    shell = "" if is_forked else f", or in a shell: tiletune resume {run}"
    return f"interrupted; to continue: tiletune.resume({str(run)!r}{play}){shell}"


def _is_loss(direction: str) -> Optional[bool]:
    if direction not in _DIRECTIONS:
        raise Error(f"`direction` is {direction!r}: it is \"maximise\" or \"minimise\"")
    return _DIRECTIONS[direction]


def _values(start: Optional[Start]) -> Mapping[str, Value]:
    if start is None:
        return {}
    return start if isinstance(start, Mapping) else Run(start).best


def _hold_out(games: Optional[int], minutes: Optional[float]) -> Optional[int]:
    if games is None and minutes is not None:
        return None
    return min(max((games or _GAMES) // 10, _LEAST_HOLD_OUT), _MOST_HOLD_OUT)


def _merge(campaign: dict[str, Any], settings: Mapping[str, Any]) -> None:
    for key, table in settings.items():
        known = campaign.get(key)
        campaign[key] = {**known, **table} if isinstance(known, dict) and isinstance(table, Mapping) else table


def free(name: str) -> Path:
    """A run directory in `results` that does not exist yet, so that an interrupted run can be named."""
    base = f"{name}-{datetime.now(timezone.utc):%Y%m%dT%H%M%SZ}"
    path, number = Path("results", base), 2
    while path.exists():
        path, number = Path("results", f"{base}-{number}"), number + 1
    return path
