#!/usr/bin/env python3
"""Measures mean score against processor time per move for every player of 2048.

    cargo build --release
    experiments/2048/frontier/frontier.py target/release/tiletune            # the scores
    experiments/2048/frontier/frontier.py target/release/tiletune --times    # the times, on an idle machine
    experiments/2048/frontier/frontier.py target/release/tiletune --idle     # both at once, on an idle machine

Each row of results.csv is one `tiletune evaluate` on one thread. Rows and times that it already has are kept, so both can
be interrupted; --rows measures only some. A row whose weights file does not exist is skipped. peers.py measures other
programs, chart.py draws.
"""

import argparse
import csv
import json
import math
import os
import re
import shlex
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
RESULTS = HERE / "results.csv"
SEED = 20260
# The games of the judgement at cut-off 1e-4 in experiments/2048/adaptive-weights/cutoff-1e-4.toml.
JUDGED_SEED = 20261215
# New games for a comparison that 150 games with SEED left undecided: cut-off 1e-3 with endgames.
DECIDING_SEED = 20261218
# Seconds of play for each row of the times, and at least so many games. With adaptive depth the time of a move depends on how
# far a game gets, so six games can be a third off: more are timed if that does not take too long.
SECONDS = 2.0
GAMES_TIMED = 6
MORE_GAMES_TIMED = 30
MORE_SECONDS = 110.0
# Rows with moves of less time than this, in milliseconds, differ by less than the clock of the machine drifts: they are timed
# in turn, so many times, and the median counts.
SHORT_MOVE = 1e-4
ROUNDS = 15
# Of games that take longer than this, in seconds, so many are timed.
LONG_GAME = 20.0
LONG_GAMES_TIMED = 12
SCORE_COLUMNS = ["group", "setting", "games", "mean", "low", "high", "moves", "ms_per_move"]
# The time of the row measured alone; empty if it has not been measured.
TIME_COLUMNS = ["timed_games", "timed_moves", "timed_ms_per_move"]
COLUMNS = [*SCORE_COLUMNS, *TIME_COLUMNS, "command"]

SHIPPED = "configs/weights/expectimax-"
PUBLISHED = "expectimax, published weights"
LINE_TERMS = "expectimax, 14 tuned line terms"
TUNED = "expectimax, tuned anchored terms"
SIX = "expectimax, published form tuned"
FAITHFUL = "expectimax-faithful"


class Row(NamedTuple):
    """One measurement: `evaluate` with these flags. The number of games was fixed before any game."""

    group: str
    setting: str
    flags: list[str]
    games: int
    seed: int = SEED

    def arguments(self, games):
        return ["evaluate", *self.flags, "--games", str(games), "--seed", str(self.seed)]

    def command(self):
        return shlex.join(["tiletune", *self.arguments(self.games)])

    def key(self):
        return self.group, self.setting

    def missing(self):
        """The weights file of the row if it does not exist."""
        paths = [path for path in self.flags if path.endswith(".toml") and not (ROOT / path).exists()]
        return paths[0] if paths else None


def expectimax(group, weights, settings, seed=SEED, endgames=False):
    """Rows of depths and cut-offs. `in full` is adaptive depth without reductions, with a table that suits it; `endgames` is
    the option."""
    flags = ["--player", "expectimax"]
    if weights:
        flags += ["--weights", f"{weights}.toml"]
    for depth, cutoff, games in settings:
        is_full = depth == "in full"
        limits = ["--depth", "adaptive" if is_full else depth] + (["--cutoff", cutoff] if cutoff else [])
        limits += ["--reduction", "1", "--table-bits", "18"] if is_full else []
        limits += ["--endgames"] if endgames else []
        name = {"in full": "adaptive in full", "adaptive": "adaptive"}.get(depth, f"depth {depth}")
        setting = name + (f", cut-off {cutoff}" if cutoff else "") + (", endgames" if endgames else "")
        yield Row(group, setting, flags + limits, games, seed)


def depths(player, options, settings):
    for depth, games in settings:
        yield Row(player, f"depth {depth}", ["--player", player, *options, "--depth", str(depth)], games)


# Adaptive depth as the player has it by default, with reductions. Its default cut-off, 1e-4, has rows of its own.
ADAPTIVE = [
    ("adaptive", "3e-1", 1000),
    ("adaptive", "2e-1", 1000),
    ("adaptive", "1e-1", 1000),
    ("adaptive", "3e-2", 300),
    ("adaptive", "1e-2", 300),
    ("adaptive", "3e-3", 300),
    ("adaptive", "1e-3", 150),
]

