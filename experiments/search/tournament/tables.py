"""Results of cells as tables: gains, comparisons paired by seed, games until most of the gain is reached.

A cell is a dictionary with the keys task, tool, budget, seed and score. Only cells whose task, budget and seed every compared
tool has are compared, so an interrupted tournament can be read."""

import math
from collections import defaultdict
from itertools import product

# Two-sided 95 % quantiles of Student's t, by degrees of freedom from 1.
T95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]


def mean(values):
    return sum(values) / len(values)


def half_width(values):
    """Half of the 95 % interval of the mean; infinite for one value."""
    count = len(values)
    if count < 2:
        return math.inf
    center = mean(values)
    variance = sum((value - center) ** 2 for value in values) / (count - 1)
    return (T95[count - 2] if count - 2 < len(T95) else 1.96) * math.sqrt(variance / count)


def sign_flip_p(values):
    """Two-sided p-value that the mean is 0: the share of all sign patterns with a mean at least as far from 0."""
    far = abs(sum(values)) * (1 - 1e-12)
    patterns = list(product((1, -1), repeat=len(values)))
    return mean([abs(sum(sign * value for sign, value in zip(signs, values))) >= far for signs in patterns])


def holm(p_values):
    """Holm's correction, in the order of the given values."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected, largest = [0.0] * len(p_values), 0.0
    for place, index in enumerate(order):
        largest = max(largest, (len(p_values) - place) * p_values[index])
        corrected[index] = min(1.0, largest)
    return corrected


class Results:
    def __init__(self, cells, families):
        """`families`: tool -> family; tools of one family are not each other's rivals."""
        self.families = families
        self.start = {cell["task"]: cell["score"] for cell in cells if cell["tool"] == "start"}
        self.scores = defaultdict(dict)
        for cell in cells:
            if cell["tool"] != "start":
                self.scores[cell["tool"], cell["task"], cell["budget"]][cell["seed"]] = cell["score"]
        self.tools = [tool for tool in families if any(key[0] == tool for key in self.scores)]
        self.tasks = sorted({key[1] for key in self.scores})
        self.budgets = sorted({key[2] for key in self.scores})

    def rivals(self, tool):
        return [other for other in self.tools if self.families[other] != self.families[tool]]

    def gains(self, tool, task, budget):
        return [score - self.start[task] for score in self.scores[tool, task, budget].values()]

    def log_ratios(self, tool, budget, base):
        """Seed -> mean over tasks of log(score / score of the base). `base`: (task, seed) -> score or None. A seed counts if
        it has all tasks that any seed has."""
        by_seed = defaultdict(list)
        for task in self.tasks:
            for seed, score in self.scores[tool, task, budget].items():
                other = base(task, seed)
                if other:
                    by_seed[seed].append(math.log(score / other))
        most = max(map(len, by_seed.values()), default=0)
        return {seed: mean(logs) for seed, logs in by_seed.items() if len(logs) == most}

    def of_tasks(self, tool, budget):
        """How many tasks the tool has played, unless it is all."""
        played = sum(1 for task in self.tasks if self.scores[tool, task, budget])
        return "" if played == len(self.tasks) else f" ({played} tasks)"

    def best_rival(self, tool, task, budget, seed):
        """The score of the rival with the best mean on the other seeds."""
        best = None
        for rival in self.rivals(tool):
            scores = self.scores[rival, task, budget]
            others = [score for other, score in scores.items() if other != seed]
            if seed in scores and others and (best is None or mean(others) > best[0]):
                best = mean(others), scores[seed]
        return best and best[1]

    def against_best(self, tool, budget):
        return self.log_ratios(tool, budget, lambda task, seed: self.best_rival(tool, task, budget, seed))

    def against(self, tool, rival, budget):
        return self.log_ratios(tool, budget, lambda task, seed: self.scores[rival, task, budget].get(seed))

    def needed(self, tool, task):
        """The smallest budget at which 80 % of seeds reach 90 % of the best known gain: the largest mean of any tool at any
        budget. None if no budget does."""
        cells = [key for key, scores in self.scores.items() if key[1] == task and key[0] in self.tools and scores]
        best = max((mean(self.gains(*key)) for key in cells), default=0)
        for budget in self.budgets:
            gains = self.gains(tool, task, budget)
            if best > 0 and gains and mean([gain >= 0.9 * best for gain in gains]) >= 0.8:
                return budget
        return None


def percent(log_ratio):
    return f"{100 * math.expm1(log_ratio):+.1f} %"


def with_interval(logs):
    center, half = mean(logs), half_width(logs)
    if math.isinf(half):
        return percent(center)
    return f"{percent(center)} ({percent(center - half)} to {percent(center + half)})"


def row(cells):
    return "| " + " | ".join(cells) + " |"


def head(first, cells):
    return [row([first, *cells]), "|---|" + "---:|" * len(cells)]


