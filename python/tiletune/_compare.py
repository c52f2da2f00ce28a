"""`compare`: is player B better than A?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Optional, Union

from . import _function, _parameters, _program, _toml, _tune, _watch
from ._function import Play
from ._run import Run

# A run, a weights file or a word of the command line, or a function with its weights.
Compared = Union[Run, str, "os.PathLike[str]", tuple[Play, Mapping[str, _parameters.Value]]]

# Exit codes of a comparison that has ended: better, not better, undecided.
_VERDICTS = (0, 3, 4)


def compare(
    first: Compared,
    *others: Compared,
    seed: Optional[int] = None,
    margin: Optional[Union[str, float]] = None,
    max_games: Optional[int] = None,
    unpaired: bool = False,
    out: Optional[Union[str, "os.PathLike[str]"]] = None,
    threads: Optional[int] = None,
    progress: bool = True,
    **options: Any,
) -> Run:
    """Plays each of the others against the first until the answer is known; see docs/compare.md.

    A player is a run (its recommended weights), a weights file, `"RUN:tuned"`, `"PLAYER"`, `"PLAYER:WEIGHTS"` or
    `"published"`, or a Python function with weights: `(play, {"empty": 30})`. `options` are those of players on the
    command line, as in `depth=2` or `game="connect-four"`.

    Returns the run: `verdict` is `"better"`, `"worse"`, `"no-difference"` or `"undecided"`, `difference` and `interval`
    are those of the second player, and `results` has all players. A verdict that is not better is no error.
    """
    _function.refuse_in_workers("compare")
    known = {"seed": seed, "margin": margin, "max_games": max_games, "unpaired": unpaired or None, "threads": threads}
    run = Path(out) if out is not None else _tune.free("compare")
    with ExitStack() as stack:
        words, environment = _operands([first, *others], stack)
        command = ["compare", *_program.flags({**known, **options, "out": run}), "--", *words]
        code, stdout, stderr = _watch.run(command, environment, progress)
    if code == _watch.INTERRUPTED:
        raise KeyboardInterrupt(_tune.how_to_continue(run, bool(environment)))
    _program.result(code, stdout, stderr, _VERDICTS)
    return Run(run)


def _operands(players: Sequence[Compared], stack: ExitStack) -> tuple[list[str], dict[str, str]]:
    """The players as words of the command line. Functions become weights files in a temporary folder."""
    given = [player for player in players if isinstance(player, tuple)]
    if not given:
        return [str(player) for player in players], {}
    functions, environment = stack.enter_context(_function.reached([play for play, _ in given]))
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    reached = iter(functions)
    words = []
    for number, player in enumerate(players, 1):
        if not isinstance(player, tuple):
            words.append(str(player))
            continue
        function = next(reached)
        file = folder / f"{_function.title(player[0])}-{number}.toml"
        file.write_text(_toml.document(_weights_file(function, player[1], environment)), encoding="utf-8")
        words.append(str(file))
    return words, environment


def _weights_file(
    function: _function.Function, weights: Mapping[str, _parameters.Value], environment: Mapping[str, str]
) -> dict[str, Any]:
    values = {name: _parameters.plain(value) for name, value in weights.items()}
    declared = {name: _constant(value) for name, value in values.items()}
    program = function.program(values, environment, {"parameters": declared})
    numbers = {name: declared[name]["default"] for name in values}
    return {"game": "external", "player": "program", "weights": numbers, "heuristic": program}


def _constant(value: _parameters.Value) -> dict[str, Any]:
    if isinstance(value, str):
        # A declaration has at least two choices.
        return {"default": 0, "min": 0, "max": 1, "integer": True, "choices": [value, f"not {value}"]}
    return {"default": value, "min": value, "max": value, "integer": isinstance(value, int) or None}