# The sum that was judged on the same games as the published weights.
SUM_16 = (
    TUNED + " and 16 times the published ones",
    SHIPPED + "sum-16",
    [("adaptive", "1.2e-4", 200)],
    JUDGED_SEED,
)

ROWS = [
    Row("random", "", ["--player", "random"], 10000),
    Row("greedy", "", ["--player", "greedy"], 10000),
    # In the published program only 2s appear; here 4s do as well, except with the exact copy.
    *depths("minimax-six", ["--fours"], [(2, 2000), (4, 1000), (6, 400), (8, 100)]),
    *depths("minimax-six-faithful", [], [(6, 200)]),
    *depths("snake", [], [(1, 1000), (2, 500), (3, 400), (4, 200), (5, 60)]),
    *depths("snake-intended", [], [(1, 1000), (2, 500), (3, 400), (4, 200), (5, 60)]),
    *expectimax(LINE_TERMS, SHIPPED + "line-terms", [("0", "", 10000), ("1", "", 2000), ("2", "", 300), ("3", "", 40)]),
    *expectimax(
        PUBLISHED,
        None,
        [
            ("0", "", 10000),
            ("1", "", 4000),
            ("2", "", 500),
            ("3", "", 60),
            ("in full", "1e-1", 60),
            ("4", "1e-2", 300),
            ("5", "1e-2", 300),
            ("6", "1e-2", 300),
            ("in full", "3e-2", 60),
            ("in full", "2e-2", 60),
            ("in full", "1e-2", 300),
            ("4", "1e-4", 10),
            *ADAPTIVE,
        ],
    ),
    *expectimax(PUBLISHED, None, [("adaptive", "1e-4", 200)], JUDGED_SEED),
    *expectimax(PUBLISHED, None, [("adaptive", "1e-3", 600)], DECIDING_SEED, endgames=True),
    *expectimax(PUBLISHED, None, [("adaptive", "1e-4", 200)], JUDGED_SEED, endgames=True),
    *expectimax(TUNED, SHIPPED + "depth-0", [("0", "", 10000)]),
    *expectimax(TUNED, SHIPPED + "depth-1", [("1", "", 4000)]),
    *expectimax(
        TUNED,
        SHIPPED + "depth-2",
        [("2", "", 1000), ("3", "", 80), ("in full", "1e-1", 60), ("in full", "1e-2", 16), ("4", "1e-4", 10)],
    ),
    *depths(FAITHFUL, [], [(1, 1000), (2, 100), (3, 15)]),
    *expectimax(TUNED + " for depth 3", SHIPPED + "depth-3", [("3", "", 80), ("4", "1e-2", 200), ("5", "1e-2", 200)]),
    *expectimax(
        TUNED + " for deep search",
        SHIPPED + "deep",
        [
            ("4", "1e-2", 200),
            ("5", "1e-2", 200),
            ("6", "1e-2", 100),
            ("in full", "6e-2", 300),
            ("in full", "4e-2", 300),
            ("in full", "3e-2", 100),
            ("in full", "2.5e-2", 300),
            ("in full", "2e-2", 100),
            ("in full", "1e-2", 300),
            ("4", "1e-4", 10),
            *ADAPTIVE,
            ("adaptive", "1e-4", 40),
        ],
    ),
    *expectimax(
        TUNED + " and published ones",
        SHIPPED + "deep-tuned",
        [("in full", "6e-2", 300), ("in full", "4e-2", 300), ("adaptive", "1e-2", 300), ("adaptive", "3e-3", 300)],
    ),
    *expectimax(
        TUNED + " and published ones, tuned with reductions",
        SHIPPED + "reductions-tuned",
        [("adaptive", "1e-2", 300)],
    ),
    *expectimax(
        TUNED + " for adaptive depth",
        SHIPPED + "adaptive",
        [("adaptive", "3e-3", 300), ("adaptive", "1e-3", 150), ("adaptive", "1e-4", 40)],
    ),
    *expectimax(TUNED + " for adaptive depth", SHIPPED + "adaptive", [("adaptive", "1e-3", 150)], endgames=True),
    # About the time of the published weights with cut-off 1e-3.
    *expectimax(TUNED + " for adaptive depth", SHIPPED + "adaptive", [("adaptive", "1.25e-3", 600)], DECIDING_SEED, endgames=True),
    # About the time of the published weights with the default cut-off, 1e-4.
    *expectimax(TUNED + " for adaptive depth", SHIPPED + "adaptive", [("adaptive", "1.25e-4", 200)], JUDGED_SEED, endgames=True),
    *expectimax(*SUM_16),
    *expectimax(*SUM_16, endgames=True),
    *expectimax(
        SIX,
        SHIPPED + "published-form",
        [("0", "", 10000), ("1", "", 4000), ("2", "", 500), ("3", "", 60), ("4", "1e-4", 10)],
    ),
]


