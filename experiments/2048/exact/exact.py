#!/usr/bin/env python3
"""How near to perfect play come published weights, tuned ones and greedy on small boards?

Every number is exact: no game is played. Writes results.csv and the chart beside this file.

    experiments/2048/exact/exact.py [--boards 2x3,2x4] [--tiletune target/release/tiletune]
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent

# Board -> depths. Deeper searches take hours on the larger boards, whose positions are 230 and 2,200 times as many as those
# of 2x3.
DEPTHS = {"2x3": [0, 1, 2, 3], "2x4": [0, 1, 2], "3x3": [0, 1]}

# Name -> flags. The weights that ship for 4x4 have terms that read a fourth cell, which smaller boards do not have. Tuned
# are those that ship for the board, or those that README.md makes, in `weights`.
PLAYERS = {
    "random": ["--player", "random"],
    "greedy": ["--player", "greedy"],
    "published": ["--player", "expectimax"],
    "tuned": ["--player", "expectimax", "--weights", "{weights}"],
}
COLUMNS = ["board", "player", "depth", "exact_mean", "exact_share", "perfect_mean", "seconds"]


def rows(program, boards):
    """The rows of the table; what fails is named and left out."""
    for board in boards:
        for name, flags in PLAYERS.items():
            has_depth = "expectimax" in flags
            for depth in DEPTHS[board] if has_depth else [None]:
                weights = HERE / "weights" / f"{board}.toml"
                name_or_file = str(weights) if weights.is_file() else "tuned"
                given = [name_or_file if flag == "{weights}" else flag for flag in flags]
                if depth is not None:
                    given += ["--depth", str(depth)]
                command = [program, "evaluate", "--board", board, *given, "--exact", "--json"]
                ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
                if ended.returncode != 0:
                    print(f"failed: {' '.join(command)}", file=sys.stderr)
                    continue
                result = json.loads(ended.stdout)
                row = {"board": board, "player": name, "depth": "" if depth is None else depth}
                row |= {column: result[column] for column in COLUMNS[3:]}
                print(f"{board} {name} {row['depth']}: {100 * row['exact_share']:.2f} %", flush=True)
                yield row


def chart(table, path):
    """A bar for each player of each board: its share of perfect play. SVG without any library."""
    bars = []
    for at, row in enumerate(table):
        y, share = 20 + 22 * at, 100 * float(row["exact_share"])
        name = f"{row['board']} {row['player']} {row['depth']}".strip()
        bars.append(f'<text x="170" y="{y + 12}" text-anchor="end">{name}</text>')
        bars.append(f'<rect x="180" y="{y}" width="{4 * share:.1f}" height="16" fill="#4477aa"/>')
        bars.append(f'<text x="{186 + 4 * share:.1f}" y="{y + 12}">{share:.1f} %</text>')
    height = 22 * len(table) + 50
    title = f'<text x="180" y="{height - 10}">expected score, % of perfect play</text>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="660" height="{height}" font-family="sans-serif" font-size="12">'
    background = '<rect width="100%" height="100%" fill="white"/>'
    path.write_text("\n".join([head, background, *bars, title, "</svg>"]) + "\n")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--boards", default=",".join(DEPTHS))
    arguments.add_argument("--tiletune", default=str(ROOT / "target/release/tiletune"))
    given = arguments.parse_args()
    boards = given.boards.split(",")
    with open(HERE / "results.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        table = []
        for row in rows(given.tiletune, boards):
            table.append(row)
            writer.writerow(row)
            file.flush()
    (HERE / "charts").mkdir(exist_ok=True)
    chart(table, HERE / "charts" / "shares.svg")


if __name__ == "__main__":
    main()
