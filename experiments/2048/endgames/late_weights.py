#!/usr/bin/env python3
"""Weights for the stretches of a game of 2048 in which most deep searches lose it.

    late_weights.py positions PROGRAM   240 games of the published weights: positions-stretches.jsonl (60 core-minutes)
    late_weights.py screen PROGRAM      trials with random weights: stretches.csv
    late_weights.py fit                 effects.csv, which has the candidates
    late_weights.py steps PROGRAM       trials of the candidates: steps.csv
    late_weights.py choose              prints the rows of results.csv; writes tuned.toml

PROGRAM is the compiled examples/play_from_positions.rs. `positions` reads the games of `late.py games`. All other files are
written to results/endgames. All trials are at adaptive depth with reductions, cut-off 1e-3 and the option endgames. What a
file has is not played again, so each command can be interrupted. `fit` and `choose` need numpy.
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
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
# The trials, which are not in the repository.
DATA = ROOT / "results/endgames"
BASE = ROOT / "configs/weights/expectimax-late-base.toml"
TUNED = DATA / "tuned.toml"
POSITIONS = HERE / "positions-stretches.jsonl"
CUTOFF = 1e-3

GAMES_SEED = 8_100_000_000
FACTORS_SEED = 4_400_000_000
SCREEN_SEED = 4_420_000_000
STEPS_SEED = 4_430_000_000


class Stretch(NamedTuple):
    """Trials from positions with a sum of tiles until another sum. With `endgame` they end at the first endgame, and their
    outcome is its chance; in every second round the tile 16384 is replaced by 32768. `share` is that of the mean score which
    is won after the stretch, roughly."""

    start: int
    until: int
    endgame: bool
    share: float
    trials: int


STRETCHES = {
    "before 16,384": Stretch(16_144, 16_900, False, 0.6, 1500),
    "before 24,576": Stretch(24_336, 25_000, False, 0.4, 1500),
    "28,672 and 30,720": Stretch(28_432, 31_300, False, 0.3, 1500),
    "before an endgame": Stretch(31_504, 33_300, True, 0.4, 4000),
}
RECORDED = [16_144, 24_336, 28_432, 30_480, 31_504]

# Terms that are multiplied by 1 + z, z normal.
GROUPS = {
    "rise": r"rise_.*",
    "fall": r"fall_.*",
    "cell": r"cell_.*",
    "hill": r"hill_.*",
    "valley": r"valley_.*",
    "equal": r"equal_.*",
    "merges": r"merges_.*",
    "merge_low": r"merge_value_[15]_.*",
    "merge_high": r"merge_value_(8|11|14)_.*",
    "chain_low": r"chain_[25]_.*",
    "chain_high": r"chain_(8|11|14)_.*",
    "empty_line": r"empty_line.*",
    "empty_cells": r"empty_cells_.*",
    "smoothness": r"smoothness_.*",
    "line_end": r"line_end_.*",
    "mono": r"monotonicity_(inner|outer)",
    "ranks": r"rank_sum_(inner|outer)",
}
# Weights that are multiplied by exp(0.35 z).
PUBLISHED = ["published_empty", "published_merges", "published_monotonicity", "published_rank_sum", "lost_penalty"]
DEVIATION = 0.35
# Weights of new terms, which are z.
NEW = ["extra_mono2", "extra_rank1", "extra_rank2"]
FACTORS = [*GROUPS, *PUBLISHED, *NEW]

# Candidates: a column of effects.csv, and the part of it that is taken.
CANDIDATES = {"base": ("step", 0.0), "half": ("step", 0.5), "whole": ("step", 1.0), "strong": ("strong", 1.0)}
# Trials of each candidate, by stretch.
STEP_TRIALS = {"before 16,384": 200, "before 24,576": 200, "28,672 and 30,720": 200, "before an endgame": 600}
LARGEST_STEP = 2.0
# The strong factors have a gain of so many standard errors; each goes where its own parabola is highest.
STRONG = 2.5
LARGEST_STRONG_STEP = 1.0


def base_weights():
    return tomllib.loads(BASE.read_text())["weights"]


def drawn(index):
    """The factors of a trial, each with mean 0 and variance 1."""
    generator = random.Random(FACTORS_SEED + index)
    return {name: generator.gauss(0, 1) for name in FACTORS}


def changes(base, factors):
    """The weights that differ from the base."""
    changed = dict(base)
    for name, pattern in GROUPS.items():
        for key in base:
            if re.fullmatch(pattern, key):
                changed[key] *= 1 + factors[name]
    for name in PUBLISHED:
        changed[name] *= math.exp(DEVIATION * factors[name])
    for name in NEW:
        changed[name] = factors[name]
    return {key: round(value, 6) for key, value in changed.items() if value != base[key]}


def turned(board):
    """The board with its largest tile in the first cell, if it is in a corner."""
    for _ in range(4):
        if board[0] == max(board):
            break
        board = [board[4 * (3 - column) + row] for row in range(4) for column in range(4)]
    return board


def positions(program):
    jobs = [
        {"id": game, "weights": "published", "cutoff": CUTOFF, "seed": GAMES_SEED + game, "until": 31_600}
        | {"record": RECORDED}
        for game in range(240)
    ]
    found = []
    for outcome in outcomes(program, jobs):
        found += [(start, outcome["id"], turned(board)) for start, board in outcome["boards"]]
    # More positions of the sum 31,500 from games of both weights.
    with open(DATA / "games.csv", newline="") as file:
        boards = [[int(tile) for tile in row["board_at_31500"].split()] for row in csv.DictReader(file)]
    boards = [board for board in boards if board]
    found += [(RECORDED[-1], 240 + number, turned(board)) for number, board in enumerate(boards)]
    with POSITIONS.open("w") as file:
        for start, _, board in sorted(found):
            file.write(json.dumps({"start": start, "board": board}) + "\n")


def pools():
    found = defaultdict(list)
    for line in POSITIONS.read_text().splitlines():
        position = json.loads(line)
        found[position["start"]].append(position["board"])
    return found


def outcomes(program, jobs):
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdin.write("".join(json.dumps(job) + "\n" for job in jobs))
    process.stdin.close()
    for line in process.stdout:
        yield json.loads(line)
    if process.wait() != 0:
        sys.exit(f"{program} failed")


def trial(name, pool, number, seed, changed):
    """A trial of a stretch, from a position of the pool."""
    stretch = STRETCHES[name]
    board, until = pool[number % len(pool)], stretch.until
    if stretch.endgame and number // len(pool) % 2 == 1:
        board, until = [32_768 if tile == 16_384 else tile for tile in board], until + 16_384
    job = {"weights": str(BASE), "changes": changed, "cutoff": CUTOFF, "endgames": True, "seed": seed + number}
    return job | {"board": board, "until": until, "until_endgame": stretch.endgame}


def rows_of(name):
    path = DATA / name
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def play(program, name, fields, jobs):
    """Plays the jobs that the file lacks. Their keys are the first fields, then come outcome and moves."""
    done = {tuple(row[field] for field in fields) for row in rows_of(name)}
    missing = [job | {"id": key} for key, job in jobs if tuple(key) not in done]
    # The stretches take turns, so that an interrupted file has trials of all.
    random.Random(1).shuffle(missing)
    DATA.mkdir(parents=True, exist_ok=True)
    with (DATA / name).open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not done:
            writer.writerow([*fields, "outcome", "moves"])
        for outcome in outcomes(program, missing):
            value = outcome.get("chance", 1.0) if outcome["passed"] else 0.0
            writer.writerow([*outcome["id"], round(value, 4), outcome["moves"]])
            file.flush()


def screen(program):
    base, of = base_weights(), pools()
    jobs = []
    for name, stretch in STRETCHES.items():
        # Every other position; the rest is for the steps.
        pool = of[stretch.start][::2]
        for number in range(stretch.trials):
            jobs.append(([name, str(number)], trial(name, pool, number, SCREEN_SEED, changes(base, drawn(number)))))
    play(program, "stretches.csv", ["stretch", "trial"], jobs)


def fit():
    """A linear regression of the outcome of each stretch on the factors and their squares. `gain` is the change of the
    logarithm of the mean score with a factor, roughly; `step` is where its parabola is highest, with one curvature for
    each kind of factor, and with the gain shrunk by its error; `strong` moves the strong factors only."""
    import numpy

    gain, variance, curve = (numpy.zeros(len(FACTORS)) for _ in range(3))
    rows = rows_of("stretches.csv")
    for name, stretch in STRETCHES.items():
        trials = [row for row in rows if row["stretch"] == name]
        values = numpy.array([float(row["outcome"]) for row in trials])
        factors = numpy.array([list(drawn(int(row["trial"])).values()) for row in trials])
        design = numpy.column_stack([numpy.ones(len(values)), factors, factors**2])
        effects, *_ = numpy.linalg.lstsq(design, values, rcond=None)
        rest = values - design @ effects
        covariance = numpy.linalg.inv(design.T @ design) * (rest @ rest) / (len(values) - design.shape[1])
        scale = stretch.share / values.mean()
        gain += scale * effects[1 : 1 + len(FACTORS)]
        variance += scale**2 * numpy.diag(covariance)[1 : 1 + len(FACTORS)]
        curve += scale * effects[1 + len(FACTORS) :]
        print(f"{name}: {len(values)} trials, {values.mean():.3f}", file=sys.stderr)
    spread = max(float((gain**2 - variance).mean()), 0.0)
    shrunk = gain * spread / (spread + variance)
    step = {}
    for kind in (list(GROUPS), PUBLISHED, NEW):
        at = [FACTORS.index(name) for name in kind]
        bend = max(-float(curve[at].mean()), 0.005)
        for index in at:
            step[FACTORS[index]] = max(-LARGEST_STEP, min(LARGEST_STEP, shrunk[index] / (2 * bend)))
    with open(DATA / "effects.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["factor", "gain", "standard_error", "gain_of_square", "step", "strong"])
        for index, name in enumerate(FACTORS):
            error = math.sqrt(variance[index])
            highest = gain[index] / (2 * max(-float(curve[index]), 0.005)) if abs(gain[index]) > STRONG * error else 0.0
            strong = max(-LARGEST_STRONG_STEP, min(LARGEST_STRONG_STEP, highest))
            numbers = [gain[index], error, curve[index], step[name], strong]
            writer.writerow([name, *(f"{number:.4f}" for number in numbers)])


def stepped(candidate):
    """The weights of a candidate that differ from the base."""
    column, part = CANDIDATES[candidate]
    step = {row["factor"]: float(row[column]) for row in rows_of("effects.csv")}
    return changes(base_weights(), {name: part * step[name] for name in FACTORS})


def steps(program):
    of, jobs = pools(), []
    for candidate in CANDIDATES:
        changed = stepped(candidate)
        for name, count in STEP_TRIALS.items():
            pool = of[STRETCHES[name].start][1::2]
            for number in range(count):
                jobs.append(([candidate, name, str(number)], trial(name, pool, number, STEPS_SEED, changed)))
    play(program, "steps.csv", ["candidate", "stretch", "trial"], jobs)


def choose():
    """The rows of the factors and of the candidates; the weights of the best one in tuned.toml, unless it is the base."""
    import numpy

    found = defaultdict(dict)
    for row in rows_of("steps.csv"):
        found[row["stretch"], row["candidate"]][int(row["trial"])] = float(row["outcome"])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    trials = len(rows_of("stretches.csv"))
    for row in rows_of("effects.csv"):
        writer.writerow(["late weights", "gain by a factor", row["factor"], "base", trials, row["gain"], row["standard_error"]])
    gains = {}
    for candidate in CANDIDATES:
        gain = variance = 0.0
        for name, stretch in STRETCHES.items():
            base, other = found[name, "base"], found[name, candidate]
            common = sorted(set(base) & set(other))
            difference = numpy.array([other[number] - base[number] for number in common])
            mean = numpy.mean([base[number] for number in common])
            gain += stretch.share * difference.mean() / mean
            variance += (stretch.share / mean) ** 2 * difference.var(ddof=1) / len(difference)
            values = numpy.array([other[number] for number in common])
            numbers = [f"{values.mean():.4f}", f"{values.std(ddof=1) / math.sqrt(len(values)):.4f}"]
            writer.writerow(["late weights", "passes", name, candidate, len(values), *numbers])
        gains[candidate] = gain
        numbers = [f"{gain:.4f}", f"{math.sqrt(variance):.4f}"]
        writer.writerow(["late weights", "gain of the mean score", "all stretches", candidate, "", *numbers])
    best = max(gains, key=gains.get)
    if best == "base":
        return
    weights = base_weights() | stepped(best)
    head, rest = BASE.read_text().split("[weights]\n")
    lines = "".join(f"{key} = {weights[key]!r}\n" for key in sorted(weights))
    note = f"# The candidate {best} of experiments/2048/endgames/late_weights.py.\n"
    TUNED.write_text(f"{note}{head[head.index('game = ') :]}[weights]\n{lines}\n{rest[rest.index('[heuristic]') :]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    playing = {"positions": positions, "screen": screen, "steps": steps}
    for name in playing:
        commands.add_parser(name).add_argument("program")
    for name in ("fit", "choose"):
        commands.add_parser(name)
    options = parser.parse_args()
    if options.command in playing:
        playing[options.command](options.program)
    else:
        {"fit": fit, "choose": choose}[options.command]()


if __name__ == "__main__":
    main()
