#!/usr/bin/env python3
"""Compares searches on games and on noisy functions at equal numbers of games.

    pip install cma numpy polars
    cargo build --release --bins --example tune_a_function
    experiments/search/defaults/study.py target/release

Each search runs with five seeds. At several budgets its present recommendation plays hold-out games that no
search has seen. Results that results.csv already has are kept, so the study can be interrupted. At the end it prints the
means as CSV.
"""

import csv
import json
import math
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import cma
import numpy as np
import polars as pl

HERE = Path(__file__).resolve().parent
PROGRAMS = Path(sys.argv[1])
RESULTS = HERE / "results.csv"
SEEDS = range(1, 6)
HOLD_OUT_SEED = 90210
COLUMNS = ["problem", "search", "seed", "games", "value"]

# Problem: campaign, settings, budgets in games, hold-out games.
PROBLEMS = {
    "2048, depth 0": ("quickstart", ["player.depth=0"], [4000, 8000, 16000], 10000),
    "2048, depth 1": ("quickstart", [], [4000, 8000, 16000], 2000),
    "2048, depth 2": ("quickstart", ["player.depth=2"], [1000, 2000, 4000], 200),
    "3+3, depth 1": ("three-plus-three-line-terms", ["player.depth=1"], [2000, 4000, 8000], 1000),
}
FUNCTIONS = ["sphere", "ellipsoid", "valley"]
FUNCTION_BUDGETS = [4000, 8000, 16000]

OPTIMIZER = "optimizer.name=cma-es"
# The searches of this program, as settings. `auto` adapts the number of games to the noise.
SEARCHES = {
    "new defaults": ["evaluation.games=auto"],
    "old defaults": ["evaluation.games=100"],
}
# Games of one evaluation of the two other searches.
GAMES_OF_PYCMA = 10
GAMES_OF_RANDOM = 20


def population(search, parameters):
    """Old: the CMA-ES tutorial's. New: at least 20, three times the tutorial's."""
    tutorial = 4 + int(3 * math.log(parameters))
    return tutorial if search == "old defaults" else max(20, 3 * tutorial)


