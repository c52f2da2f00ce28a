"""`tiletune.tune`: what is tuned, and what it gives back."""

import math
import subprocess
import sys
from pathlib import Path

import functions
import pytest
import tiletune

BOUNDS = {"empty": (0, 300)}


def tuned(play=functions.noisy, parameters=BOUNDS, **settings):
    known = {"games": 200, "threads": 1, "seed": 7, "progress": False, "validation": {"games": 60}, "out": "run"}
    return tiletune.tune(play, parameters, **{**known, **settings})


def test_finds_better_weights():
    run = tuned()
    assert (run.kind, run.state, run.verdict) == ("campaign", "complete", "better")
    assert abs(run.best["empty"] - 30) < 60
    assert run.best == run.tuned
    low, high = run.interval
    assert 0 < low <= run.difference <= high
    assert run.report.is_file()
    assert run.validation["objective"]["difference"]["verdict"] == "better"
    assert "empty" in run._repr_html_() and str(run.report) in run._repr_html_()
    assert "better" in repr(run)


def test_the_same_seed_gives_the_same_result():
    one, other = tuned(out="one"), tuned(out="other", threads=2)
    assert one.best == other.best
    assert one.interval == other.interval
    assert tuned(out="third", seed=8).best != one.best


def test_a_lambda_gives_the_result_of_the_function_by_name():
    named, forked = tuned(out="named"), tuned(lambda weights, seed: functions.noisy(weights, seed), out="forked")
    assert named.best == forked.best
    assert named.interval == forked.interval


def test_whole_numbers_arrive_as_whole_numbers():
    run = tuned(functions.whole, {"depth": tiletune.Integer(1, 9, start=8.0)}, games=800)
    assert run.best["depth"] in (2, 3, 4)


def test_choices_arrive_as_texts_and_constraints_are_kept():
    parameters = {
        "mode": tiletune.Choice(["fast", "exact"]),
        "low": (0, 9),
        "high": tiletune.Real(0, 9, start=8, active_when="mode == 'exact'"),
    }
    run = tuned(functions.mixed, parameters, games=1500, require=["low < high"])
    assert run.best["mode"] == "exact"
    assert run.best["low"] < run.best["high"]
    assert run.plan["require"] == ["low < high"]
    again = tuned(functions.mixed, parameters, start=run, require=["low < high"], out="again")
    assert again.plan["parameters"]["mode"]["start"] == 1
    other = {**run.best, "mode": "fast"}
    compared = tiletune.compare((functions.mixed, run.best), (functions.mixed, other), progress=False)
    assert compared.verdict == "worse"


@pytest.mark.parametrize("start", [{"mode": 1}, {"mode": 1.0}, {"mode": "exact"}])
def test_the_start_of_a_choice_is_its_text_or_its_number(start):
    parameters = {"mode": tiletune.Choice(["fast", "exact"]), "low": (0, 4), "high": (5, 9)}
    run = tuned(functions.mixed, parameters, start=start)
    assert run.plan["parameters"]["mode"]["start"] == 1


def test_a_text_is_no_list_of_choices():
    with pytest.raises(tiletune.Error, match="the choices are 'fast': write a list"):
        tiletune.Choice("fast")


def test_a_scale_a_start_and_a_run_to_start_from():
    parameters = {"empty": tiletune.Real(1, 1000, scale="log")}
    first = tuned(parameters=parameters, out="first")
    assert first.plan["parameters"]["empty"]["start"] == pytest.approx(1000**0.5)
    second = tuned(start=first, out="second")
    assert second.plan["parameters"]["empty"]["start"] == first.best["empty"]
    third = tuned(start={"empty": 40}, out="third")
    assert third.plan["parameters"]["empty"]["start"] == 40


def test_a_loss_is_minimised():
    run = tuned(functions.loss, direction="minimise")
    assert run.verdict == "better"
    assert abs(run.best["empty"] - 30) < 60


