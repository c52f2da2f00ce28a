"""Tunes the weights of a Python function or of a built-in player, and measures how much better they are.

    import tiletune

    def play(weights, seed):
        ...                         # one game with these weights; all of its luck comes from the seed
        return score

    if __name__ == "__main__":
        run = tiletune.tune(play, {"empty": (0, 300), "depth": tiletune.Integer(1, 4)}, games=5000)
        print(run.best, run.verdict, run.interval)

The package calls the program `tiletune`, which is installed with it. docs/python.md describes it.
"""

from ._compare import compare
from ._errors import Error
from ._parameters import Choice, Integer, Real
from ._player import Advice, Player
from ._run import Run
from ._tune import resume, tune

__all__ = ["Advice", "Choice", "Error", "Integer", "Player", "Real", "Run", "compare", "resume", "tune"]

for _public in (Advice, Choice, Error, Integer, Player, Real, Run):
    # Messages and documentation show the names by which users know them.
    _public.__module__ = __name__
