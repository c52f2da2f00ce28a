"""`Player`: the moves of a built-in player, by one process of the program for many boards."""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Optional, Union

from . import _program, _toml
from ._errors import Error
from ._run import Run

# A weights file, a run, `"RUN:tuned"`, or weights by name.
Weights = Union[Run, str, "os.PathLike[str]", Mapping[str, float]]


@dataclass(frozen=True)
class Advice:
    """What a player says of a board."""

    #: The best move, `None` if there is none: a direction, or in connect-four a column from 1.
    move: Union[str, int, None]
    #: The value of each move, `None` if it is illegal. Values are in the unit of the heuristic.
    values: dict[Union[str, int], Any]
    #: The value of the board without a search, `None` if the player has none.
    evaluation: Any
    #: With `explain=True` the points that each term gives to the board after each move.
    terms: Optional[dict[str, dict[str, float]]]
    #: The whole answer of the program, with the keys of docs/json.md.
    answer: dict[str, Any]


class Player:
    """A player that gives advice for boards, as a context or until `close`.

    `player` is a name of `tiletune list players`, by default that of the weights, or expectimax. `weights` are a
    weights file, a run, or values by name that replace the published ones; these need a player. `explain` adds
    what each term gives. `options` are those of the command line, as in `depth=2`.

    Several threads may share a player; it answers one after the other.
    """

    def __init__(
        self,
        player: Optional[str] = None,
        *,
        weights: Optional[Weights] = None,
        game: Optional[str] = None,
        explain: bool = False,
        **options: Any,
    ) -> None:
        self._lock = threading.Lock()
        self._owed = 0
        self._folder = tempfile.TemporaryDirectory()
        self._messages: IO[bytes] = open(Path(self._folder.name, "messages"), "w+b")
        try:
            file = self._weights(weights, player, game)
            known = {"player": player, "game": game, "weights": file, "explain": explain or None}
            self._process = subprocess.Popen(
                [_program.find(), "advise", *_program.flags({**known, **options})],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._messages,
                text=True,
                encoding="utf-8",
                # Ctrl-C is for the Python process alone.
                start_new_session=True,
            )
        except BaseException:
            self._release()
            raise

    def advise(self, board: Any, **more: Any) -> Advice:
        """The values of the moves on a board, in any form that the program reads.

        That is a list of numbers or of rows, a text, or a dict with a key `board` (see `tiletune advise --help`).
        `more` are keys beside the board, as in `next=1` of 3+3.

        Raises `Error` for a board that is none; the player stays usable.
        """
        line = _line(board, more)
        with self._lock:
            answer = self._answer(line)
        if "error" in answer:
            raise Error(answer["error"])
        return _advice(answer)

    def close(self) -> None:
        """Ends the process."""
        if self._process.poll() is None:
            # The end of stdin ends it.
            self._process.communicate()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._release()

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()

    def _answer(self, line: str) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None or stdin.closed:
            raise Error("this player is closed")
        answer = ""
        self._owed += 1
        try:
            stdin.write(line + "\n")
            stdin.flush()
            # Ctrl-C during an earlier board has left its answer.
            while self._owed:
                answer = stdout.readline()
                self._owed -= 1
        except BrokenPipeError:
            pass
        if not answer:
            code = self._process.wait()
            self._messages.seek(0)
            _program.result(code or 1, b"", self._messages.read())
        found: dict[str, Any] = json.loads(answer)
        return found

    def _weights(self, weights: Optional[Weights], player: Optional[str], game: Optional[str]) -> Optional[str]:
        if not isinstance(weights, Mapping):
            return None if weights is None else str(weights)
        if player is None:
            raise Error("weights by name need a player, as in Player(\"expectimax\", weights={\"empty\": 300})")
        entry = {"game": game or _game_of(player), "player": player, "weights": dict(weights)}
        file = Path(self._folder.name, "weights.toml")
        file.write_text(_toml.document(entry), encoding="utf-8")
        return str(file)

    def _release(self) -> None:
        self._messages.close()
        self._folder.cleanup()


def _game_of(player: str) -> str:
    """The first game that a player plays."""
    players = _program.call("list", "players")
    game = next((one["game"] for one in players if one["player"] == player), None)
    if game is None:
        names = ", ".join(dict.fromkeys(one["player"] for one in players))
        raise Error(f"there is no player `{player}` (they are {names})")
    return str(game)


def _line(board: Any, more: Mapping[str, Any]) -> str:
    """A board as a line for the program."""
    if isinstance(board, str) and not more:
        # Rows may stand on lines of their own.
        return " ".join(board.split("\n")).strip() or "[]"
    if hasattr(board, "tolist"):
        board = board.tolist()
    if isinstance(board, Mapping):
        board = {**board, **more}
    elif more:
        board = {"board": board, **more}
    return json.dumps(board)


def _advice(answer: dict[str, Any]) -> Advice:
    values = answer.get("values", {answer["move"]: answer.get("value")} if answer["move"] is not None else {})
    by_move = values if isinstance(values, dict) else dict(enumerate(values, 1))
    return Advice(
        move=answer["move"],
        values={move: _number(value) for move, value in by_move.items()},
        evaluation=_number(answer.get("evaluation")),
        terms=answer.get("terms"),
        answer=answer,
    )


def _number(value: Any) -> Any:
    """A value of the program, in which infinity is a text. Games of two players can have a value for each."""
    if isinstance(value, list):
        return tuple(map(_number, value))
    return {"inf": math.inf, "-inf": -math.inf}.get(value, value) if isinstance(value, str) else value
