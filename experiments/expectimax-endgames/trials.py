#!/usr/bin/env python3
"""The last moves before 32768, with and without the option `endgames`: trials.csv.

    cargo build --release --example play_from_positions
    experiments/expectimax-endgames/trials.py target/release/examples/play_from_positions    # 14 core-minutes
    experiments/expectimax-endgames/trials.py                                                # the table

Trials begin from the 86 positions of experiments/expectimax-late that have just got the tiles 16384 to 512, and end at
the tile sum 32,900. What the file has is not played again, so the script can be interrupted.
"""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TRIALS = HERE / "trials.csv"
POSITIONS = HERE.parent / "expectimax-late/positions-six-tiles.jsonl"
WEIGHTS = {"published": "published", "sum": str(HERE.parent / "expectimax-mix-deeper/sum-16.toml")}
FIELDS = ["weights", "endgames", "position", "seed", "passed", "tile_sum", "moves"]
CUTOFF = 1e-3
PASSED = 32_900
# Seeds that no earlier trial used.
FIRST_SEED = 4_350_000_000
SEEDS = 4


def read():
    if not TRIALS.exists():
        return []
    with TRIALS.open() as file:
        return list(csv.DictReader(file))


def key(row):
    return row["weights"], int(row["endgames"]), int(row["seed"])


def jobs(known):
    boards = [json.loads(line)["board"] for line in POSITIONS.read_text().splitlines()]
    for number in range(SEEDS * len(boards)):
        position = number % len(boards)
        for name, weights in WEIGHTS.items():
            for endgames in (0, 1):
                trial = {"weights": name, "endgames": endgames, "position": position, "seed": FIRST_SEED + number}
                if key(trial) not in known:
                    yield {
                        "id": trial,
                        "weights": weights,
                        "cutoff": CUTOFF,
                        "endgames": bool(endgames),
                        "seed": trial["seed"],
                        "board": boards[position],
                        "until": PASSED,
                    }


def play(program):
    rows = read()
    wanted = list(jobs({key(row) for row in rows}))
    text = "".join(json.dumps(job) + "\n" for job in wanted)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        # The program reads all of its input before the first game.
        process.stdin.write(text)
        process.stdin.close()
        try:
            for number, line in enumerate(process.stdout, 1):
                outcome = json.loads(line)
                rows.append(outcome["id"] | {name: int(outcome[name]) for name in ("passed", "tile_sum", "moves")})
                if number % 50 == 0:
                    print(f"{number} of {len(wanted)} trials", file=sys.stderr)
        finally:
            rows.sort(key=lambda row: (int(row["seed"]), row["weights"], int(row["endgames"])))
            with TRIALS.open("w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    if process.returncode != 0:
        sys.exit(f"{program} failed")


def mean_and_error(values):
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return f"{100 * mean:.1f} ± {100 * math.sqrt(variance / len(values)):.1f}"


def table():
    """The shares that pass in percent, and their paired difference. The positions are the independent cases."""
    passed = {}
    for row in read():
        passed.setdefault((row["weights"], int(row["endgames"]), row["position"]), []).append(int(row["passed"]))
    shares = {case: sum(values) / len(values) for case, values in passed.items()}
    cases = [(name, endgames) for name in WEIGHTS for endgames in (0, 1)]
    positions = {position for _, _, position in shares}
    positions = sorted(position for position in positions if all((*case, position) in shares for case in cases))
    if len(positions) < 2:
        sys.exit("trials.csv has not enough trials for a table")
    print("| weights | trials each | without | with endgames | difference |\n|---|---:|---:|---:|---:|")
    for name in WEIGHTS:
        without, with_them = ([shares[name, endgames, position] for position in positions] for endgames in (0, 1))
        trials = sum(len(passed[name, 0, position]) for position in positions)
        gain = [one - other for one, other in zip(with_them, without)]
        columns = [mean_and_error(values) for values in (without, with_them, gain)]
        print(f"| {name} | {trials} | {columns[0]} % | {columns[1]} % | {columns[2]} |")


if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
    sys.exit(__doc__)
if sys.argv[1:]:
    play(sys.argv[1])
table()
