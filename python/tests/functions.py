"""Functions that tests tune by name."""

import random


def noisy(weights, seed):
    """Best at empty = 30."""
    return random.Random(seed).gauss(-abs(weights["empty"] - 30), 5 + weights["empty"] / 10)


def loss(weights, seed):
    """A loss, least at empty = 30."""
    return -noisy(weights, seed)


def two_numbers(weights, seed):
    return {"points": noisy(weights, seed), "moves": 7}


def whole(weights, seed):
    """Needs a whole number, and is best at 3."""
    assert isinstance(weights["depth"], int)
    assert isinstance(seed, int)
    return random.Random(seed).gauss(-abs(weights["depth"] - 3), 1)


def mixed(weights, seed):
    """Best with the mode "exact" and low = high = 5; low must be below high."""
    assert weights["low"] < weights["high"]
    wrong = {"fast": 20, "exact": 0}[weights["mode"]]
    return random.Random(seed).gauss(-abs(weights["low"] - 5) - abs(weights["high"] - 5) - wrong, 1)


def fails_below_hundred(weights, seed):
    if weights["empty"] < 100:
        raise ValueError("too few empty cells")
    return noisy(weights, seed)


def fails_later(weights, seed):
    """Fails in all games but those of the start weights."""
    if weights["empty"] != 150:
        raise ValueError("always")
    return 1.0


def forgets_to_return(weights, seed):
    noisy(weights, seed)


def prints(weights, seed):
    """What a game prints, and reads, is not for the protocol."""
    print("a board")
    assert input_or_end() == ""
    return noisy(weights, seed)


def input_or_end():
    try:
        return input()
    except EOFError:
        return ""
