"""The entrants: each turns a cell (task, budget, seed) into one recommended set of weights.

The settings of an entrant are its manual's for noise. Where a manual has none, an evaluation is the mean of a fixed number of
games ([README](README.md) says how it was chosen). Seeds of games are fresh for each
evaluation unless a tool compares on common seeds.

A tool that is a Python package is imported when it is first used, so that the others run without it.
"""

import importlib.util
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tomllib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable

from driver import BudgetSpent

HERE = Path(__file__).resolve().parent
# Initial standard deviation in the unit cube where a manual leaves it to the user.
SIGMA = 0.2
# Games of each point in the first round of random search.
HALVING_GAMES = 2


def tiletune(cell, optimizer, is_protected, settings=()):
    """A campaign for the program. With protection part of the budget is hold-out games of start and tuned weights, and the
    recommendation is the start unless they show a gain. `settings` are further ones of the command line, KEY=VALUE."""
    counts, out = cell.folder / "counts", cell.folder / "run"
    hold_out = max(30, cell.budget // 10) if is_protected else 0
    search = cell.budget - 2 * hold_out
    # Games that look for parameters without effect: they change no recommendation, but the driver counts them.
    effects = 4 + 2 * len(cell.space)
    effects = effects if effects <= cell.budget // 10 else 0
    search -= effects
    command = [sys.executable, str(HERE / "driver.py"), str(counts), *cell.command]
    lines = [
        'why = "a cell of the tournament"',
        f"seed = {cell.seed}",
        "[player]",
        f"command = {json.dumps(command)}",
        "seeds_per_task = 20",
        f'[optimizer]\nname = "{optimizer}"',
        f"[budget]\ngames = {search}",
        "[start]\ngames = 0",
        f"[validation]\ngames = {hold_out}",
    ]
    for name, one in cell.space.parameters.items():
        # In a program of one's own a name may not end as those of heuristics do, such as `empty_outer`.
        lines.append(f'[parameters."{name}_"]')
        lines += [f"{key} = {json.dumps(one[key])}" for key in ("default", "min", "max", "scale") if key in one]
    file = cell.folder / "campaign.toml"
    file.write_text("\n".join(lines) + "\n")
    tune = [cell.tiletune, "tune", file, "--out", out, "--threads", "1", "--quiet", "--json"]
    tune += [word for setting in settings for word in ("--set", setting)]
    ended = subprocess.run(list(map(str, tune)), capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError(ended.stderr.strip())
    rows = [line.split() for line in counts.read_text().splitlines()]
    games, asked, seconds = (sum(float(row[column]) for row in rows) for column in range(3))
    # Each parameter that seems to have no effect plays up to 16 games more, after the recommendation: these do not count.
    own = json.loads(ended.stdout)
    until = own["training_games"] + (own.get("race") or {}).get("games", 0) + 2 * hold_out
    cell.count(min(int(games), until + effects), int(asked), seconds)
    best = tomllib.loads((out / ("best.toml" if is_protected else "tuned.toml")).read_text())["weights"]
    return {name: best.get(f"{name}_", one["default"]) for name, one in cell.space.parameters.items()}


def pycma(cell):
    """`CMAEvolutionStrategy` with `NoiseHandler`, which raises the number of evaluations as needed, as in its
    documentation; the recommendation is `xfavorite`, which it names for noise."""
    import cma

    problem = cell.problem()
    options = {"bounds": [0, 1], "seed": cell.seed, "verbose": -9, "maxfevals": 1e9, "tolstagnation": 1e9, "tolfun": 0}
    strategy = cma.CMAEvolutionStrategy(problem.space.start(), SIGMA, options)
    noise = cma.NoiseHandler(len(problem.space), maxevals=[1, 1, 30])

    def loss(point):
        return -problem.mean(point, 10)

    with suppress(BudgetSpent):
        while True:
            points, fitness = strategy.ask_and_eval(loss, evaluations=noise.evaluations)
            strategy.tell(points, fitness)
            strategy.sigma *= noise(points, fitness, loss, strategy.ask)
    favorite = strategy.result.xfavorite
    return problem.space.start() if favorite is None else favorite


def optuna_study(cell, sampler, games):
    """Optimizes the mean of `games` games until the budget is spent; returns the study."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    problem = cell.problem()
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.enqueue_trial(dict(zip(problem.space.names, problem.space.start())))

    def value(trial):
        point = [trial.suggest_float(name, 0, 1) for name in problem.space.names]
        return problem.mean(point, games)

    study.optimize(value, n_trials=cell.budget // games)
    return study


def optuna_cma(cell, games):
    """`CmaEsSampler` from the start with its default step. The mean of the last distribution is recommended, not the best
    trial."""
    import optuna

    space = cell.space
    sampler = optuna.samplers.CmaEsSampler(x0=dict(zip(space.names, space.start())), seed=cell.seed)
    study = optuna_study(cell, sampler, games)
    optimizer = sampler._restore_optimizer(study.get_trials(deepcopy=False))
    if optimizer is None:
        return [study.best_params[name] for name in space.names]
    # The sampler sorts the parameters by name.
    mean = dict(zip(sorted(space.names), optimizer.mean))
    return [mean[name] for name in space.names]


def optuna_tpe(cell, games):
    """`TPESampler`; the best trial is recommended."""
    import optuna

    study = optuna_study(cell, optuna.samplers.TPESampler(seed=cell.seed), games)
    return [study.best_params[name] for name in cell.space.names]


def smac(cell):
    """`HyperparameterOptimizationFacade` with `deterministic=False`: a configuration is raced over seeds. A seed is 10
    games. The start is the first configuration, which it is not by default."""
    from ConfigSpace import ConfigurationSpace, Float
    from smac import HyperparameterOptimizationFacade, Scenario

    problem = cell.problem()
    names = problem.space.names
    floats = [Float(name, (0.0, 1.0), default=start) for name, start in zip(names, problem.space.start())]
    configurations = ConfigurationSpace(seed=cell.seed, space={one.name: one for one in floats})

    def point(configuration):
        return [configuration[name] for name in names]

    def cost(configuration, seed=0):
        first = (cell.seed + 1) << 40 | seed << 8
        scores = problem.scores(point(configuration), range(first, first + 10))
        return -sum(scores) / len(scores)

    scenario = Scenario(
        configurations,
        deterministic=False,
        n_trials=cell.budget // 10,
        seed=cell.seed,
        use_default_config=True,
        output_directory=cell.folder / "smac",
    )
    facade = HyperparameterOptimizationFacade(scenario, cost, logging_level=False, overwrite=True)
    return point(facade.optimize())


def nevergrad(cell, name, games):
    """A nevergrad optimizer that is told that the function is noisy; its own recommendation."""
    import nevergrad

    problem = cell.problem()
    start = problem.space.start()
    array = nevergrad.p.Array(init=start, lower=[0.0] * len(start), upper=[1.0] * len(start))
    array.random_state.seed(cell.seed)
    array.function.deterministic = False
    optimizer = nevergrad.optimizers.registry[name](array, budget=cell.budget // games)
    with suppress(BudgetSpent):
        for _ in range(cell.budget // games):
            candidate = optimizer.ask()
            optimizer.tell(candidate, -problem.mean(candidate.value, games))
    return optimizer.provide_recommendation().value


def spsa(cell, last_c=0.05, rate=16.0):
    """SPSA as the testing framework of Stockfish does it: gain sequences by Spall with alpha = 0.602, gamma = 0.101 and
    A = a tenth of the iterations, given by their last values; the gradient is wins minus losses of one perturbation against
    its mirror. An iteration is two seeds, each played with both.

    `last_c` is the last perturbation, in widths of the bounds, and `rate` the last learning rate times the iterations. The
    framework's own (0.05 and 0.002) are for tens of thousands of games and hardly leave the start with hundreds. So the
    rate falls with the number of iterations."""
    problem, stream = cell.problem(), random.Random(cell.seed)
    iterations = cell.budget // 4
    alpha, gamma, offset = 0.602, 0.101, 0.1 * iterations
    first_c = last_c * iterations**gamma
    first_a = rate / iterations * last_c**2 * (offset + iterations) ** alpha
    theta = problem.space.start()
    for k in range(1, iterations + 1):
        c = first_c / k**gamma
        rate = first_a / (offset + k) ** alpha / c**2
        flip = [stream.choice((-1, 1)) for _ in theta]
        seeds = problem.fresh(2)
        sides = [[clip(x + side * c * f) for x, f in zip(theta, flip)] for side in (1, -1)]
        plus, minus = (problem.scores(side, seeds) for side in sides)
        result = sum((a > b) - (a < b) for a, b in zip(plus, minus))
        theta = [clip(x + rate * c * result * f) for x, f in zip(theta, flip)]
    return theta


def clip(value):
    return min(1.0, max(0.0, value))


def random_halving(cell):
    """Uniform points and the start; the best quarter plays four times the games, until one is left (successive halving). All
    points of a round play the same seeds."""
    problem, stream = cell.problem(), random.Random(cell.seed)
    points = [problem.space.start()]
    points += [[stream.random() for _ in points[0]] for _ in range(most_points(cell.budget) - 1)]
    games = HALVING_GAMES
    while len(points) > 1:
        seeds = problem.fresh(games)
        means = [sum(problem.scores(point, seeds)) for point in points]
        best = sorted(range(len(points)), key=lambda index: -means[index])
        points = [points[index] for index in best[: len(points) // 4 or 1]]
        games *= 4
    return points[0]


def most_points(budget):
    """The largest number of points whose rounds fit into the budget."""

    def cost(count, games=HALVING_GAMES):
        return count * games + cost(count // 4, 4 * games) if count > 1 else 0

    return max(count for count in range(1, budget // HALVING_GAMES + 1) if cost(count) <= budget)


def irace(cell):
    """irace with its defaults: instances are fresh seeds, and a configuration plays one game on each. Its process asks
    for games through two pipes."""
    problem = cell.problem()
    names = [f"p{index}" for index in range(len(problem.space))]
    pipes = [cell.folder / name for name in ("tasks", "answers")]
    for pipe in pipes:
        os.mkfifo(pipe)
    start = " ".join(f"{position:.6f}" for position in problem.space.start())
    parameters = "".join(f'{name} "" r (0, 1)\n' for name in names)
    (cell.folder / "parameters.txt").write_text(parameters)
    (cell.folder / "start.txt").write_text(" ".join(names) + "\n" + start + "\n")
    command = ["Rscript", HERE / "irace.R", cell.folder, str(cell.budget), str(cell.seed)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open(pipes[0]) as tasks, open(pipes[1], "w", buffering=1) as answers:
        for line in tasks:
            seed, *point = line.split()
            seed = (cell.seed + 1) << 40 | int(seed)
            print(-problem.scores(list(map(float, point)), [seed])[0], file=answers)
    _, messages = process.communicate()
    if process.returncode:
        raise RuntimeError(messages.strip())
    return list(map(float, (cell.folder / "best.txt").read_text().split()))


@dataclass
class Entrant:
    name: str
    search: Callable
    # Names of Python packages, or programs, that it needs.
    needs: tuple = ()
    # Entrants of a family are not compared with each other as "the best other tool".
    family: str = ""
    # A larger budget takes the tool itself too long.
    largest_budget: float = math.inf

    def missing(self):
        """The first thing that it needs and that is not there."""
        for need in self.needs:
            if need == "irace":
                test = ["Rscript", "-e", "library(irace)"]
                if not shutil.which("Rscript") or subprocess.run(test, capture_output=True).returncode:
                    return "irace of R"
            elif importlib.util.find_spec(need) is None:
                return f"the Python package {need}"
        return None


def games(cell, few, some, many):
    """Games of an evaluation: `few` in a budget below 2,000 games, `some` below 8,000."""
    return few if cell.budget < 2000 else some if cell.budget < 8000 else many


ENTRANTS = [
    Entrant("tiletune", lambda cell: tiletune(cell, "cma-es", False), family="tiletune"),
    Entrant("tiletune-protected", lambda cell: tiletune(cell, "cma-es", True), family="tiletune"),
    Entrant("mirrored", lambda cell: tiletune(cell, "mirrored-cma-es", False), family="tiletune"),
    Entrant("mirrored-protected", lambda cell: tiletune(cell, "mirrored-cma-es", True), family="tiletune"),
    Entrant("pycma", pycma, ("cma",)),
    Entrant("optuna-cma", lambda cell: optuna_cma(cell, games(cell, 2, 5, 10)), ("optuna", "cmaes"), family="optuna"),
    Entrant("optuna-tpe", lambda cell: optuna_tpe(cell, games(cell, 10, 10, 40)), ("optuna",), family="optuna"),
    Entrant("smac", smac, ("smac",), largest_budget=2000),
    Entrant("nevergrad-tbpsa", lambda cell: nevergrad(cell, "TBPSA", games(cell, 2, 2, 5)), ("nevergrad",), family="nevergrad"),
    Entrant("nevergrad-ngopt", lambda cell: nevergrad(cell, "NGOpt", games(cell, 5, 5, 10)), ("nevergrad",), family="nevergrad"),
    Entrant("irace", irace, ("irace",)),
    Entrant("spsa", spsa),
    Entrant("random-halving", random_halving),
]


def variant(name):
    """The entrant `tiletune:KEY=VALUE` or `mirrored:KEY=VALUE+KEY=VALUE`: tiletune with other settings; `spsa:C+RATE`: spsa
    with another perturbation and rate; `optuna-tpe:GAMES` and the like: another number of games an evaluation; None if it
    is none of these."""
    form, _, settings = name.partition(":")
    averaging = {
        "optuna-cma": optuna_cma,
        "optuna-tpe": optuna_tpe,
        "nevergrad-tbpsa": lambda cell, games: nevergrad(cell, "TBPSA", games),
        "nevergrad-ngopt": lambda cell, games: nevergrad(cell, "NGOpt", games),
    }
    if form in averaging and settings.isdigit() and int(settings) > 0:
        of_form = next(one for one in ENTRANTS if one.name == form)
        search = averaging[form]
        return replace(of_form, name=name, search=lambda cell: search(cell, int(settings)))
    if form == "spsa":
        try:
            last_c, rate = map(float, settings.split("+"))
        except ValueError:
            return None
        return Entrant(name, lambda cell: spsa(cell, last_c, rate), family="spsa")
    optimizer = {"tiletune": "cma-es", "mirrored": "mirrored-cma-es"}.get(form)
    if not optimizer or "=" not in settings:
        return None
    return Entrant(name, lambda cell: tiletune(cell, optimizer, False, settings.split("+")), family="tiletune")
