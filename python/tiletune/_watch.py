"""Runs a long command of the program and shows its progress: in a terminal and in a notebook the program's own line.

This module must not know what a command means.
"""

from __future__ import annotations

import codecs
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Optional

from . import _program

# The exit code of a program that Ctrl-C has ended.
INTERRUPTED = 130

# Seconds between looks for Ctrl-C.
_TICK = 0.2

# Bytes of messages that are kept for an error.
_KEPT = 1 << 16

# A notebook has no width; the program's line fits this one.
_NOTEBOOK_COLUMNS = 110

# Where an error message begins, with its colours.
_ERROR = re.compile(rb"error: |  (?:\x1b\[[0-9;]*m)*(?:\xc3\x97|x)(?:\x1b\[[0-9;]*m)* ")

_Show = Callable[[bytes], None]


def run(arguments: Sequence[str], environment: Mapping[str, str], shows: bool) -> tuple[int, bytes, bytes]:
    """Runs the program to its end: exit code, stdout and the end of its messages.

    Ctrl-C is passed on to it, and then its end is awaited; the exit code is `INTERRUPTED`. A second one ends it at
    once.
    """
    name, *rest = arguments
    command = [_program.find(), name, "--json", *([] if shows else ["--quiet"]), *rest]
    show, columns = _display() if shows else (None, None)
    reads, writes = _terminal(columns) if columns else os.pipe()
    try:
        process = _start(command, environment, writes)
        try:
            code, output, messages = _follow(process, reads, show)
        except BaseException:
            process.kill()
            raise
    finally:
        os.close(reads)
    # A program that has just been started does not handle the signal yet.
    return INTERRUPTED if code == -signal.SIGINT else code, output, messages


def _start(command: Sequence[str], environment: Mapping[str, str], stderr: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            _ending_with_this_process(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env={**os.environ, **environment},
        )
    finally:
        os.close(stderr)


def _follow(process: subprocess.Popen[bytes], reads: int, show: Optional[_Show]) -> tuple[int, bytes, bytes]:
    output: list[bytes] = []
    chunks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    assert process.stdout is not None
    readers = [
        threading.Thread(target=lambda pipe: output.append(pipe.read()), args=(process.stdout,)),
        threading.Thread(target=_read, args=(reads, chunks)),
    ]
    for reader in readers:
        reader.start()
    messages = bytearray()
    while True:
        try:
            _drain(chunks, messages, show)
            code = process.wait()
            break
        except KeyboardInterrupt:
            # On Windows the system has told the program, too.
            if os.name != "nt":
                process.send_signal(signal.SIGINT)
    for reader in readers:
        reader.join()
    process.stdout.close()
    return code, output[0], bytes(messages)


def _read(reads: int, chunks: queue.SimpleQueue[bytes]) -> None:
    """Reads messages until all who can write them have ended; the last chunk is empty."""
    while True:
        try:
            chunk = os.read(reads, 4096)
        except OSError:
            # The end of a terminal.
            chunk = b""
        chunks.put(chunk)
        if not chunk:
            return


def _drain(chunks: queue.SimpleQueue[bytes], messages: bytearray, show: Optional[_Show]) -> None:
    """Keeps and shows messages up to their end."""
    while True:
        try:
            # Ctrl-C is seen between two waits. A library can have made signals that do not end one.
            chunk = chunks.get(timeout=_TICK)
        except queue.Empty:
            continue
        if not chunk:
            # Ctrl-C from now on begins anew here.
            chunks.put(chunk)
            return
        messages += chunk
        del messages[:-_KEPT]
        if show and _program.has_error(messages):
            # The exception has the message.
            begin = _ERROR.search(chunk)
            show(chunk[: begin.start() if begin else 0])
            show = None
        elif show:
            show(chunk)


def _ending_with_this_process(command: Sequence[str]) -> list[str]:
    if not sys.platform.startswith("linux"):
        return list(command)
    launch = Path(__file__).with_name("_launch.py")
    return [sys.executable, "-I", "-S", str(launch), str(os.getpid()), *command]


def _display() -> tuple[_Show, Optional[int]]:
    """What shows messages, and the width of the terminal that the program shall see, if any."""
    has_terminals = hasattr(os, "openpty")
    notebook = _notebook()
    if notebook is not None:
        return notebook, _NOTEBOOK_COLUMNS if has_terminals else None
    is_terminal = has_terminals and sys.stderr is not None and sys.stderr.isatty()
    return _stderr(), shutil.get_terminal_size().columns if is_terminal else None


def _terminal(columns: int) -> tuple[int, int]:
    """A terminal of this width: the ends to read and to write. The program draws its line on one only."""
    # These modules are missing on Windows.
    import fcntl
    import struct
    import termios

    reads, writes = os.openpty()
    fcntl.ioctl(writes, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return reads, writes


def _stderr() -> _Show:
    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def show(chunk: bytes) -> None:
        if sys.stderr is not None:
            sys.stderr.write(decoder.decode(chunk))
            sys.stderr.flush()

    return show


def _notebook() -> Optional[_Show]:
    """Shows the last line in the cell of a notebook; `None` outside of one."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if not hasattr(shell, "kernel"):
        return None
    display: Any = import_module("IPython.display").display
    cell = display({"text/plain": ""}, raw=True, display_id=True)
    written = bytearray()

    def show(chunk: bytes) -> None:
        written.extend(chunk)
        del written[:-_KEPT]
        lines = [line for line in map(str.strip, _program.text(bytes(written)).split("\n")) if line]
        if lines:
            cell.update({"text/plain": lines[-1]}, raw=True)

    return show
