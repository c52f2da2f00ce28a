"""The tasks: what is tuned, from which start, and how a recommendation is judged."""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from driver import Problem, Program, Space
from functions import FUNCTIONS

HERE = Path(__file__).resolve().parent
FOLDERS = [HERE, HERE.parents[2] / "configs"]

# Far from every published value, for each key of the line terms.
BAD_START = {
    "empty": 20.0, "merges": 4000.0, "monotonicity": 250.0, "monotonicity_power": 1.5, "rank_sum": 2.0,
    "rank_sum_power": 5.5,
}  # fmt: skip


@dataclass
class Task:
    """`campaign` names a file of this folder or of configs/, or a function if `depth` is None. `settings` replace some of its
    keys.

    The scores of `judged` fresh games judge a recommendation, or one number without noise if `truth` says which: an option
    of the player with which every score is exact, or a number of the function."""

    name: str
    title: str
    campaign: str
    settings: tuple = ()
    depth: int | None = None
    judged: int = 1
    truth: str | None = None
    # A task whose start plays about as long as good weights of this one, for the plan.
    like: str | None = None

    def command(self, player, *settings):
        """The program, a list of words."""
        if self.depth is None:
            return [sys.executable, str(HERE / "functions.py"), self.campaign]
        files = [folder / f"{self.campaign}.toml" for folder in FOLDERS]
        file = next(file for file in files if file.exists())
        return [str(player), str(file), f"player.depth={self.depth}", *self.settings, *settings]

    def space(self, player):
        if self.depth is None:
            return Space(FUNCTIONS[self.campaign][0])
        command, *arguments = self.command(player)
        declared = subprocess.run([command, "--declare", *arguments], capture_output=True, text=True)
        if declared.returncode:
            raise RuntimeError(f"{command} --declare: {declared.stderr.strip()}")
        return Space(tomllib.loads(declared.stdout)["parameters"])

    def judge(self, player, weights):
        """The score of each judging game."""
        is_option = self.truth and self.depth is not None
        settings = [f"player.{self.truth}=true"] if is_option else []
        number = None if is_option else self.truth
        with Program(self.command(player, *settings)) as program:
            return program.play(weights, range(Problem.JUDGING, Problem.JUDGING + self.judged), number)


def bad(places=("",)):
    return tuple(
        f"parameters.{key}{'' if key.endswith('power') else place}.start={value}"
        for key, value in BAD_START.items()
        for place in (("",) if key.endswith("power") else places)
    )


TASKS = [
    Task("A", "2048, six numbers", "quickstart", depth=1, judged=2000),
    Task("B", "2048, 14 line terms", "expectimax-line-terms", depth=1, judged=2000),
    Task("C", "A from a bad start", "quickstart", bad(), depth=1, judged=2000, like="A"),
    Task("D", "3+3, 13 line terms", "three-plus-three-line-terms", depth=1, judged=1000),
    Task("E", "2048, 59 terms by place", "expectimax-depth-1", ("start.values={}",), depth=1, judged=2000),
    Task("F", "as E without look-ahead, far from good", "expectimax-depth-0", ("start.values={}",), depth=0, judged=4000),
    Task("G", "2048 on 2x3, exact", "quickstart", ('player.board="2x3"',), depth=1, truth="exact_scores"),
    Task("H", "f107, a noisy sphere", "f107", truth="true"),
]
# No number of tiletune was chosen by J, K and L. None of these is part of the main figure.
FURTHER = [
    Task("I", "minimax-six, six numbers", "minimax-six-campaign", depth=2, judged=2000),
    Task("J", "connect-four, 23 terms", "connect-four", ("start.values={}",), depth=2, judged=2000),
    Task("K", "2048 on 3x4, 14 line terms", "expectimax-3x4", depth=1, judged=2000),
    Task("L", "a Rosenbrock function with noise", "rosenbrock", truth="true"),
]
SELF_TEST = Task("Q", "a noisy quadratic", "quadratic", truth="true")
