"""Finds the program `tiletune` and calls it. This module must not know what a command means."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Union

from ._errors import Error

VARIABLE = "TILETUNE"

# Colours and movements of the cursor.
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

# The beginning of an error message of the program.
_ERROR = re.compile(r"^(?:error: |  [×x] )", re.MULTILINE)


def find() -> str:
    """The path of the program: of the variable TILETUNE, beside the Python interpreter, or in PATH."""
    named = os.environ.get(VARIABLE)
    if named:
        if not Path(named).is_file():
            raise Error(f"the environment variable {VARIABLE} names {named}, which is not a file")
        return os.path.abspath(named)
    name = "tiletune.exe" if os.name == "nt" else "tiletune"
    beside = Path(sysconfig.get_path("scripts"), name)
    found = str(beside) if beside.is_file() else shutil.which("tiletune")
    if not found:
        raise Error(
            f"the program `tiletune` is neither in {beside.parent} nor in PATH: install the package again, "
            f"or set the environment variable {VARIABLE} to the path of the program"
        )
    return found


def call(*arguments: str) -> Any:
    """The JSON that a command prints. For commands that take a moment and start no programs.

    Raises `Error` with the message of the program.
    """
    command = [find(), *arguments, "--json", "--quiet"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return result(done.returncode, done.stdout, done.stderr)


def result(code: int, stdout: bytes, stderr: bytes, fine: Sequence[int] = (0,)) -> Any:
    """What a command that has ended has printed. `fine` are the exit codes of success."""
    if code not in fine:
        raise Error(message(stderr) or f"the program ended with exit code {code}", code)
    return json.loads(stdout)


def message(stderr: Union[bytes, bytearray]) -> str:
    """The error message in what the program has written."""
    plain = text(stderr)
    begin = _ERROR.search(plain)
    return plain[begin.end() if begin else 0 :].strip()


def has_error(stderr: Union[bytes, bytearray]) -> bool:
    """Whether an error message has begun."""
    return _ERROR.search(text(stderr)) is not None


def text(written: Union[bytes, bytearray]) -> str:
    """What the program has written, without colours and with line breaks alone."""
    return _ESCAPE.sub("", written.decode("utf-8", "replace")).replace("\r\n", "\n").replace("\r", "\n")


def flags(options: Mapping[str, Any]) -> list[str]:
    """Options of the command line: `max_games=5` becomes `--max-games=5`, `True` a flag without value.

    Options that are `None` are left out.
    """
    given = ((f"--{key.replace('_', '-')}", value) for key, value in options.items() if value is not None)
    return [key if value is True else f"{key}={_word(value)}" for key, value in given]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return str(value)