def run(program, *arguments):
    command = [PROGRAMS / program, *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{command}: {ended.stderr}")
    return ended.stdout


class Games:
    """Weights of a player; the value is the mean score of seeded games."""

    def __init__(self, problem):
        name, self.settings, self.budgets, self.hold_out_games = PROBLEMS[problem]
        self.folder = Path(tempfile.mkdtemp())
        # The campaign without its own numbers of games.
        text = (HERE.parents[2] / "configs" / f"{name}.toml").read_text()
        self.config = self.folder / "campaign.toml"
        self.config.write_text(re.sub(r"^games\w* = .*\n", "", text, flags=re.MULTILINE))
        run_directory = self.tune(["budget.generations=1", "evaluation.games=2"], 1)
        resolved = tomllib.loads((run_directory / "resolved.toml").read_text())
        self.player = resolved["player"]
        self.start_weights = resolved["start"]["values"]
        self.parameters = {key: one for key, one in resolved["parameters"].items() if not one["fixed"]}
        self.sigma = resolved["optimizer"]["sigma"]

    def tune(self, settings, seed):
        out = Path(tempfile.mkdtemp(dir=self.folder)) / "run"
        flags = [f"--set={setting}" for setting in [*self.settings, OPTIMIZER, "validation.games=0", f"seed={seed}", *settings]]
        run("tiletune", "tune", self.config, "--out", out, "--quiet", *flags)
        return out

    def unit(self, parameter, value):
        low, high = parameter["min"], parameter["max"]
        if parameter["scale"] == "log":
            low, high, value = math.log(low), math.log(high), math.log(value)
        return (value - low) / (high - low)

    def start(self):
        return [self.unit(one, one["start"]) for one in self.parameters.values()]

    def weights(self, point):
        weights = dict(self.start_weights)
        for (key, one), x in zip(self.parameters.items(), map(float, point)):
            low, high = one["min"], one["max"]
            if one["scale"] == "log":
                weights[key] = math.exp(math.log(low) + x * (math.log(high) - math.log(low)))
            else:
                weights[key] = low + x * (high - low)
        return weights

    def play(self, weights, games, seed):
        lines = [f'game = "{self.player["game"]}"', f'player = "{self.player["name"]}"', "[weights]"]
        lines += [f"{key} = {value!r}" for key, value in weights.items()]
        path = self.folder / "weights.toml"
        path.write_text("\n".join(lines) + "\n")
        flags = ["--game", self.player["game"], "--player", self.player["name"], "--depth", self.player["depth"]]
        flags += ["--weights", path, "--games", games, "--seed", seed]
        return json.loads(run("tiletune", "evaluate", *flags, "--json", "--quiet"))["mean_score"]

    def value(self, point, games, seed):
        return self.play(self.weights(point), games, seed)

    def hold_out(self, weights):
        return self.play(weights, self.hold_out_games, HOLD_OUT_SEED)

    def true_value(self, point):
        return self.hold_out(self.weights(point))

    def of_program(self, search, seed):
        settings = [*SEARCHES[search], f"optimizer.population={population(search, len(self.parameters))}"]
        settings += ["budget.generations=100000", f"budget.games={max(self.budgets)}"]
        directory = self.tune(settings, seed)
        generations = pl.read_parquet(directory / "tables/generations/*.parquet").sort("generation")
        played = (generations["population"].cast(int) * generations["games"].cast(int)).cum_sum()
        for budget in self.budgets:
            row = generations.row(int((played <= budget).sum()) - 1, named=True)
            centre = {key: row[f"center_{key}"] for key in self.parameters}
            yield budget, self.hold_out({**self.start_weights, **centre})


class Function:
    """A noisy function with ten arguments; the same as in examples/tune_a_function.rs."""

    def __init__(self, problem):
        self.name, self.budgets, self.sigma = problem, FUNCTION_BUDGETS, 0.2
        self.parameters = dict.fromkeys("abcdefghij")

    def start(self):
        return [0.2] * 10

    def true_value(self, point):
        x = np.asarray(point)
        if self.name == "sphere":
            loss = np.sum(0.6 * (x - 0.7) ** 2)
        elif self.name == "ellipsoid":
            loss = np.sum(0.03 * 10 ** (np.arange(10) / 4.5) * (x - 0.7) ** 2)
        else:
            loss = 3 * np.sum((x[1:] - x[:-1] ** 2) ** 2) + (x[0] - 0.9) ** 2
        return math.exp(-loss)

    def value(self, point, games, seed):
        noise = np.random.default_rng([seed, *np.asarray(point).view(np.uint32)]).uniform(0, 2, games)
        return self.true_value(point) * noise.mean()

    def of_program(self, search, seed):
        settings = [*SEARCHES[search], f"optimizer.population={population(search, 10)}", f"seed={seed}"]
        settings += [OPTIMIZER, f"budget.games={max(self.budgets)}"]
        lines = [json.loads(line) for line in run("examples/tune_a_function", self.name, *settings).splitlines()]
        for budget in self.budgets:
            yield budget, [line for line in lines if line["games"] <= budget][-1]["value"]


def pycma(problem, seed):
    """pycma with its noise handling, which raises the number of evaluations as needed."""
    options = {"bounds": [0, 1], "seed": seed, "verbose": -9, "maxfevals": 1e9, "tolstagnation": 1e9, "tolfun": 0}
    strategy = cma.CMAEvolutionStrategy(problem.start(), problem.sigma, options)
    noise = cma.NoiseHandler(len(problem.start()), maxevals=[1, 1, 40])
    played, seeds = 0, iter(range(10**6 * seed, 10**9))

    def loss(point):
        nonlocal played
        played += GAMES_OF_PYCMA
        return -problem.value(np.clip(point, 0, 1), GAMES_OF_PYCMA, next(seeds))

    for budget in problem.budgets:
        while played < budget:
            points, fitness = strategy.ask_and_eval(loss, evaluations=noise.evaluations)
            strategy.tell(points, fitness)
            strategy.sigma *= noise(points, fitness, loss, strategy.ask)
        yield budget, problem.true_value(np.clip(strategy.result.xfavorite, 0, 1))


def random_search(problem, seed):
    """Random points, then four times the games for the best quarter, and so on (successive halving)."""
    for budget in problem.budgets:
        stream = np.random.default_rng([seed, budget])
        rounds = 4
        games = GAMES_OF_RANDOM
        points = [problem.start()]
        points += list(stream.uniform(size=(budget // (rounds * games) - 1, len(problem.start()))))
        for number in range(rounds):
            values = [problem.value(point, games, 10**6 * seed + number) for point in points]
            best = np.argsort(values)[::-1]
            points = [points[index] for index in best[: max(1, len(points) // 4)]]
            games *= 4
        yield budget, problem.true_value(points[0])


def study():
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as file:
            done = {(row["problem"], row["search"], row["seed"]) for row in csv.DictReader(file)}
    else:
        RESULTS.write_text(",".join(COLUMNS) + "\n")
    only = sys.argv[2:]
    for name in [*FUNCTIONS, *PROBLEMS]:
        if only and name not in only:
            continue
        problem = Games(name) if name in PROBLEMS else Function(name)
        for seed in SEEDS:
            for search in [*SEARCHES, "pycma", "random search"]:
                if (name, search, str(seed)) in done:
                    continue
                searches = {"pycma": pycma, "random search": random_search}
                found = searches[search](problem, seed) if search in searches else problem.of_program(search, seed)
                rows = [[name, search, seed, budget, f"{value:.6g}"] for budget, value in found]
                with RESULTS.open("a", newline="") as file:
                    csv.writer(file).writerows(rows)
                print(name, search, seed, [row[-1] for row in rows], file=sys.stderr, flush=True)


def summary():
    """Prints mean and standard error over the seeds."""
    rows = pl.read_csv(RESULTS)
    keys = ["problem", "search", "games"]
    table = rows.group_by(keys, maintain_order=True).agg(
        pl.col("value").mean().alias("mean"),
        (pl.col("value").std() / pl.len().sqrt()).alias("standard_error"),
        pl.len().alias("seeds"),
    )
    print(table.write_csv(), end="")


if __name__ == "__main__":
    study()
    summary()