def test_a_dict_has_a_score_and_other_numbers(library):
    library("polars")
    games = tuned(functions.two_numbers).games(frame="polars")
    assert {"score", "moves"} <= set(games.columns)
    assert set(games["moves"]) == {7}


def test_settings_are_tables_of_the_campaign():
    run = tuned(evaluation={"games": 4}, player={"time_limit": 5}, optimizer={"population": 8}, name="mine", why="Why?")
    plan = run.plan
    assert (plan["evaluation"]["games"], plan["optimizer"]["population"]) == (4, 8)
    assert (plan["heuristic"]["time_limit"], plan["name"], plan["why"]) == (5, "mine", "Why?")


def test_a_series_has_best_weights_and_a_verdict():
    run = tuned(series={"repeat": 2}, games=200)
    assert (run.kind, run.verdict) == ("series", "better")
    assert run.best["empty"] < 150


def test_without_out_the_run_is_in_results():
    run = tuned(out=None)
    assert run.path.parent.name == "results"
    assert tiletune.Run("last").path == run.path
    assert tiletune.Run(run.path.name).path == run.path
    assert tiletune.Run(str(run.path)).best == run.best


def test_prints_of_a_game_go_to_the_log():
    run = tuned(functions.prints, games=200)
    assert run.state == "complete"
    assert "a board" in run.log.read_text()


def test_the_progress_is_shown_where_stderr_is(capsys):
    tuned(progress=True)
    assert "run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameters": {}}, "no parameter to tune"),
        ({"parameters": {"empty": 300}}, "write two numbers"),
        ({"parameters": {"empty": (0, 1, 2)}}, "write two numbers"),
        ({"parameters": {"empty": (0, math.inf)}}, "both are finite"),
        ({"parameters": {"empty": tiletune.Integer(-math.inf, 3)}}, "both are finite"),
        ({"parameters": {"empty": (300, 0)}}, "empty"),
        ({"start": {"full": 1}}, "`full`, which is no parameter"),
        ({"parameters": {"mode": tiletune.Choice(["a", "b"], start="c")}}, "one of 'a', 'b', or its number from 0"),
        ({"parameters": {"mode": tiletune.Choice(["a", "b"])}, "start": {"mode": 2}}, "the start of `mode` is 2"),
        ({"direction": "up"}, "\"maximise\" or \"minimise\""),
        ({"bugdet": {"games": 5}}, "did you mean `budget`?"),
        ({"play": functions.forgets_to_return}, "it returned None for `score`"),
        ({"play": lambda weights: 1.0}, "takes 1 positional argument but 2 were given"),
    ],
)
def test_mistakes_are_errors_and_leave_nothing(arguments, message, folder):
    with pytest.raises(tiletune.Error) as error:
        tuned(**arguments)
    assert message in str(error.value)
    assert not list(folder.iterdir())


def test_an_existing_run_is_not_overwritten():
    best = tuned().best
    with pytest.raises(tiletune.Error) as error:
        tuned(seed=8)
    assert error.value.code == 2
    assert tiletune.Run("run").best == best


def test_the_example_of_the_page():
    page = Path(__file__).resolve().parents[2] / "docs/python.md"
    example = page.read_text().split("```python\n")[1].split("```")[0]
    Path("mine.py").write_text(example.replace("games=5000", "games=200"))
    done = subprocess.run([sys.executable, "mine.py"], capture_output=True, text=True, timeout=60)
    assert " better (" in done.stdout, done.stderr


def test_the_program_beside_the_interpreter_comes_before_path(monkeypatch, folder):
    beside = folder / "tiletune"
    beside.touch()
    monkeypatch.delenv("TILETUNE", raising=False)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(folder))
    assert tiletune._program.find() == str(beside)


def test_without_the_program_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setenv("TILETUNE", "nowhere/tiletune")
    with pytest.raises(tiletune.Error, match="TILETUNE names nowhere/tiletune"):
        tiletune.Run("last")
    monkeypatch.delenv("TILETUNE", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sysconfig.get_path", lambda name: "")
    with pytest.raises(tiletune.Error, match="install the package again"):
        tiletune.Run("last")
