#!/usr/bin/env python3
"""Noisy functions as programs of the external protocol: functions.py NAME.

`f107` is the sphere with Gaussian noise of COCO's bbob-noisy (Hansen, Finck, Ros and Auger 2009, "Real-Parameter Black-Box
Optimization Benchmarking 2009: Noisy Functions Definitions", INRIA RR-6869), ten arguments in [-5, 5]:

    f(x) = |x - x_opt|^2,    f_GN(f, beta) = f exp(beta N(0, 1)),  beta = 1;  f_GN + 1.01e-8 if f >= 1e-8, else f

The penalty of points outside of [-5, 5] is left out, as all tools stay inside. The score is minus the noisy value.
`true` is 10 minus the decimal logarithm of f, at most 18: the digits that are right.

`rosenbrock` has the same noise and five arguments:

    f(x) = sum(100 (x[i + 1] - x[i]^2)^2 + (x[i] - 1)^2)

`quadratic` has four arguments and its optimum in the unit cube. It serves the self-test.
"""

import json
import math
import random
import sys

# The instance: drawn once, as the benchmark does, from [-4, 4].
OPTIMUM = [random.Random(107 + index).uniform(-4, 4) for index in range(10)]


def sphere(x):
    return sum((value - best) ** 2 for value, best in zip(x, OPTIMUM))


def rosenbrock(x):
    return sum(100 * (after - value**2) ** 2 + (value - 1) ** 2 for value, after in zip(x, x[1:]))


def noisy(function):
    """The score of a point and seed: minus the value with noise."""

    def score(x, seed):
        value = function(x)
        if value < 1e-8:
            return -value
        # Points have noise of their own on a seed, as in the benchmark, where every evaluation is independent.
        return -(value * math.exp(random.Random(f"{seed} {x}").gauss(0, 1)) + 1.01e-8)

    return score


def digits(function):
    return lambda x: 10 - math.log10(max(function(x), 1e-8))


def quadratic(x, seed):
    value = 100 - 50 * sum((value - 0.7) ** 2 for value in x)
    return value + random.Random(seed).gauss(0, 10)


# Name: parameters, score of a point and seed, true value.
FUNCTIONS = {
    "f107": (
        {f"x{index}": {"default": 3.5 if index % 2 else -3.5, "min": -5.0, "max": 5.0} for index in range(10)},
        noisy(sphere),
        digits(sphere),
    ),
    "rosenbrock": (
        {f"x{index}": {"default": -1.5, "min": -5.0, "max": 5.0} for index in range(5)},
        noisy(rosenbrock),
        digits(rosenbrock),
    ),
    "quadratic": (
        {name: {"default": 0.2, "min": 0.0, "max": 1.0} for name in "abcd"},
        quadratic,
        lambda x: 100 - 50 * sum((value - 0.7) ** 2 for value in x),
    ),
}


def main():
    parameters, score, true = FUNCTIONS[sys.argv[1]]
    greeting = {"protocol": 1, "program": sys.argv[1], "parameters": list(parameters), "numbers": ["score", "true"]}
    print(json.dumps(greeting), flush=True)
    for line in sys.stdin:
        task = json.loads(line)
        x = [task["weights"][name] for name in parameters]
        scores = [score(x, seed) for seed in task["seeds"]]
        print(json.dumps({"score": scores, "true": [true(x)] * len(scores)}), flush=True)


if __name__ == "__main__":
    main()
