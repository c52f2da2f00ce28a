"""The package is typed."""

import subprocess
import sys
from pathlib import Path

import tiletune

PACKAGE = Path(tiletune.__file__).parent

USE = """
import tiletune

def play(weights: dict[str, float], seed: int) -> float:
    return 1.0

run = tiletune.tune(play, {"a": (0, 1), "n": tiletune.Integer(1, 9)}, games=200, validation={"games": 5})
best: dict[str, float] = run.best
pair: "tuple[float, float] | None" = run.interval
tiletune.compare(run, (play, best), "published", depth=2)
with tiletune.Player("expectimax", weights=run) as player:
    player.advise([0] * 16).move
"""


def mypy(*arguments):
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_strictly_typed(library):
    library("mypy")
    assert (PACKAGE / "py.typed").is_file()
    mypy("-p", "tiletune")


def test_a_use_of_it_is_strictly_typed(library):
    library("mypy")
    Path("use.py").write_text(USE)
    mypy("use.py")
    Path("wrong.py").write_text(USE.replace('"a": (0, 1)', '"a": "0 to 1"'))
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "wrong.py"], capture_output=True, text=True)
    assert "wrong.py" in done.stdout and done.returncode == 1
