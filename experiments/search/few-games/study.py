#!/usr/bin/env python3
"""Compares searches with few games, and leaves out one change of `mirrored-cma-es` at a time.

    cargo build --release
    experiments/search/few-games/study.py target/release/tiletune [--quick] [--set choosing|reporting]

A search is a campaign that stops at each budget, plays its present tuned weights on fresh games and goes on. Results that
results.csv already has are kept, so the study can be interrupted. At the end it prints the table of the README. It needs
only the standard library. `--threads N` gives each search N threads (default: 1).
"""

import argparse
import csv
import json
import math
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONFIGS = HERE.parents[2] / "configs"
RESULTS = HERE / "results.csv"
COLUMNS = ["task", "search", "seed", "games", "value"]
HOLD_OUT_SEED = 31337

# The start of the tasks with a bad start: far from every published value, for each key that a task tunes.
BAD_START = {
    "empty": 20.0, "merges": 4000.0, "monotonicity": 250.0, "monotonicity_power": 1.5, "rank_sum": 2.0,
    "rank_sum_power": 5.5,
}
LINES = ["empty", "merges", "monotonicity", "rank_sum"]

# Task: campaign, settings, depth, hold-out games. A to D are those of the first comparison; E has 80 numbers.
TASKS = {
    "A": ("quickstart", [], 1, 3000),
    "B": ("expectimax-line-terms", [], 1, 3000),
    "C": ("quickstart", [f"parameters.{key}.start={value}" for key, value in BAD_START.items()], 1, 3000),
    "D": ("three-plus-three-line-terms", [], 1, 1000),
    "E": ("expectimax-depth-1", [], 1, 3000),
    "F": ("quickstart", [], 0, 20000),
    "G": (
        "expectimax-line-terms",
        [f"parameters.{key}_{place}.start={BAD_START[key]}" for key in LINES for place in ("outer", "inner")]
        + [f"parameters.{key}_power.start={BAD_START[key + '_power']}" for key in ("monotonicity", "rank_sum")],
        1,
        3000,
    ),
}

# What is chosen on the first group is reported on the second one.
GROUPS = {
    "choosing": (["B", "D", "G"], [11, 12, 13]),
    "reporting": (["A", "C", "E", "F"], [21, 22, 23]),
}
BUDGETS = [500, 2000, 8000]

# Search: settings. Those after the second leave out one change, or add one.
SEARCHES = {
    "cma-es": ["optimizer.name=cma-es"],
    "mirrored-cma-es": ["optimizer.name=mirrored-cma-es"],
    "independent samples": ["optimizer.name=mirrored-cma-es", "optimizer.samples=independent"],
    "orthogonal samples": ["optimizer.name=mirrored-cma-es", "optimizer.samples=orthogonal"],
    "selection of pairs": ["optimizer.name=mirrored-cma-es", "optimizer.selection=pairs"],
    "start inside": ["optimizer.name=mirrored-cma-es", "optimizer.start_inside=1"],
    "sigma 0.2": ["optimizer.name=mirrored-cma-es", "optimizer.sigma=0.2"],
    "5 games first": ["optimizer.name=mirrored-cma-es", "evaluation.games_min=5"],
}
# The settings of a campaign that belong to its own number of games, step and population.
OWN = ["games", "games_growth", "games_max", "population", "sigma", "generations"]


