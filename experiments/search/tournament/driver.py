#!/usr/bin/env python3
"""Plays games with a program of the external protocol (docs/external.md) and counts them.

A *game* is one pair of weights and seed. A repeated pair is counted once: its number is the same and tells nothing new.

As a command it stands between a tuner that starts programs itself and the program:

    driver.py COUNTS PROGRAM [ARGUMENT ..]

It passes all lines on; for the tuner the names of parameters end with an underscore. It appends a line to the file COUNTS for
each task and at its end: new games, games asked for, core-seconds. These are missing if the tuner kills this process because a
busy machine does not let it end in time.
"""

import json
import math
import resource
import subprocess
import sys


class BudgetSpent(Exception):
    """An evaluation would exceed the budget. Nothing of it was played."""


def core_seconds():
    """The core-seconds of this process, and those of the children that it has waited for."""
    return tuple(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Program:
    """A running program. `games` counts distinct pairs of weights and seed, `asked` all. `seconds` are its core-seconds, known
    when it is closed."""

    def __init__(self, command, folder=None, budget=math.inf):
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.greeting = self.process.stdout.readline()
        if not self.greeting:
            raise RuntimeError(f"{command} ended before its first line")
        self.numbers = json.loads(self.greeting)["numbers"]
        self.budget, self.games, self.asked, self.seconds = budget, 0, 0, 0.0
        self.played = set()

    def ask(self, line):
        """The answer to a line with a task, as a line."""
        task = json.loads(line)
        key = json.dumps(task["weights"], sort_keys=True)
        pairs = {hash((key, seed)) for seed in task["seeds"]} - self.played
        if self.games + len(pairs) > self.budget:
            raise BudgetSpent
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the program ended in the task {line}")
        self.played |= pairs
        self.games += len(pairs)
        self.asked += len(task["seeds"])
        return answer

    def play(self, weights, seeds, number=None):
        """The scores of `weights` on `seeds`, or another number of the program. Refused weights score 0."""
        task = {"weights": weights, "seeds": [str(seed) for seed in seeds]}
        answer = json.loads(self.ask(json.dumps(task) + "\n"))
        if "refused" in answer:
            return [0.0] * len(seeds)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer[number or self.numbers[0]]

    def close(self):
        _, before = core_seconds()
        self.process.stdin.close()
        self.process.wait(10)
        self.seconds = core_seconds()[1] - before

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Space:
    """The parameters, and their map to the unit cube: positions between the bounds, on the scale of each."""

    def __init__(self, parameters):
        self.parameters = parameters
        self.names = list(parameters)

    def __len__(self):
        return len(self.parameters)

    def start(self):
        return [self.position(one, one["default"]) for one in self.parameters.values()]

    @staticmethod
    def position(one, value):
        low, high = one["min"], one["max"]
        if one.get("scale") == "log":
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    @staticmethod
    def value(one, position):
        low, high = one["min"], one["max"]
        position = min(1.0, max(0.0, float(position)))
        value = low * (high / low) ** position if one.get("scale") == "log" else low + (high - low) * position
        return min(high, max(low, value))

    def weights(self, point):
        parameters = self.parameters.items()
        return {name: self.value(one, position) for (name, one), position in zip(parameters, point, strict=True)}


class Problem:
    """What a tuner sees: the space, the start, the budget, and mean scores of games."""

    # Seeds of training games are below, those of judging above.
    JUDGING = 1 << 62

    def __init__(self, program, space, seed):
        self.program, self.space, self.seed = program, space, seed
        self.next_seed = (seed + 1) << 40

    @property
    def left(self):
        return self.program.budget - self.program.games

    def fresh(self, games):
        """Seeds that were not used before."""
        first = self.next_seed
        self.next_seed += games
        return range(first, first + games)

    def scores(self, point, seeds):
        """The score of a point of the unit cube on each seed. Raises BudgetSpent."""
        return self.program.play(self.space.weights(point), seeds)

    def mean(self, point, games):
        """The mean score on fresh seeds. Raises BudgetSpent."""
        return sum(self.scores(point, self.fresh(games))) / games


def main():
    counts, command = sys.argv[1], sys.argv[2:]
    with open(counts, "a") as counts:
        with Program(command) as program:
            greeting = json.loads(program.greeting)
            if "parameters" in greeting:
                greeting["parameters"] = [name + "_" for name in greeting["parameters"]]
            print(json.dumps(greeting), flush=True)
            for line in sys.stdin:
                task = json.loads(line)
                task["weights"] = {name.removesuffix("_"): value for name, value in task["weights"].items()}
                line = json.dumps(task) + "\n"
                games, asked = program.games, program.asked
                answer = program.ask(line)
                # Before the answer: the tuner may end this process as soon as it has it.
                print(program.games - games, program.asked - asked, 0, file=counts, flush=True)
                sys.stdout.write(answer)
                sys.stdout.flush()
        print(0, 0, program.seconds, file=counts, flush=True)


if __name__ == "__main__":
    main()
