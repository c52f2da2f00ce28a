"""The program of a function that lives in a Python process: it hands its pipes to a fork of that process.

`_relay.py FUNCTION NUMBER PARAMETERS NUMBERS` connects to the socket of the process, gives it stdin, stdout and stderr,
and ends as the fork ends.
"""

import array
import json
import os
import socket
import sys

# Path of the socket.
SOCKET = "TILETUNE_SOCKET"

GONE = (
    "this function of a notebook cell, a prompt or a lambda was known to one Python process alone, which is not "
    "there. In Python, tiletune.resume(RUN, play) continues its run, and tiletune.compare((play, run.best), ..) "
    "compares its weights"
)


def main() -> int:
    path = os.environ.get(SOCKET, "")
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        print(GONE, file=sys.stderr)
        return 1
    task = json.dumps({"group": os.getpgrp(), "arguments": sys.argv[1:]}).encode()
    pipes = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))
    connection.sendmsg([task], [pipes])
    # The fork alone holds the pipes from now on, so that its end is seen.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    status = connection.recv(4)
    return int(status) if status else 1


if __name__ == "__main__":
    sys.exit(main())
