"""Starts a command that ends with the Python process that wanted it: `_launch.py PARENT COMMAND..`.

Linux alone has the request for that, and it is kept when this process becomes the command. The command gets a process
group of its own, so that Ctrl-C reaches the Python process alone, which passes it on once.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, command = int(sys.argv[1]), sys.argv[2:]
    os.setpgid(0, 0)
    # Ctrl-C before the command has begun ends it without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        # It has ended before the request.
        sys.exit(1)
    os.execv(command[0], command)


main()
