"""Functions that cannot be imported: a process forked from this one forks a worker for each process that the program
starts. Linux only.

The first fork has a single thread, so that workers are forked from a quiet process. It lives as long as a `ForkServer`.
"""

from __future__ import annotations

import array
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NoReturn

from . import _relay, _worker

# Seconds between looks for workers that have ended.
_TICK = 0.1

# The path of a socket has at most 107 bytes.
_LONGEST_FOLDER = 80

Play = Callable[..., Any]


def is_available() -> bool:
    return sys.platform.startswith("linux") and hasattr(os, "fork")


class ForkServer:
    """Forks workers of some functions until it is closed."""

    def __init__(self, functions: Sequence[Play]) -> None:
        base = tempfile.gettempdir()
        self._folder = tempfile.mkdtemp(prefix="tiletune-", dir=base if len(base) < _LONGEST_FOLDER else "/tmp")
        path = str(Path(self._folder, "socket"))
        self.environment = {_relay.SOCKET: path}
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(128)
        lives, self._life = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Python warns of a fork beside other threads. The page about Python says which libraries mind.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            os.close(self._life)
            _end(lambda: _Server(listener, lives, functions).run(self._folder))
        listener.close()
        os.close(lives)

    def close(self) -> None:
        """Ends the workers, and waits for the process that has forked them."""
        os.close(self._life)
        try:
            os.waitpid(self._pid, 0)
        except ChildProcessError:
            # Something else in this process waits for all of its children.
            pass


class _Server:
    """The process that forks workers. It ends when the other end of `lives` is closed."""

    def __init__(self, listener: socket.socket, lives: int, functions: Sequence[Play]) -> None:
        self.listener, self.lives, self.functions = listener, lives, functions
        self.workers: dict[socket.socket, int] = {}

    def run(self, folder: str) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        # An event loop of the process before would be told of signals of this one.
        signal.set_wakeup_fd(-1)
        while True:
            waited: list[Any] = [self.lives, self.listener, *self.workers]
            ready, _, _ = select.select(waited, [], [], _TICK)
            if self.lives in ready:
                break
            for connection in ready:
                if connection is self.listener:
                    self._accept()
                else:
                    # The relay has ended; its worker may still play.
                    os.kill(self.workers[connection], signal.SIGKILL)
            self._reap()
        for pid in self.workers.values():
            os.kill(pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        room = array.array("i", [0, 0, 0])
        task, pipes, _, _ = connection.recvmsg(1 << 16, socket.CMSG_LEN(room.itemsize * 3))
        if not task or not pipes:
            connection.close()
            return
        room.frombytes(pipes[0][2])
        handed = list(room[3:])
        pid = os.fork()
        if pid == 0:
            self.listener.close()
            os.close(self.lives)
            for other in [connection, *self.workers]:
                other.close()
            _end(lambda: self._work(json.loads(task), handed))
        for pipe in handed:
            os.close(pipe)
        self.workers[connection] = pid

    def _work(self, task: dict[str, Any], handed: Sequence[int]) -> None:
        for number, pipe in enumerate(handed):
            os.dup2(pipe, number)
            os.close(pipe)
        # The program ends a process with its group.
        os.setpgid(0, task["group"])
        name, number, parameters, numbers = task["arguments"]
        _worker.serve(lambda: self.functions[int(number)], name, parameters, numbers)

    def _reap(self) -> None:
        """Tells the relays of workers that have ended how they have."""
        for connection, pid in list(self.workers.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self.workers[connection]
                code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
                try:
                    connection.sendall(str(code).encode())
                except OSError:
                    # The relay has ended before.
                    pass
                connection.close()


def _end(work: Callable[[], None]) -> NoReturn:
    """Does the work of a fork and ends it, without what the process that it comes from does at its end."""
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)
