#!/usr/bin/env python3
"""The last moves before 32768, with and without the option `endgames`.

    cargo build --release --example play_from_positions
    experiments/2048/endgames/trials.py target/release/examples/play_from_positions    # 14 core-minutes
    experiments/2048/endgames/trials.py                                                # prints the rows of results.csv

Trials begin from the 86 positions that have just got the tiles 16384 to 512 (positions-six-tiles.jsonl), and end at the
tile sum 32,900. They are written to results/endgames/endgame-trials.csv. What the file has is not played again, so the
script can be interrupted.
"""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
# The trials, which are not in the repository.
TRIALS = ROOT / "results/endgames/endgame-trials.csv"
POSITIONS = HERE / "positions-six-tiles.jsonl"
WEIGHTS = {"published": "published", "sum": str(ROOT / "configs/weights/expectimax-sum-16.toml")}
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
            TRIALS.parent.mkdir(parents=True, exist_ok=True)
            with TRIALS.open("w", newline="") as file:
                writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    if process.returncode != 0:
        sys.exit(f"{program} failed")


def mean_and_error(values):
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return [f"{mean:.4f}", f"{math.sqrt(variance / len(values)):.4f}"]


def table():
    """The shares that pass, and their paired difference. The positions are the independent cases."""
    passed = {}
    for row in read():
        passed.setdefault((row["weights"], int(row["endgames"]), row["position"]), []).append(int(row["passed"]))
    shares = {case: sum(values) / len(values) for case, values in passed.items()}
    cases = [(name, endgames) for name in WEIGHTS for endgames in (0, 1)]
    positions = {position for _, _, position in shares}
    positions = sorted(position for position in positions if all((*case, position) in shares for case in cases))
    if len(positions) < 2:
        sys.exit(f"{TRIALS} has not enough trials for a table")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for name in WEIGHTS:
        without, with_them = ([shares[name, endgames, position] for position in positions] for endgames in (0, 1))
        trials = sum(len(passed[name, 0, position]) for position in positions)
        gain = [one - other for one, other in zip(with_them, without)]
        for setting, values in [("without", without), ("with endgames", with_them), ("difference", gain)]:
            writer.writerow(["endgames", "passes from six tiles to 32,900", setting, name, trials, *mean_and_error(values)])


if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
    sys.exit(__doc__)
if sys.argv[1:]:
    play(sys.argv[1])
table()
