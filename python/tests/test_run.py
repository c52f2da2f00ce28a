"""`tiletune.Run`: tables as data frames, and studies of Optuna."""

import os

import functions
import pytest
import tiletune


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return tiletune.tune(
        functions.fails_below_hundred,
        {"empty": tiletune.Real(1, 300, scale="log", start=200), "x_bits": (0, 1), "restart": tiletune.Integer(1, 9)},
        games=200, threads=2, seed=1, progress=False, validation={"games": 30},
        out=tmp_path_factory.mktemp("runs") / "run",
    )


@pytest.mark.filterwarnings("ignore:.*raised an exception")
@pytest.mark.parametrize("frame", ["polars", "pandas"])
def test_both_libraries_of_frames(run, frame, library):
    library(frame)
    assert type(run.games(frame=frame)).__module__.startswith(frame)
    games, candidates, held_out = run.games(frame=frame), run.candidates(frame), run.games("hold-out", frame)
    assert {"generation", "candidate", "seed", "score"} <= set(games.columns)
    assert {"fitness", "empty", "x_bits_", "restart_"} <= set(candidates.columns)
    assert not [name for name in candidates.columns if name.endswith("_bits")]
    assert set(held_out["weights"]) == {"start", "tuned"}
    assert len(held_out) == 60


def test_frames_say_what_is_missing(run, monkeypatch):
    monkeypatch.setattr("tiletune._frames.find_spec", lambda name: None)
    with pytest.raises(tiletune.Error, match="install it, as in `pip install polars`"):
        run.games()
    with pytest.raises(tiletune.Error, match='is "polars" or "pandas"'):
        run.games(frame="excel")


def test_an_unknown_table_names_the_others(run, library):
    library("polars")
    with pytest.raises(tiletune.Error, match="its tables: .*hold-out, .*train"):
        run.games("race")


def test_a_study_of_optuna(run, library):
    optuna = library("optuna")
    library("polars")
    study = run.to_optuna()
    candidates = run.candidates("polars")
    states = [trial.state for trial in study.trials]
    assert len(states) == len(candidates)
    assert states.count(optuna.trial.TrialState.FAIL) == candidates["fitness"].is_infinite().sum() > 0
    assert study.best_value == candidates["fitness"].max()
    assert study.direction == optuna.study.StudyDirection.MAXIMIZE
    domains = study.trials[0].distributions
    assert domains["empty"] == optuna.distributions.FloatDistribution(1, 300, log=True)
    assert domains["restart"] == optuna.distributions.IntDistribution(1, 9)
    assert all(isinstance(trial.params["restart"], int) for trial in study.trials)
    assert (study.user_attrs["best"], study.user_attrs["verdict"]) == (run.best, run.verdict)


def test_a_study_in_a_storage(run, library):
    optuna = library("optuna")
    library("polars")
    storage = "sqlite:///studies.db"
    run.to_optuna(storage, "mine")
    study = optuna.load_study(study_name="mine", storage=storage)
    assert len(study.trials) == len(run.candidates())


def test_a_loss_is_a_study_that_minimises(library):
    optuna = library("optuna")
    library("polars")
    run = tiletune.tune(
        functions.loss, {"empty": (0, 300)}, games=200, threads=1, direction="minimize", progress=False,
        validation={"games": 30}, out="run",
    )
    study = run.to_optuna()
    assert study.direction == optuna.study.StudyDirection.MINIMIZE
    assert study.best_value == -run.candidates("polars")["fitness"].max()


def test_a_run_is_a_path(run):
    assert os.fspath(run) == str(run) == str(run.path)
    assert tiletune.Run(run).path == run.path


def test_a_run_that_is_none():
    with pytest.raises(tiletune.Error, match="no such run directory") as error:
        tiletune.Run("nowhere")
    assert error.value.code == 2
