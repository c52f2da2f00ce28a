"""The exception of the package."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """The program refuses something or fails; the text is its message.

    `code` is the exit code of the program: 1 failed, 2 bad usage or configuration. It is `None` for an error that
    this package finds before it starts the program.
    """

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
