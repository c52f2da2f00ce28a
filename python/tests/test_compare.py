"""`tiletune.compare`."""

import functions
import pytest
import tiletune

QUIET = {"threads": 1, "seed": 1, "progress": False}


def test_built_in_players():
    run = tiletune.compare("published", "published", player="expectimax", depth=0, max_games=200, out="run", **QUIET)
    assert (run.kind, run.state) == ("comparison", "complete")
    assert run.verdict == run.results["challengers"][0]["verdict"] == "undecided"
    assert run.interval[0] < run.difference < run.interval[1]
    with pytest.raises(tiletune.Error, match="no weights of its own"):
        run.best


def test_a_verdict_that_is_not_better_is_no_error():
    run = tiletune.compare("expectimax", "random", game="2048", depth=0, out="run", **QUIET)
    assert (run.verdict, run.interval[1] < 0) == ("worse", True)


def test_runs_and_functions():
    tuned = tiletune.tune(
        functions.noisy, {"empty": (0, 300)}, games=200, validation={"games": 60}, out="tuned", **QUIET
    )
    start, best = (functions.noisy, {"empty": 150}), (functions.noisy, tuned.best)
    assert tiletune.compare(start, best, out="one", **QUIET).verdict == "better"
    assert tiletune.compare(tuned, start, out="two", **QUIET).verdict == "worse"
    forked = (lambda weights, seed: functions.noisy(weights, seed), {"empty": 150})
    assert tiletune.compare(forked, best, forked, out="three", **QUIET).verdict == "better"


def test_whole_numbers_arrive_as_whole_numbers():
    three, eight = (functions.whole, {"depth": 3}), (functions.whole, {"depth": 8})
    assert tiletune.compare(eight, three, out="run", **QUIET).verdict == "better"


def test_mistakes_are_errors():
    with pytest.raises(tiletune.Error, match="no such weights file or run directory") as error:
        tiletune.compare("published", "nowhere", **QUIET)
    assert error.value.code == 2
    with pytest.raises(tiletune.Error, match="--deep"):
        tiletune.compare("published", "published", deep=2, **QUIET)
