#!/usr/bin/env python3
"""Where games of 2048 by deep search end, and what passing the worst place depends on.

    late.py games PROGRAM         120 games, with their positions of the tile sum 31,500: games.csv
    late.py trials PROGRAM        from there to the sum 33,300: trials.csv
    late.py screen PROGRAM        the same with random weights: screening.csv
    late.py last PROGRAM          from the sum 32,500 to 32,900: last.csv
    late.py arrangements PROGRAM  the same from made positions of the sum 32,260: arrangements.csv
    late.py report                prints the rows of results.csv, draws charts/survival.png

PROGRAM is the compiled examples/play_from_positions.rs. The files of trials are written to results/endgames. What a file
has is not played again, so each command can be interrupted. `report` needs numpy and matplotlib.

The positions of the sum 32,500 (positions-32500.jsonl) come from trials of `screen`, in random order.
"""

import argparse
import csv
import json
import math
import random
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
# The trials, which are not in the repository.
DATA = ROOT / "results/endgames"
SUM = ROOT / "configs/weights/expectimax-sum-16.toml"
WEIGHTS = {"published": "published", "sum": str(SUM)}

GAMES_SEED = 4_120_000

# The tile sums between which the trials are played.
START, PASSED = 31_500, 33_300
LAST_PASSED = 32_900

