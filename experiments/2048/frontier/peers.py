#!/usr/bin/env python3
"""Measures other programs of 2048 as frontier.py measures tiletune: mean score, and user time per move on one thread.

    pip install scipy ziglang==0.15.2
    experiments/2048/frontier/peers.py FOLDER --build            # needs git, a C++ compiler and the network
    experiments/2048/frontier/peers.py FOLDER                    # the scores
    experiments/2048/frontier/peers.py FOLDER --times            # the times, on an idle machine
    experiments/2048/frontier/peers.py FOLDER --idle             # both at once, on an idle machine

FOLDER gets the programs, each in a folder of its own, from their public repositories at the commits below. Rows that
results.csv already has are kept. The programs draw other random tiles than tiletune, so games are not
paired. The interval of a mean is Student's t.

nneonneo/2048-ai chooses its depth by the position. For a fixed depth the expression of depth_limit is replaced.
"""

import argparse
import re
import statistics
import subprocess
import sys
from pathlib import Path

from frontier import GAMES_TIMED, HERE, RESULTS, SECONDS, SEED, add_choices, add_score, add_time, read, run, timed

# Rows whose games take longer than this, in seconds, keep the time of their scored games.
LONGEST_GAME = 20.0
NNEONNEO = ("nneonneo/2048-ai", "https://github.com/nneonneo/2048-ai", "HEAD")
ZIAP = ("ziap/2048-ai", "https://github.com/ziap/2048-ai", "44a28de14e4e8895ba043150716b7a2f1f1b554d")
ADAPTIVE = "std::max(3, count_distinct_tiles(board) - 2)"

# (program, its setting, games). The numbers of games were fixed before any game.
ROWS = [
    (NNEONNEO[0], "depth 0", 4000),
    (NNEONNEO[0], "depth 1", 1000),
    (NNEONNEO[0], "depth 2", 100),
    (NNEONNEO[0], "depth 3", 15),
    (ZIAP[0], "budget 2^10", 60),
    (ZIAP[0], "budget 2^13", 60),
    (ZIAP[0], "budget 2^15", 60),
    (ZIAP[0], "budget 2^17", 5),
]


def build(given):
    folder = given.folder

    def shell(command, directory):
        print(f"{directory}: {command}", flush=True)
        subprocess.run(command, shell=True, check=True, cwd=directory)

    folder.mkdir(parents=True, exist_ok=True)
    for (_, address, commit), name in [(NNEONNEO, "nneonneo"), (ZIAP, "ziap")]:
        if not (folder / name).exists():
            shell(f"git clone {address} {name} && git -C {name} checkout -q {commit}", folder)
    nneonneo = folder / "nneonneo"
    shell("./configure", nneonneo)
    text = (nneonneo / "2048.cpp").read_text()
    if ADAPTIVE not in text:
        sys.exit(f"{nneonneo}/2048.cpp: no expression {ADAPTIVE}")
    (nneonneo / "2048_fixed.cpp").write_text(text.replace(ADAPTIVE, "FIXED"))
    for depth in range(4):
        flags = f"-O3 -march=native -I. -DFIXED={depth}"
        shell(f"g++ {flags} {HERE / 'nneonneo-games.cpp'} -o games_{depth}", nneonneo)
    shell(f"{sys.executable} -m ziglang build --release=fast", folder / "ziap")


def command(program, setting, games):
    """The command in FOLDER that plays games."""
    if program == NNEONNEO[0]:
        return [f"nneonneo/games_{setting.split()[-1]}", str(games), str(SEED)]
    budget = 2 ** int(setting.split("^")[1])
    return ["ziap/zig-out/bin/2048", "-i", str(games), "-b", str(budget), "-t", "1", "-s", str(SEED)]


def scores_and_moves(program, output):
    """The score of each game and the number of all moves."""
    if program == NNEONNEO[0]:
        games = [line.split() for line in output.splitlines()]
        return [float(game[0]) for game in games], sum(int(game[1]) for game in games)
    # It prints running averages after each game, and its own rate and time of all games at the end.
    averages = [float(text) for text in re.findall(r"Avg (\S+)", output)][:-1]
    sums = [0.0] + [number * average for number, average in enumerate(averages, 1)]
    rate, seconds = re.findall(r"([\d.]+) moves/s \| ([\d.]+)s cpu", output)[-1]
    return [after - before for before, after in zip(sums, sums[1:])], round(float(rate) * float(seconds))


def measure(folder, program, setting, games):
    words = command(program, setting, games)
    output, seconds = run([str(folder / words[0]), *words[1:]])
    scores, moves = scores_and_moves(program, output)
    if len(scores) != games:
        sys.exit(f"{' '.join(words)}: {len(scores)} games instead of {games}")
    return scores, moves, f"{1000 * seconds / moves:.4g}"


def chosen(given):
    return [row for row in ROWS if re.search(given.rows, f"{row[0]}, {row[1]}")]


def play(given):
    from scipy.stats import t

    done = {row["command"] for row in read(RESULTS)}
    for program, setting, games in chosen(given):
        text = " ".join(command(program, setting, games))
        if text in done:
            continue
        scores, moves, milliseconds = measure(given.folder, program, setting, games)
        mean = statistics.mean(scores)
        half = t.ppf(0.975, games - 1) * statistics.stdev(scores) / games**0.5
        numbers = [f"{mean:.1f}", f"{mean - half:.0f}", f"{mean + half:.0f}", moves, milliseconds]
        add_score([program, setting, games, *numbers], text, given.idle)
        print(program, setting, *numbers, flush=True)


def time(given):
    done = timed()
    scored = {(row["group"], row["setting"]): row for row in read(RESULTS)}
    for program, setting, _ in chosen(given):
        result = scored.get((program, setting))
        if (program, setting) in done or result is None:
            continue
        of_a_game = float(result["ms_per_move"]) * int(result["moves"]) / int(result["games"]) / 1000
        if of_a_game > LONGEST_GAME:
            print(f"not timed: {program}, {setting}: a game takes {of_a_game:.0f} s", flush=True)
            continue
        games = max(GAMES_TIMED, round(SECONDS / of_a_game + 0.5))
        _, moves, milliseconds = measure(given.folder, program, setting, games)
        add_time((program, setting), games, moves, milliseconds)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--build", action="store_true", help="fetch and build the programs")
    add_choices(arguments)
    given = arguments.parse_args()
    given.folder = given.folder.resolve()
    (build if given.build else time if given.times else play)(given)


if __name__ == "__main__":
    main()
