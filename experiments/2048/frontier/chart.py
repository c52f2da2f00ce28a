#!/usr/bin/env python3
"""Draws charts/frontier.png and charts/deep.png from results.csv and others.csv, and prints the comparison as CSV.

    pip install matplotlib
    experiments/2048/frontier/chart.py > comparison.csv

The comparison has a row for each player that was not tuned here: the best row with weights tuned here that takes no more
time, the difference of both with the half width of its 95 % interval, and the score of the tuned rows at exactly this time,
interpolated between neighbours.
"""

import csv
import math
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend comes first)
from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: E402

from frontier import HERE, PUBLISHED, RESULTS, TUNED, read  # noqa: E402

OTHERS = HERE / "others.csv"
CHART = HERE / "charts" / "frontier.png"
DEEP_CHART = HERE / "charts" / "deep.png"

# Colour, width of the line, marker. Groups that are not named here are drawn like the last one.
STYLES = {
    TUNED: ("#c1121f", 2.2, "o"),
    PUBLISHED: ("#1d5fa8", 1.6, "o"),
    "expectimax, 14 tuned line terms": ("#2a9d4a", 1.3, "o"),
    "expectimax, published form tuned": ("#7b3fa0", 1.3, "o"),
    "expectimax-faithful": ("#7fa8d1", 1.1, "s"),
    "snake": ("#b08900", 1.1, "^"),
    "snake-intended": ("#d9b544", 1.1, "v"),
    "minimax-six": ("#8c6d5a", 1.1, "^"),
    "minimax-six-faithful": ("#8c6d5a", 1.1, "v"),
    "greedy": ("#555555", 1.0, "x"),
    "random": ("#555555", 1.0, "+"),
}
PEER_STYLES = {"nneonneo/2048-ai": "s", "ziap/2048-ai": "D"}
OTHER_MARKERS = ["D", "h", "p", "P", "X", "*"]
GREY = "#8a8a8a"
# Players in the chart of the slow ones take at least this time, in ms per move.
SLOW = 0.03
# Times that differ by a smaller factor count as equal: the medians of three measurements of one row, depth 0 of the
# published weights, were 17.6, 18.2 and 18.9 ns.
SAME_TIME = 1.03
# Labels of rows with endgames whose times differ by less than this, in the logarithm, would overlap.
NEAR = 0.3
HAND_WRITTEN = "hand-written terms"
NOTES = {
    HAND_WRITTEN: "",
    "learned n-tuple network": ", learned",
    "hand-written terms and endgame tables": ", endgame tables",
}
# Where labels of points stand, without and with a cut-off: offset in points, alignment. Other points have none.
LABELLED = {
    TUNED: {False: ((0, 8), "center"), True: ((-6, 3), "right")},
    PUBLISHED: {False: ((6, -9), "left")},
}


def measured():
    """Rows as numbers. The time is that measured alone, where the row has it."""
    for row in read(RESULTS):
        numbers = {name: float(row[name]) for name in ["mean", "low", "high"]}
        yield {**row, **numbers, "ms": float(row["timed_ms_per_move"] or row["ms_per_move"])}


def is_ours(row):
    """Whether the weights were tuned here."""
    return row["group"].startswith("expectimax, ") and "tuned" in row["group"]


def frontier(rows):
    """The rows with a higher mean than every row that is as fast, by time."""
    best = []
    for row in sorted(rows, key=lambda row: (row["ms"], -row["mean"])):
        if not best or row["mean"] > best[-1]["mean"]:
            best.append(row)
    return best


def interpolated(best, time):
    """Mean score of the frontier at a time, linear in the logarithms; None outside of it."""
    for before, after in zip(best, best[1:]):
        if before["ms"] <= time <= after["ms"]:
            share = math.log(time / before["ms"]) / math.log(after["ms"] / before["ms"])
            return math.exp((1 - share) * math.log(before["mean"]) + share * math.log(after["mean"]))
    return None


def compare(rows, peers):
    """Each row that was not tuned here, beside the best row tuned here that takes no more time (within SAME_TIME)."""
    best = frontier([row for row in rows if is_ours(row)])
    for row in [*peers, *(row for row in rows if not is_ours(row))]:
        within = [one for one in best if one["ms"] <= SAME_TIME * row["ms"]]
        if not within:
            yield row, None, None, None, "no row tuned here is as fast"
            continue
        ours = within[-1]
        difference = ours["mean"] - row["mean"]
        halves = [(one["high"] - one["low"]) / 2 for one in (ours, row)]
        half = math.hypot(*halves)
        verdict = "higher" if difference > half else "lower" if difference < -half else "undecided"
        yield row, ours, difference, half, verdict