def number(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def score_table(results, task, title):
    lines = [f"**{task}: {title}** (start {number(results.start[task])})", ""]
    lines += head("score", [f"{budget:,}" for budget in results.budgets])
    last = results.budgets[-1]

    def order(tool):
        return -mean(list(results.scores[tool, task, last].values()) or [-math.inf])

    for tool in sorted(results.tools, key=order):
        cells = []
        for budget in results.budgets:
            scores = list(results.scores[tool, task, budget].values())
            half = half_width(scores) if scores else math.inf
            text = number(mean(scores)) if scores else "-"
            cells.append(text if math.isinf(half) else f"{text} ± {number(half)}")
        lines.append(row([tool, *cells]))
    return lines


def means_table(results, budget):
    """The mean score of each tool on each task, the best in bold; tools with the largest shares of these first."""
    means = {}
    for tool, task in product(results.tools, results.tasks):
        if scores := list(results.scores[tool, task, budget].values()):
            means[tool, task] = mean(scores)
    best = {task: max((value for (_, one), value in means.items() if one == task), default=0) for task in results.tasks}
    tools = [tool for tool in results.tools if any(one == tool for one, _ in means)]
    share = {tool: mean([value / best[task] for (one, task), value in means.items() if one == tool]) for tool in tools}
    lines = head(f"{budget:,} games", results.tasks)
    for tool in sorted(tools, key=lambda tool: -share[tool]):
        texts = [number(means[tool, task]) if (tool, task) in means else "-" for task in results.tasks]
        bests = [means.get((tool, task)) == best[task] for task in results.tasks]
        lines.append(row([tool, *(f"**{text}**" if is_best else text for text, is_best in zip(texts, bests))]))
    return [*lines, row(["*start*", *(number(results.start[task]) for task in results.tasks)])]


def best_table(results):
    """Each tool against the best tool of the others, which is chosen on other seeds."""
    lines = head("against the best other tool", [f"{budget:,}" for budget in results.budgets])
    for tool in results.tools:
        cells = []
        for budget in results.budgets:
            logs = list(results.against_best(tool, budget).values())
            cells.append(with_interval(logs) + results.of_tasks(tool, budget) if logs else "-")
        lines.append(row([tool, *cells]))
    return lines


def pair_table(results, tool):
    """One tool against each rival, with p-values that are corrected for the number of rivals."""
    lines = head(f"{tool} against", [f"{budget:,}" for budget in results.budgets])
    rivals, columns = results.rivals(tool), []
    for budget in results.budgets:
        logs = [list(results.against(tool, rival, budget).values()) for rival in rivals]
        known = [index for index, one in enumerate(logs) if one]
        corrected = holm([sign_flip_p(logs[index]) for index in known])
        column = ["-"] * len(rivals)
        for index, p in zip(known, corrected):
            of_tasks = results.of_tasks(rivals[index], budget)
            column[index] = f"{with_interval(logs[index])}, p = {p:.3f}{of_tasks}"
        columns.append(column)
    return lines + [row([rival, *cells]) for rival, *cells in zip(rivals, *columns)]


def variant_table(results, tool):
    """The tool with other settings against itself; none if no variant was played."""
    variants = sorted({one for one, _, _ in results.scores if one.startswith(f"{tool}:")})
    budgets = sorted({budget for one, _, budget in results.scores if one in variants})
    lines = head(f"{tool} with", [f"{budget:,}" for budget in budgets])
    for variant in variants:
        logs = [list(results.against(variant, tool, budget).values()) for budget in budgets]
        lines.append(row([f"`{variant.partition(':')[2]}`", *(with_interval(one) if one else "-" for one in logs)]))
    return [*lines, ""] if variants else []


def needed_table(results):
    """Where no budget is enough, the largest that the tool has played."""
    lines = head("games until 90 % of the best known gain in 80 % of seeds", results.tasks)

    def text(tool, task):
        if games := results.needed(tool, task):
            return f"{games:,}"
        played = [budget for budget in results.budgets if results.scores[tool, task, budget]]
        return f"> {played[-1]:,}" if played else "-"

    for tool in results.tools:
        lines.append(row([tool, *(text(tool, task) for task in results.tasks)]))
    return lines


def losses(results, tool):
    """The tasks and budgets at which another tool has the larger mean score."""
    lines = []
    for task, budget in product(results.tasks, results.budgets):
        own = list(results.scores[tool, task, budget].values())
        means = {one: results.scores[one, task, budget].values() for one in results.rivals(tool)}
        means = {one: mean(list(scores)) for one, scores in means.items() if scores}
        if own and means:
            best = max(means, key=means.get)
            if means[best] > mean(own):
                behind = 100 * (mean(own) / means[best] - 1)
                lines.append(f"- {task}, {budget:,} games: {number(mean(own))}, {best} {number(means[best])} ({behind:.1f} %)")
            below = 100 * (mean(own) / results.start[task] - 1)
            if below < 0:
                lines.append(f"- {task}, {budget:,} games: {number(mean(own))} is {-below:.1f} % below the start")
    return lines or ["- none"]


def everything(results, titles, own):
    """All tables; `own` are the tools whose comparisons and losses are shown in full."""
    lines = []
    for task in results.tasks:
        lines += [*score_table(results, task, titles[task]), ""]
    for budget in results.budgets:
        lines += [*means_table(results, budget), ""]
    lines += [*best_table(results), "", *needed_table(results), ""]
    for tool in own:
        if tool in results.tools:
            lines += [*variant_table(results, tool), *pair_table(results, tool), "", f"Losses of {tool}:", "", *losses(results, tool), ""]
    return "\n".join(lines)