def run(program, *arguments):
    command = [program, *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {ended.stderr}")
    return ended.stdout


def campaign(name, folder):
    """The campaign without the settings that a search chooses, and with its heuristic file."""
    section, lines = "", []
    for line in (CONFIGS / f"{name}.toml").read_text().splitlines():
        if line.startswith("["):
            section = line
        key = line.split("=")[0].strip()
        if key in OWN and section in ("[evaluation]", "[optimizer]", "[budget]", "[validation]"):
            continue
        if key == "heuristic" and not section:
            line = f'heuristic = "{CONFIGS}/{line.split(chr(34))[1]}"'
        lines.append(line)
    file = folder / f"{name}.toml"
    file.write_text("\n".join(lines) + "\n")
    return file


def tune(program, file, out, settings, threads):
    settings = [*settings, "start.games=0", "validation.games=0"]
    given = [part for setting in settings for part in ("--set", setting)]
    run(program, "tune", file, "--out", out, "--threads", threads, *given)


def judged(program, weights, depth, games, threads):
    """The mean score on fresh games."""
    given = ["--weights", weights, "--depth", depth, "--games", games, "--seed", HOLD_OUT_SEED, "--threads", threads]
    return json.loads(run(program, "evaluate", *given, "--json"))["mean_score"]


def search(program, task, settings, seed, budgets, threads):
    """Yields each budget and the mean score of the tuned weights on fresh games."""
    name, of_task, depth, hold_out = TASKS[task]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        out = folder / "run"
        given = [*of_task, *settings, f"player.depth={depth}", f"seed={seed}", f"budget.games={budgets[0]}"]
        tune(program, campaign(name, folder), out, given, threads)
        for budget in budgets:
            if budget != budgets[0]:
                run(program, "resume", out, "--games", budget, "--threads", threads)
            yield budget, judged(program, f"{out}:tuned", depth, hold_out, threads)


def start(program, task, threads):
    """The mean score of the start weights on the same games: a search of one generation that is not told anything."""
    name, of_task, depth, hold_out = TASKS[task]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        out = folder / "run"
        given = [*of_task, f"player.depth={depth}", "seed=1", "budget.generations=1", "evaluation.games=2"]
        tune(program, campaign(name, folder), out, given, threads)
        return judged(program, out, depth, hold_out, threads)


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def table(results):
    """For each search and budget: the geometric mean over tasks and seeds of its score divided by that of `cma-es`."""
    scores = {tuple(row[:4]): row[4] for row in results}
    for group, (tasks, _) in GROUPS.items():
        print(f"\n| {group}: {', '.join(tasks)} |" + "".join(f" {budget:,} |" for budget in BUDGETS))
        print("|---|" + "---:|" * len(BUDGETS))
        for name in SEARCHES:
            cells = []
            for budget in BUDGETS:
                ratios = defaultdict(list)
                for (task, other, seed, games), value in scores.items():
                    base = scores.get((task, "cma-es", seed, games))
                    if other == name and games == budget and task in tasks and base:
                        ratios[task].append(value / base)
                means = [geometric(of_task) for of_task in ratios.values()]
                each = ", ".join(f"{task} {geometric(of_task):.2f}" for task, of_task in sorted(ratios.items()))
                cells.append(f"{geometric(means):.3f} ({each})" if means else "")
            if any(cells):
                print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--quick", action="store_true", help="two tasks, one seed, up to 2,000 games, the first two searches")
    parser.add_argument("--set", choices=GROUPS, help="only this group of tasks")
    parser.add_argument("--searches", help="only these searches, separated by commas")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    results = []
    if given.results.exists():
        with given.results.open(newline="") as file:
            for row in list(csv.reader(file))[1:]:
                results.append((row[0], row[1], int(row[2]), int(row[3]), float(row[4])))
    known = {row[:4] for row in results}

    def add(*row):
        results.append(row)
        known.add(row[:4])
        with given.results.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([COLUMNS, *sorted(results)])
        print(*row, flush=True)

    names = given.searches.split(",") if given.searches else list(SEARCHES)
    groups = [given.set] if given.set else list(GROUPS)
    for group in groups:
        tasks, seeds = GROUPS[group]
        budgets = BUDGETS
        if given.quick:
            tasks, seeds, budgets, names = tasks[:2], seeds[:1], BUDGETS[:2], names[:2]
        for task in tasks:
            if (task, "start", 0, 0) not in known:
                add(task, "start", 0, 0, round(start(given.program, task, given.threads), 1))
        for seed in seeds:
            for task in tasks:
                for name in names:
                    if all((task, name, seed, budget) in known for budget in budgets):
                        continue
                    for budget, value in search(given.program, task, SEARCHES[name], seed, budgets, given.threads):
                        if (task, name, seed, budget) not in known:
                            add(task, name, seed, budget, round(value, 1))
    table(results)


if __name__ == "__main__":
    main()