def print_comparison(compared, best):
    columns = ["group", "setting", "ms_per_move", "mean", "low", "high"]
    ours_columns = ["tuned_group", "tuned_setting", "tuned_ms_per_move", "tuned_mean", "tuned_low", "tuned_high"]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*columns, *ours_columns, "difference", "half_width", "verdict", "interpolated"])
    for row, ours, difference, half, verdict in compared:
        keys = ["group", "setting", "ms", "mean", "low", "high"]
        ours_cells = [ours[key] for key in keys] if ours else [""] * 6
        numbers = [f"{difference:.0f}", f"{half:.0f}"] if ours else ["", ""]
        at = interpolated(best, row["ms"])
        writer.writerow([*(row[key] for key in keys), *ours_cells, *numbers, verdict, f"{at:.0f}" if at else ""])


def has_cutoff(row):
    return "cut-off" in row["setting"]


def short(setting):
    """`depth 2` as `2`, `adaptive, cut-off 1e-2` as `1e-2`."""
    return setting.replace("depth ", "").replace("adaptive, cut-off ", "").replace("adaptive in full, cut-off ", "full ")


def draw_series(axes, rows, label, colour, width, marker, line="-"):
    """Rows of a group without and with a cut-off: every row as a point, and a line through the best ones."""
    for cut in [False, True]:
        part = [row for row in rows if has_cutoff(row) == cut]
        if not part:
            continue
        x = [row["ms"] for row in part]
        y = [row["mean"] for row in part]
        below = [row["mean"] - max(row["low"], row["mean"] / 20) for row in part]
        above = [row["high"] - row["mean"] for row in part]
        axes.errorbar(
            x, y, [below, above], color=colour, linestyle="none", marker=marker, markersize=5,
            markerfacecolor="white" if cut else colour, capsize=2, elinewidth=1,
        )
        best = frontier(part)
        axes.plot(
            [row["ms"] for row in best], [row["mean"] for row in best], color=colour, linewidth=width,
            linestyle="--" if cut else line, marker=marker, markersize=5, markerfacecolor="white" if cut else colour,
            label=None if cut and len(part) < len(rows) else label,
        )


def draw_others(axes):
    """Quoted figures: hollow and grey. A hand-written program without a time is a line at its score."""
    programs = {}
    for row in read(OTHERS):
        programs.setdefault((row["program"], row["kind"]), []).append(row)
    markers = iter(OTHER_MARKERS)
    for (program, kind), rows in programs.items():
        timed = [row for row in rows if row["ms_per_move"]]
        x = [float(row["ms_per_move"]) for row in timed]
        y = [float(row["score"]) for row in timed]
        if timed:
            axes.plot(x, y, marker=next(markers), markersize=5.5, fillstyle="none", color=GREY, linewidth=0.8,
                      linestyle=":", label=f"{program}{NOTES[kind]}: quoted")
        elif kind == HAND_WRITTEN:
            score = float(rows[0]["score"])
            axes.axhline(score, color=GREY, linewidth=0.8, linestyle=":")
            axes.annotate(f"{program}, {rows[0]['setting']}: quoted, no time", (0.015, score), fontsize=7, color=GREY,
                          xycoords=("axes fraction", "data"), xytext=(0, 3), textcoords="offset points")


def in_groups(rows):
    """Rows by group. Anchored weights for different depths are one group: each depth is played with those made for it."""
    groups = {}
    for row in rows:
        groups.setdefault(TUNED if row["group"].startswith(TUNED) else row["group"], []).append(row)
    return groups


def draw_groups(axes, rows, peers):
    """Every player of tiletune, then the other programs; returns the groups of the former."""
    groups = in_groups(rows)
    for group in sorted(groups, key=lambda group: list(STYLES).index(group) if group in STYLES else 0, reverse=True):
        colour, width, marker = STYLES.get(group, ("#e07a1f", 1.6, "o"))
        draw_series(axes, groups[group], group, colour, width, marker)
    for program, part in in_groups(peers).items():
        draw_series(axes, part, f"{program}, run here", "black", 1.3, PEER_STYLES[program], "-.")
    return groups


def label(axes, row, offset, alignment, colour, text):
    axes.annotate(text, (row["ms"], row["mean"]), xytext=offset, fontsize=7, textcoords="offset points", color=colour,
                  ha=alignment)


def plain(value, _):
    """A number as the label of a tick."""
    return f"{value:.5f}".rstrip("0").rstrip(".")


def name_axes(axes):
    axes.set_xlabel("processor time per move on one thread, ms")
    axes.set_ylabel("mean score")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.grid(True, which="major", alpha=0.3)
    axes.grid(True, which="minor", alpha=0.1)


def save(figure, path):
    figure.tight_layout()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)


