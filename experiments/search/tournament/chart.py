"""The chart: each tool against the best other tool, as SVG."""

import math
from html import escape

from tables import half_width, mean

WIDTH, LEFT, ROW, TOP = 760, 170, 20, 60
# Ratios beyond are drawn at the border.
LOW, HIGH = 0.5, 1.25


def best(results):
    """A panel for each budget that can be compared: score / best other tool, geometric mean over tasks, with 95 % intervals
    over seeds."""
    budgets = [budget for budget in results.budgets if any(results.against_best(tool, budget) for tool in results.tools)]
    count = max(1, len(budgets))
    width = (WIDTH - LEFT - 20) / count
    height = TOP + ROW * len(results.tools) + 50

    def x(panel, ratio):
        share = (math.log(ratio) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))
        return LEFT + panel * width + 10 + (width - 30) * min(1.0, max(0.0, share))

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        '<text x="10" y="20" font-size="14">Score divided by that of the best other tool, mean over tasks</text>',
    ]
    for index, tool in enumerate(results.tools):
        y = TOP + ROW * index + 14
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(tool)}</text>')
    bottom = TOP + ROW * len(results.tools)
    for panel, budget in enumerate(budgets):
        middle = LEFT + panel * width + width / 2 - 5
        lines.append(f'<text x="{middle:.1f}" y="44" text-anchor="middle">{budget:,} games</text>')
        for tick in (0.5, 0.7, 0.85, 1.0, 1.2):
            at, color = x(panel, tick), "#555" if tick == 1 else "#ddd"
            lines.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{bottom}" stroke="{color}"/>')
            lines.append(f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle" font-size="10">{tick:g}</text>')
        for index, tool in enumerate(results.tools):
            logs = list(results.against_best(tool, budget).values())
            if not logs:
                continue
            y, half = TOP + ROW * index + 14, half_width(logs)
            color = "#1f6fb4" if results.families[tool] == "tiletune" else "#444"
            if not math.isinf(half):
                low, high = (x(panel, math.exp(mean(logs) + side * half)) for side in (-1, 1))
                lines.append(f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="{color}" stroke-width="2"/>')
            lines.append(f'<circle cx="{x(panel, math.exp(mean(logs))):.1f}" cy="{y}" r="4" fill="{color}"/>')
    caption = f"Lines: 95 % intervals over seeds, cut at {LOW:g} and {HIGH:g}. The best other tool is chosen on other seeds."
    lines.append(f'<text x="10" y="{height - 10}" font-size="11">{caption}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"