# Places of the largest tiles, by their ranks; two 2s are added.
ARRANGEMENTS = {
    "two columns": [14, 13, 0, 0, 12, 11, 0, 0, 10, 9, 0, 0, 0, 0, 0, 0],
    "two rows": [14, 13, 10, 0, 12, 11, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "three columns": [14, 13, 12, 0, 11, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "three columns, turning": [14, 13, 12, 0, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "full row": [14, 13, 12, 11, 10, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "snake": [14, 13, 12, 11, 0, 0, 9, 10, 0, 0, 0, 0, 0, 0, 0, 0],
}

# The terms of the sum that were tuned, by what they measure.
GROUPS = {
    "slope": r"rise_.*|fall_.*",
    "cells": r"cell_.*",
    "hills": r"hill_.*|valley_.*",
    "merges": r"equal_.*|merges_.*|merge_value_.*",
    "chain": r"chain_.*",
    "empty": r"empty_.*",
    "smoothness": r"smoothness_.*|line_end_.*",
    "symmetric": r"(monotonicity|rank_sum)_(inner|outer)",
}
PUBLISHED = ["published_empty", "published_merges", "published_monotonicity", "published_rank_sum", "lost_penalty"]
FACTORS = [*GROUPS, *PUBLISHED]
# The penalty at the centre: 16 times the published one, and some of that of the tuned terms.
LOST_PENALTY = 4_200_000.0
WIDEST_GROUP = 4.0
DEVIATION = 0.35
SCREEN_SEED = 7_000_000

TRIAL_FIELDS = ["weights", "cutoff", "position", "seed", "passed", "tile_sum", "moves"]


def drawn(index):
    """The factors of a trial, each with mean 0 and variance 1."""
    generator = random.Random(SCREEN_SEED + index)
    uniform = {name: generator.uniform(-math.sqrt(3), math.sqrt(3)) for name in GROUPS}
    return uniform | {name: generator.gauss(0, 1) for name in PUBLISHED}


def changes(base, factors):
    """The weights that differ from the base. A group is multiplied by a number that is uniform from 0 to 4; a published
    weight or the penalty of a lost board by exp(0.35 z), z normal."""
    half = WIDEST_GROUP / 2
    changed = dict(base, lost_penalty=LOST_PENALTY)
    for name, pattern in GROUPS.items():
        scale = max(half + half / math.sqrt(3) * factors[name], 0.0)
        for key in base:
            if re.fullmatch(pattern, key):
                changed[key] *= scale
    for name in PUBLISHED:
        changed[name] *= math.exp(DEVIATION * factors[name])
    return {key: round(value, 6) for key, value in changed.items() if value != base[key]}


def rows_of(name):
    path = DATA / name
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def play(program, name, fields, jobs, row_of):
    """Plays the jobs that the file lacks. A job is its key, as text in the first fields, and the line for the program."""
    keys = len(next(iter(jobs), [()])[0])
    done = {tuple(row[field] for field in fields[:keys]) for row in rows_of(name)}
    missing = {json.dumps(key): job for key, job in jobs if key not in done}
    lines = "".join(json.dumps({"id": key, **job}) + "\n" for key, job in missing.items())
    DATA.mkdir(parents=True, exist_ok=True)
    with open(DATA / name, "a", newline="") as file:
        writer = csv.DictWriter(file, fields, lineterminator="\n")
        if not done:
            writer.writeheader()
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        process.stdin.write(lines)
        process.stdin.close()
        for line in process.stdout:
            outcome = json.loads(line)
            key = json.loads(outcome["id"])
            writer.writerow(dict(zip(fields, key)) | row_of(key, outcome))
            file.flush()
        if process.wait() != 0:
            raise SystemExit(f"{program} failed")


def plain(_, outcome):
    return {"passed": int(outcome["passed"]), "tile_sum": outcome["tile_sum"], "moves": outcome["moves"]}


def games(program):
    jobs = [
        ((weights, str(game)), {"weights": file, "cutoff": 1e-3, "seed": GAMES_SEED + game, "record": [START]})
        for weights, file in WEIGHTS.items()
        for game in range(60)
    ]

    def row(_, outcome):
        board = " ".join(str(tile) for _, board in outcome["boards"] for tile in board)
        return {"tile_sum": outcome["tile_sum"], "moves": outcome["moves"], "board_at_31500": board}

    play(program, "games.csv", ["weights", "game", "tile_sum", "moves", "board_at_31500"], jobs, row)


def starts():
    """The positions of the sum 31,500, in the order of weights and game as texts."""
    rows = sorted(rows_of("games.csv"), key=lambda row: (row["weights"], row["game"]))
    boards = [[int(tile) for tile in row["board_at_31500"].split()] for row in rows]
    return [board for board in boards if board]


def late_starts():
    with open(HERE / "positions-32500.jsonl") as file:
        return [json.loads(line)["board"] for line in file]


def trial_jobs(boards, cutoffs, seeds, until):
    """Each position with both weights."""
    for cutoff, count in cutoffs.items():
        for first in seeds:
            for index, board in enumerate(boards[:count]):
                for weights, file in WEIGHTS.items():
                    seed = first + index
                    job = {"weights": file, "cutoff": float(cutoff), "seed": seed, "board": board}
                    yield (weights, cutoff, str(index), str(seed)), job | {"until": until}


def trials(program):
    jobs = list(trial_jobs(starts(), {"1e-3": None, "1e-4": None}, [55_000, 56_000], PASSED))
    play(program, "trials.csv", TRIAL_FIELDS, jobs, plain)


def last(program):
    jobs = list(trial_jobs(late_starts(), dict.fromkeys(["1e-3", "1e-4", "1e-5"], 400), [880_000], LAST_PASSED))
    play(program, "last.csv", TRIAL_FIELDS, jobs, plain)


def screen(program, count):
    base = tomllib.loads(SUM.read_text())["weights"]
    boards = starts()
    jobs = []
    for index in range(count):
        place = index % len(boards)
        job = {"weights": str(SUM), "changes": changes(base, drawn(index)), "cutoff": 1e-3}
        job |= {"seed": 7 * SCREEN_SEED + index, "board": boards[place], "until": PASSED}
        jobs.append(((str(index), str(place)), job))
    play(program, "screening.csv", ["trial", "position", "passed", "tile_sum", "moves"], jobs, plain)


def arrangements(program):
    generator = random.Random(5)
    jobs = []
    for index in range(150):
        for name, ranks in ARRANGEMENTS.items():
            board = [0 if rank == 0 else 1 << rank for rank in ranks]
            for cell in generator.sample([cell for cell in range(16) if board[cell] == 0], 2):
                board[cell] = 2
            for weights, file in WEIGHTS.items():
                job = {"weights": file, "cutoff": 1e-3, "seed": 990_000 + 10 * index, "board": board}
                jobs.append(((weights, name, str(index)), job | {"until": LAST_PASSED}))
    fields = ["weights", "arrangement", "trial", "passed", "tile_sum", "moves"]
    play(program, "arrangements.csv", fields, jobs, plain)


# The files of trials, by what they measure: the column of the setting, that of the player.
TRIALS = {
    "trials.csv": ("passes from 31,500 to 33,300", "cutoff", "weights"),
    "last.csv": ("passes from 32,500 to 32,900", "cutoff", "weights"),
    "arrangements.csv": ("passes from a made position to 32,900", "arrangement", "weights"),
    "learned-1e-3.csv": ("passes with learned values of lines", "cutoff", "player"),
    "learned-1e-4.csv": ("passes with learned values of lines", "cutoff", "player"),
    **{
        f"learned-{seed}.csv": (f"passes with learned values of lines, training seed {seed}", "cutoff", "player")
        for seed in range(4_210_000_000, 4_250_000_000, 10_000_000)
    },
}
# Differences of trials that begin with the same position and seed: file, what is equal, setting, what differs, both sides.
SAME = ["position", "seed"]
DIFFERENCES = [
    ("trials.csv", SAME, "cutoff", "weights", ["sum", "published"]),
    ("last.csv", SAME, "cutoff", "weights", ["sum", "published"]),
    ("last.csv", SAME, "weights", "cutoff", ["1e-5", "1e-3"]),
    ("arrangements.csv", ["arrangement", "trial"], None, "weights", ["sum", "published"]),
    ("learned-1e-3.csv", SAME, "cutoff", "player", ["learned", "weights"]),
    ("learned-1e-4.csv", SAME, "cutoff", "player", ["learned", "weights"]),
]


def shares():
    """Games that reach a sum of tiles, and trials that pass."""
    for weights in WEIGHTS:
        sums = [int(row["tile_sum"]) for row in rows_of("games.csv") if row["weights"] == weights]
        for reached in (START, PASSED):
            share = sum(end >= reached for end in sums) / len(sums)
            error = math.sqrt(share * (1 - share) / len(sums))
            yield ["reaches a sum of tiles", f"{reached:,}", weights, len(sums), share, error]
    for name, (measure, setting, player) in TRIALS.items():
        passed = defaultdict(list)
        for row in rows_of(name):
            passed[row[setting], row[player]].append(int(row["passed"]))
        for (at, weights), values in passed.items():
            share = sum(values) / len(values)
            yield [measure, at, weights, len(values), share, math.sqrt(share * (1 - share) / len(values))]
    ends = [int(row["tile_sum"]) for row in rows_of("trials.csv") if row["passed"] == "0"]
    share = sum(32_700 <= end < 32_800 for end in ends) / len(ends)
    error = math.sqrt(share * (1 - share) / len(ends))
    yield ["fails from 31,500 on: ends between 32,700 and 32,800", "all", "both", len(ends), share, error]


def differences():
    """The mean differences of passed trials that begin with the same position and seed."""
    for name, fields, at, compared, pairs in DIFFERENCES:
        passed = defaultdict(dict)
        for row in rows_of(name):
            trial = (row[at] if at else "all", *(row[field] for field in fields))
            passed[trial][row[compared]] = int(row["passed"])
        found = defaultdict(list)
        for (setting, *_), by in passed.items():
            if all(side in by for side in pairs):
                found[setting].append(by[pairs[0]] - by[pairs[1]])
        for setting, values in sorted(found.items()):
            mean = sum(values) / len(values)
            variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
            error = math.sqrt(variance / len(values))
            yield [f"{TRIALS[name][0]}: difference", setting, " - ".join(pairs), len(values), mean, error]


def effects():
    """A linear regression of passing on the factors and their squares, with a constant for each position."""
    import numpy

    rows = rows_of("screening.csv")
    passed = numpy.array([float(row["passed"]) for row in rows])
    factors = numpy.array([list(drawn(int(row["trial"])).values()) for row in rows])
    place = numpy.array([int(row["position"]) for row in rows])
    constants = (place[:, None] == numpy.unique(place)).astype(float)
    design = numpy.column_stack([factors, factors**2 - 1, constants])
    found, *_ = numpy.linalg.lstsq(design, passed, rcond=None)
    rest = passed - design @ found
    variance = rest @ rest / (len(rows) - design.shape[1])
    errors = numpy.sqrt(variance * numpy.diag(numpy.linalg.inv(design.T @ design)))
    for index, name in enumerate(FACTORS):
        yield ["effect of one standard deviation of a factor", name, "sum", len(rows), found[index], errors[index]]


def report():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    writer = csv.writer(sys.stdout, lineterminator="\n")
    for *row, value, error in [*shares(), *differences(), *effects()]:
        writer.writerow(["late", *row, f"{value:.4f}", f"{error:.4f}"])

    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for weights in WEIGHTS:
        ends = sorted(int(row["tile_sum"]) for row in rows_of("games.csv") if row["weights"] == weights)
        alive = [1 - index / len(ends) for index in range(len(ends) + 1)]
        axes.step([0, *ends], alive, where="post", label=f"{weights}, {len(ends)} games")
    for tile in (16_384, 32_768, 49_152):
        axes.axvline(tile, color="0.8", zorder=0)
    axes.set(xlabel="sum of the tiles", ylabel="share of the games that reach it", ylim=(0, 1.02), xlim=(0, None))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.legend(frameon=False)
    (HERE / "charts").mkdir(exist_ok=True)
    figure.savefig(HERE / "charts/survival.png", dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = {"games": games, "trials": trials, "screen": screen, "last": last, "arrangements": arrangements}
    for name in playing:
        commands.add_parser(name).add_argument("program")
    commands.choices["screen"].add_argument("--trials", type=int, default=5000)
    commands.add_parser("report")
    options = parser.parse_args()
    if options.command == "report":
        report()
    elif options.command == "screen":
        screen(options.program, options.trials)
    else:
        playing[options.command](options.program)


if __name__ == "__main__":
    main()
