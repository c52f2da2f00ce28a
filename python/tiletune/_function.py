"""How the processes of the program reach a Python function: by its name, or by a fork of this process."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Callable, Optional

from . import _fork, _parameters, _relay, _worker
from ._errors import Error

Play = Callable[[dict[str, Any], int], Any]

# Seeds of the games that show which numbers a function returns.
_PROBED = ("1", "2", "3")

_CURE = (
    "a worker cannot import {name}, and only Linux can fork it: define the function at the top level of a module or "
    "script"
)

_GUARD = (
    "a worker that imports this file has met the call of tiletune.{name} again: put the call under "
    '`if __name__ == "__main__":`'
)


@dataclass(frozen=True)
class Function:
    """A function and the arguments by which the program's processes find it."""

    name: str
    # The program that a process runs, and what it gets before the names of parameters and numbers.
    script: str
    target: Sequence[str]
    # What comes behind them.
    more: Sequence[str] = ()

    def command(self, parameters: Sequence[str], numbers: str) -> list[str]:
        script = str(Path(__file__).with_name(self.script))
        return [sys.executable, script, *self.target, ",".join(parameters), numbers, *self.more]

    def program(
        self, start: Mapping[str, _parameters.Value], environment: Mapping[str, str], options: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The table of the program in a campaign or a weights file. Plays one game to learn its numbers."""
        numbers = self._numbers(start, environment) or ["loss" if options.get("minimise") else "score"]
        command = self.command(list(start), ",".join(numbers))
        return {"command": command, "folder": os.getcwd(), **options}

    def _numbers(self, start: Mapping[str, _parameters.Value], environment: Mapping[str, str]) -> Optional[list[str]]:
        task = json.dumps({"weights": dict(start), "seeds": _PROBED})
        done = subprocess.run(
            self.command(list(start), _worker.PROBE),
            input=task.encode() + b"\n",
            env={**os.environ, **environment},
            capture_output=True,
            check=False,
        )
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise Error(f"a worker of {self.name} has ended with exit code {done.returncode}: {said}") from None
        if "error" in answer:
            what = "a worker cannot import" if "import" in answer else "with the start weights every game fails in"
            raise Error(f"{what} {self.name}:\n{answer['error']}")
        numbers: Optional[list[str]] = answer["numbers"]
        return numbers


@contextmanager
def reached(functions: Sequence[Play]) -> Iterator[tuple[list[Function], dict[str, str]]]:
    """The functions as the program's processes find them, and the environment that these need."""
    found = [_imported(play) for play in functions]
    lost = [play for play, function in zip(functions, found) if function is None]
    with forked(lost) as environment:
        numbers = iter(range(len(lost)))
        yield [function or _relayed(play, next(numbers)) for play, function in zip(functions, found)], environment


@contextmanager
def forked(functions: Sequence[Play]) -> Iterator[dict[str, str]]:
    """The environment in which relays find these functions, by their place in the list."""
    if not functions:
        yield {}
        return
    if not _fork.is_available():
        raise Error(_CURE.format(name=_name(functions[0])))
    server = _fork.ForkServer(functions)
    try:
        yield server.environment
    finally:
        server.close()


def _relayed(play: Play, number: int) -> Function:
    return Function(_name(play), Path(_relay.__file__).name, [_name(play), str(number)])


def refuse_in_workers(name: str) -> None:
    """Refuses a call that a worker reaches while it imports the script."""
    if os.environ.get(_worker.IMPORTING):
        raise Error(_GUARD.format(name=name))


def is_forked(command: Sequence[str]) -> bool:
    """Whether the program of a run is a function of a Python process."""
    return len(command) > 1 and Path(command[1]).name == Path(_relay.__file__).name


def title(play: Play) -> str:
    """The name of a function, as a name of a run or a file."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "", _name(play))
    return "function" if name in ("", "lambda") else name


def _name(play: Any) -> str:
    return getattr(play, "__name__", type(play).__name__)


def _imported(play: Play) -> Optional[Function]:
    """The function by its name; `None` if its name does not lead to it."""
    qualified, module = getattr(play, "__qualname__", ""), sys.modules.get(getattr(play, "__module__", None) or "")
    if module is None or _lookup(module, qualified) is not play:
        return None
    where = _main(module, play) if module.__name__ == "__main__" else _module(module)
    if where is None:
        return None
    # A script can read its arguments while it is imported.
    arguments = sys.argv[1:] if module.__name__ == "__main__" else []
    more = [*_new_paths(), "--", *arguments]
    return Function(_name(play), Path(_worker.__file__).name, [*where, qualified], more)


def _lookup(module: ModuleType, qualified: str) -> Any:
    found: Any = module
    for part in qualified.split("."):
        found = getattr(found, part, None)
    return found


def _module(module: ModuleType) -> Optional[tuple[str, str]]:
    spec = getattr(module, "__spec__", None)
    return ("module", module.__name__) if spec is not None and spec.origin else None


def _main(main: ModuleType, play: Play) -> Optional[tuple[str, str]]:
    """Where the main module is from: a module that was run by `python -m`, or a script."""
    code = getattr(inspect.unwrap(play), "__code__", None)
    if code is None or not os.path.isfile(code.co_filename):
        # It was typed at a prompt, perhaps after a script has ended (`python -i`).
        return None
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    if spec is not None:
        return ("main-module", spec.name)
    if not file or not os.path.isfile(file):
        return None
    file = os.path.abspath(file)
    return ("script", os.path.relpath(file) if file.startswith(os.getcwd() + os.sep) else file)


def _new_paths() -> list[str]:
    """The folders in `sys.path` that a new interpreter does not have."""
    show = "import json, sys; print(json.dumps(sys.path))"
    done = subprocess.run([sys.executable, "-c", show], capture_output=True, check=True)
    known = {os.path.abspath(path) for path in json.loads(done.stdout)[1:]}
    paths = dict.fromkeys(os.path.abspath(path) for path in sys.path)
    return [path for path in paths if path not in known]