def read(path):
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def write(rows):
    """Replaces results.csv."""
    path = RESULTS.with_suffix(".new")
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    path.replace(RESULTS)


def add_score(scores, command, is_time):
    """Appends a row. With `is_time` its time counts as one measured alone."""
    row = dict(zip(SCORE_COLUMNS, scores)) | {"command": command}
    if is_time:
        row |= zip(TIME_COLUMNS, [row["games"], row["moves"], row["ms_per_move"]])
    write([*read(RESULTS), row])


def add_time(key, games, moves, milliseconds):
    rows = read(RESULTS)
    for row in rows:
        if (row["group"], row["setting"]) == key:
            row |= zip(TIME_COLUMNS, [games, moves, milliseconds])
    write(rows)
    print(*key, f"{milliseconds} ms", flush=True)


def timed():
    """The rows that have a time measured alone."""
    return {(row["group"], row["setting"]) for row in read(RESULTS) if row["timed_ms_per_move"]}


def run(command):
    """The output of a command, and its user time in seconds."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{shlex.join(map(str, command))}: exit status {os.waitstatus_to_exitcode(status)}")
    return output, usage.ru_utime


def evaluate(program, row, games):
    output, seconds = run([program, *row.arguments(games), "--threads", "1", "--quiet", "--json"])
    return json.loads(output), seconds


def playable(given):
    for row in ROWS:
        if not re.search(given.rows, f"{row.group}, {row.setting}"):
            continue
        if row.missing():
            print(f"skipped: {row.group}, {row.setting}: no file {row.missing()}", flush=True)
        else:
            yield row


def play(given):
    done = {row["command"] for row in read(RESULTS)}
    for row in playable(given):
        if row.command() in done:
            continue
        result, seconds = evaluate(given.program, row, row.games)
        low, high = result["mean_interval"]
        milliseconds = 1000 * seconds / result["moves"]
        numbers = [f"{result['mean_score']:.1f}", f"{low:.0f}", f"{high:.0f}", result["moves"], f"{milliseconds:.4g}"]
        add_score([*row.key(), row.games, *numbers], row.command(), given.idle)
        print(row.group, row.setting, *numbers[:3], f"{seconds:.0f} s", flush=True)


def seconds_of_a_game(scored):
    return float(scored["ms_per_move"]) * int(scored["moves"]) / int(scored["games"]) / 1000


def games_timed(scored):
    of_a_game = seconds_of_a_game(scored)
    if of_a_game > LONG_GAME:
        return LONG_GAMES_TIMED
    more = min(MORE_GAMES_TIMED, math.floor(MORE_SECONDS / of_a_game))
    return max(GAMES_TIMED, more, math.ceil(SECONDS / of_a_game))


def time(given):
    done = timed()
    results = {row["command"]: row for row in read(RESULTS)}
    rows = [(row, results.get(row.command())) for row in playable(given) if row.key() not in done]
    rows = [(row, scored) for row, scored in rows if scored]
    short = [(row, scored) for row, scored in rows if float(scored["ms_per_move"]) < SHORT_MOVE]
    time_in_turn(given, short)
    for row, scored in rows:
        if (row, scored) in short:
            continue
        games = games_timed(scored)
        played, seconds = evaluate(given.program, row, games)
        add_time(row.key(), games, played["moves"], f"{1000 * seconds / played['moves']:.4g}")


def time_in_turn(given, rows):
    """Times each row once a round, so that a drift of the clock meets all of them alike. The median of the rounds counts."""
    times = {row.key(): [] for row, _ in rows}
    moves = {}
    for _ in range(ROUNDS):
        for row, scored in rows:
            played, seconds = evaluate(given.program, row, games_timed(scored))
            times[row.key()].append(1000 * seconds / played["moves"])
            moves[row.key()] = played["moves"]
    for row, scored in rows:
        add_time(row.key(), games_timed(scored), moves[row.key()], f"{statistics.median(times[row.key()]):.4g}")


def add_choices(arguments):
    arguments.add_argument("--times", action="store_true", help="measure times instead of scores")
    arguments.add_argument("--idle", action="store_true", help="the time of a scored row counts: nothing else runs")
    arguments.add_argument("--rows", default="", metavar="REGEX", help="only rows whose `player, setting` matches")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=Path, help="the built program, target/release/tiletune")
    add_choices(arguments)
    given = arguments.parse_args()
    given.program = given.program.resolve()
    (time if given.times else play)(given)


if __name__ == "__main__":
    main()
