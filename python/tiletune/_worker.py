"""Plays games with a Python function and speaks the protocol of programs (docs/external.md).

As a program, `_worker.py KIND SOURCE FUNCTION PARAMETERS NUMBERS [PATH..] -- [ARGUMENT..]`, it imports the function
by its name, with these folders in `sys.path` and these arguments in `sys.argv`. It needs no other module of the
package.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import math
import os
import runpy
import signal
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Callable, TextIO

# In the place of the names of numbers: one game is played to find them.
PROBE = "?"

# Set while a worker imports the file of a function.
IMPORTING = "TILETUNE_IMPORTING"

# The name of the main module in a worker, so that what stands under `if __name__ == "__main__"` is left out.
MAIN = "__tiletune_worker__"

_Play = Callable[[dict[str, Any], int], Any]


class _Pipes:
    """stdin and stdout for the protocol alone. What a game prints goes to stderr, and it reads nothing."""

    def __init__(self) -> None:
        self.tasks: TextIO = os.fdopen(os.dup(0), "r", encoding="utf-8")
        self.answers: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdin = open(0, encoding="utf-8", closefd=False)
        sys.stdout = sys.stderr = open(2, "w", buffering=1, encoding="utf-8", errors="replace", closefd=False)

    def write(self, answer: dict[str, Any]) -> None:
        self.answers.write(json.dumps(answer) + "\n")
        self.answers.flush()


def serve(load: Callable[[], _Play], name: str, parameters: str, numbers: str) -> None:
    """Answers tasks until stdin is closed. `parameters` and `numbers` are names with commas between them."""
    # The program ends its processes; Ctrl-C is its affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipes = _Pipes()
    # A crash inside of a library leaves its place in the log.
    faulthandler.enable(2)
    if numbers == PROBE:
        pipes.write(_probe(load, json.loads(pipes.tasks.readline())))
        return
    play = load()
    names = numbers.split(",")
    declared = [one for one in parameters.split(",") if one]
    pipes.write({"protocol": 1, "program": name, "parameters": declared, "numbers": names})
    for line in pipes.tasks:
        pipes.write(_answer(play, json.loads(line), names))


def _probe(load: Callable[[], _Play], task: dict[str, Any]) -> dict[str, Any]:
    """The names of the numbers that a function returns, `None` if it returns a number alone; or its exception if it
    raises one in each game.
    """
    try:
        play = load()
        error = ""
        for seed in task["seeds"]:
            try:
                result = play(dict(task["weights"]), int(seed))
                names = list(_numbers(result, "score"))
                return {"numbers": names if isinstance(result, dict) else None}
            except (Exception, SystemExit) as exception:
                error = _trace(exception)
        return {"error": error}
    except (Exception, SystemExit) as exception:
        return {"error": _trace(exception), "import": True}


def _answer(play: _Play, task: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    columns: dict[str, list[float]] = {name: [] for name in names}
    for seed in task["seeds"]:
        try:
            found = _numbers(play(dict(task["weights"]), int(seed)), names[0])
            if set(found) != set(names):
                raise ValueError(f"it returned the numbers {', '.join(found)}, and {', '.join(names)} before")
        except (Exception, SystemExit) as exception:
            print(_trace(exception), file=sys.stderr, flush=True)
            return {"refused": _in_a_line(exception)}
        for name, number in found.items():
            columns[name].append(number)
    return columns


def _numbers(result: Any, alone: str) -> dict[str, float]:
    """The numbers of a game: of the function's dict, or its number, whose name is `alone`."""
    given = result if isinstance(result, dict) else {alone: result}
    if not given:
        raise TypeError("it returned an empty dict: return a number, or numbers by name")
    return {str(name): _number(name, value) for name, value in given.items()}


def _number(name: Any, value: Any) -> float:
    try:
        number = float(value) if not isinstance(value, str) else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise TypeError(f"it returned {value!r} for `{name}`: return a finite number, or a dict of numbers by name")
    return number


def _trace(exception: BaseException) -> str:
    """The traceback without the frames of this module."""
    trace = traceback.TracebackException.from_exception(exception)
    trace.stack[:] = [frame for frame in trace.stack if frame.filename != __file__]
    return "".join(trace.format()).rstrip()


def _in_a_line(exception: BaseException) -> str:
    what = traceback.format_exception_only(type(exception), exception)[-1].strip()
    frames = [frame for frame in traceback.extract_tb(exception.__traceback__) if frame.filename != __file__]
    return f"{what} ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else what


def _import(kind: str, source: str, function: str) -> _Play:
    os.environ[IMPORTING] = "1"
    found: Any = _module(kind, source)
    del os.environ[IMPORTING]
    for part in function.split("."):
        found = getattr(found, part)
    play: _Play = found
    return play


def _module(kind: str, source: str) -> ModuleType:
    if kind == "module":
        return importlib.import_module(source)
    run = runpy.run_path if kind == "script" else runpy.run_module
    main = ModuleType(MAIN)
    main.__dict__.update(run(source, run_name=MAIN))
    # What the script defines names its module `__main__`, for example in pickles.
    sys.modules["__main__"] = sys.modules[MAIN] = main
    return main


def _main() -> None:
    kind, source, function, parameters, numbers, *rest = sys.argv[1:]
    paths, arguments = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    sys.path[:0] = paths
    sys.argv[:] = [source, *arguments]
    serve(lambda: _import(kind, source, function), function, parameters, numbers)


if __name__ == "__main__":
    _main()