def draw(rows, peers):
    figure, axes = plt.subplots(figsize=(8, 6.4))
    draw_others(axes)
    for group, part in draw_groups(axes, rows, peers).items():
        # Labels of the rows with a higher mean than all faster ones; others would overlap.
        best = [*frontier(row for row in part if not has_cutoff(row)), *frontier(part)]
        for row in {row["setting"]: row for row in best}.values():
            place = LABELLED.get(group, {}).get(has_cutoff(row))
            # A depth with a cut-off would overlap the others.
            # Those with endgames are labelled in the chart of the slow players.
            if "endgames" in row["setting"]:
                place = None
            if place and not (has_cutoff(row) and row["setting"].startswith("depth")):
                label(axes, row, *place, STYLES[group][0], short(row["setting"]))
    axes.set_xscale("log")
    axes.set_yscale("log")
    name_axes(axes)
    axes.xaxis.set_major_locator(LogLocator(numticks=10))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    handles, labels = axes.get_legend_handles_labels()
    adaptive = axes.plot([], [], color="black", linestyle="--", marker="o", markerfacecolor="white")
    handles, labels = [*adaptive, *handles], ["hollow: with a cut-off (number: adaptive depth, with reductions)", *labels]
    axes.legend(handles[::-1], labels[::-1], fontsize=7, loc="lower right", framealpha=0.95, labelspacing=0.15)
    axes.set_title("2048: strength for time, with 95 % intervals", fontsize=11)
    save(figure, CHART)


def has_label(row, part):
    """Whether a row of a group has a label in the chart of the slow players. Labels of searches in full, and of rows with the
    same setting or nearly the same time, would overlap: the row with the largest mean has it."""

    def is_near(one):
        both_endgames = "endgames" in one["setting"] and "endgames" in row["setting"]
        return one["setting"] == row["setting"] or both_endgames and abs(math.log(one["ms"] / row["ms"])) < NEAR

    return "in full" not in row["setting"] and row["mean"] == max(one["mean"] for one in part if is_near(one))


def draw_deep(rows, peers):
    """The slow players alone, on a linear axis of scores: adaptive depth with reductions is a line, other searches are points."""
    figure, axes = plt.subplots(figsize=(8, 5.6))
    colours = {TUNED: "#c1121f", PUBLISHED: "#1d5fa8", **dict.fromkeys(in_groups(peers), "black")}
    for group, part in in_groups([*rows, *peers]).items():
        part = [row for row in part if row["ms"] >= SLOW]
        if not part or group not in colours:
            continue
        colour = colours[group]
        of_line = [row for row in part if group in PEER_STYLES or row["setting"].startswith("adaptive,")]
        line = frontier(of_line)
        for row in part:
            is_line = row in of_line
            axes.errorbar(
                [row["ms"]], [row["mean"]], [[row["mean"] - row["low"]], [row["high"] - row["mean"]]], color=colour,
                marker=PEER_STYLES.get(group, "o" if is_line else "d"), markersize=5, capsize=2, elinewidth=0.8, linestyle="none",
                markerfacecolor=colour if is_line else "white",
            )
            if has_label(row, part):
                text = short(row["setting"]).replace(", cut-off 1e-2", "").replace(", cut-off ", ", ").replace("budget ", "")
                place = ((5, -10), "left")
                if "1e-4, endgames" in text:
                    place = ((5, 3), "left")
                if group == TUNED and row in line:
                    place = ((-5, 5), "right")
                elif group == TUNED:
                    place = ((-5, -10), "right")
                label(axes, row, *place, colour, text)
        name = f"{group}, run here" if group in PEER_STYLES else group
        axes.plot([row["ms"] for row in line], [row["mean"] for row in line], color=colour, linewidth=1.2, label=name,
                  marker=PEER_STYLES.get(group, "o"), markersize=5)
    axes.set_xscale("log")
    name_axes(axes)
    axes.xaxis.set_major_locator(LogLocator(subs=[1, 2, 5]))
    axes.xaxis.set_major_formatter(FuncFormatter(plain))
    axes.set_ylim(bottom=0)
    axes.set_xlim(right=3.0)
    axes.legend(fontsize=7, loc="lower right")
    axes.set_title("2048: strength for time of the slow rows, with 95 % intervals", fontsize=11)
    save(figure, DEEP_CHART)


def main():
    all_rows = list(measured())
    rows = [row for row in all_rows if row["command"].startswith("tiletune ")]
    peers = [row for row in all_rows if row not in rows]
    draw(rows, peers)
    draw_deep(rows, peers)
    print_comparison(compare(rows, peers), frontier([row for row in rows if is_ours(row)]))


if __name__ == "__main__":
    main()
