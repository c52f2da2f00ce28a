"""Workers: how they find a function, exceptions of games, and their end."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module
from pathlib import Path

import functions
import pytest
import tiletune

GUARDED = """
import random, sys, tiletune

ARGUMENTS = sys.argv[1:]

def play(weights, seed):
    assert ARGUMENTS == ["an argument"]
    return random.Random(seed).gauss(-abs(weights["empty"] - 30), 5)

if __name__ == "__main__":
    run = tiletune.tune(play, {"empty": (0, 300)}, games=200, threads=2, seed=1, validation={"games": 30}, out="run")
    print(run.verdict)
"""

ENDLESS = """
import random, sys, time, tiletune

def play(weights, seed):
    time.sleep(0.05)
    return random.Random(seed).gauss(-abs(weights["empty"] - 30), 5)

if __name__ == "__main__":
    forked = lambda weights, seed: play(weights, seed)
    tiletune.tune(play if sys.argv[1] == "named" else forked, {"empty": (0, 300)}, games=100_000, threads=2, out="run")
"""

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks and /proc are of Linux")


def script(text, *arguments, **options):
    Path("script.py").write_text(text)
    command = [sys.executable, "script.py", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_a_function_of_a_script():
    output, messages = script(GUARDED, "an argument").communicate(timeout=60)
    assert output == "better\n", messages
    # The run needs its Python process no more.
    program = [tiletune._program.find(), "verify", "run", "--games", "5", "--json"]
    assert subprocess.run(program, capture_output=True).returncode == 0


def test_a_script_without_the_guard_is_told_of_it():
    text = GUARDED.replace('if __name__ == "__main__":', "if True:")
    process = script(text, "an argument")
    _, messages = process.communicate(timeout=60)
    assert process.returncode == 1
    assert 'put the call under `if __name__ == "__main__":`' in messages
    assert not Path("run").exists()


def test_a_module_run_by_its_name():
    Path("pack").mkdir()
    Path("pack/__init__.py").touch()
    Path("pack/part.py").write_text("SPREAD = 5")
    Path("pack/play.py").write_text("from .part import SPREAD\n" + GUARDED)
    command = [sys.executable, "-m", "pack.play", "an argument"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "better\n", done.stderr


@linux_only
def test_a_function_of_a_prompt():
    text = GUARDED.replace("ARGUMENTS == [", "ARGUMENTS != [")
    done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True, timeout=60)
    assert done.stdout == "better\n", done.stderr


def test_elsewhere_a_lambda_is_refused_with_the_cure(monkeypatch):
    monkeypatch.setattr("tiletune._fork.is_available", lambda: False)
    with pytest.raises(tiletune.Error, match="at the top level of a module or script"):
        tiletune.tune(lambda weights, seed: 1.0, {"empty": (0, 300)}, games=200)


@pytest.mark.parametrize("is_forked", [False, True])
def test_an_exception_refuses_the_candidate_and_its_traceback_is_kept(is_forked, library):
    library("polars")
    named = functions.fails_below_hundred
    play = (lambda weights, seed: named(weights, seed)) if is_forked else named
    with pytest.warns(UserWarning, match="candidates raised an exception"):
        run = tiletune.tune(
            play, {"empty": (0, 300)}, games=200, threads=2, seed=1, progress=False, validation={"games": 30}
        )
    log = run.log.read_text()
    assert "ValueError: too few empty cells" in log and "in fails_below_hundred" in log and "_worker.py" not in log
    assert run.best["empty"] >= 100
    fitness = run.candidates("polars")["fitness"]
    assert 0 < fitness.is_infinite().sum() < len(fitness)


def test_if_all_candidates_fail_the_run_ends_with_the_reason():
    with pytest.raises(tiletune.Error, match="were refused.*ValueError: always"):
        tiletune.tune(functions.fails_later, {"empty": (0, 300)}, games=200, threads=1, progress=False, out="run")
    assert "in fails_later" in Path("run/program.log").read_text()


def test_if_the_start_fails_the_error_has_the_traceback(folder):
    with pytest.raises(tiletune.Error) as error:
        tiletune.tune(functions.fails_below_hundred, {"empty": (0, 300)}, start={"empty": 5})
    assert "every game fails in fails_below_hundred" in str(error.value)
    assert "in fails_below_hundred" in str(error.value)
    assert not list(folder.iterdir())


@linux_only
@pytest.mark.parametrize("kind", ["named", "forked"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_leaves_no_process(kind, number):
    process = script(ENDLESS, kind, start_new_session=True)
    waited(lambda: list(Path("run").glob("tables/train/*")), 30)
    began = time.monotonic()
    process.send_signal(number)
    _, messages = process.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert waited(lambda: not of_session(process.pid), 10), of_session(process.pid)
    state = tiletune.Run("run").state
    if number == signal.SIGKILL:
        assert state in ("killed", "interrupted")
        return
    assert (process.returncode, state) == (-signal.SIGINT, "interrupted")
    play = ", play" if kind == "forked" else ""
    assert f"tiletune.resume('run'{play})" in messages
    assert ("tiletune resume run" in messages.split("to continue")[-1]) == (kind == "named")


def waited(holds, seconds):
    """Waits until something holds: true if it came to that."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def of_session(leader):
    """The command lines of the processes of a session that have not ended."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append((process / "cmdline").read_text())
        except OSError:
            # It has ended meanwhile.
            pass
    return found


def slowly(weights, seed):
    time.sleep(0.005)
    return functions.noisy(weights, seed)


@linux_only
@pytest.mark.parametrize("is_forked", [False, True])
def test_an_interrupted_run_is_resumed(is_forked):
    try:
        # It changes how the system handles signals.
        import_module("polars").DataFrame({"a": [1]}).group_by("a").len()
    except ImportError:
        pass
    play = (lambda weights, seed: slowly(weights, seed)) if is_forked else slowly
    settings = {"games": 400, "threads": 1, "seed": 1, "validation": {"games": 30}, "progress": False}
    whole = tiletune.tune(play, {"empty": (0, 300)}, out="whole", **settings)
    threading.Thread(target=interrupt_when_games_are_there).start()
    with pytest.raises(KeyboardInterrupt, match="to continue: tiletune.resume"):
        tiletune.tune(play, {"empty": (0, 300)}, out="part", **settings)
    assert tiletune.Run("part").state == "interrupted"
    if is_forked:
        with pytest.raises(tiletune.Error, match="does not know its function"):
            tiletune.resume("part")
    resumed = tiletune.resume("part", play if is_forked else None, threads=1, progress=False)
    assert (resumed.state, resumed.best, resumed.interval) == ("complete", whole.best, whole.interval)


def interrupt_when_games_are_there():
    waited(lambda: list(Path("part").glob("tables/train/*")), 30)
    os.kill(os.getpid(), signal.SIGINT)


@linux_only
def test_a_crash_of_a_fork_ends_the_run_with_its_place():
    with pytest.raises(tiletune.Error, match="exit status: 134|abort|Aborted"):
        tiletune.tune(
            lambda weights, seed: 1.0 if weights["empty"] == 150 else os.abort(),
            {"empty": (0, 300)}, games=200, threads=1, progress=False, out="run",
        )
    assert "Fatal Python error" in Path("run/program.log").read_text()


@linux_only
def test_a_terminal_shows_the_line_of_the_program():
    reads, writes = pty.openpty()
    Path("script.py").write_text(GUARDED)
    process = subprocess.Popen([sys.executable, "script.py", "an argument"], stdout=subprocess.DEVNULL, stderr=writes)
    os.close(writes)
    shown = b""
    try:
        while chunk := os.read(reads, 4096):
            shown += chunk
    except OSError:
        # The end of a terminal.
        pass
    os.close(reads)
    assert process.wait() == 0
    assert b"games/s" in shown and b"\x1b[" in shown


CELLS = [
    """
import random, tiletune
def play(weights, seed):
    return random.Random(seed).gauss(-abs(weights["empty"] - 30), 5 + weights["empty"] / 10)
run = tiletune.tune(play, {"empty": (0, 300)}, games=200, threads=2, seed=1, validation={"games": 30}, out="run")
run
""",
    "tiletune.tune(play, {'empty': (300, 0)})",
]


@linux_only
def test_a_function_of_a_notebook(library):
    format, client = library("nbformat"), library("nbclient")
    library("ipykernel")
    book = format.v4.new_notebook(cells=[format.v4.new_code_cell(text) for text in CELLS])
    client.NotebookClient(book, timeout=60, kernel_name="python3", allow_errors=True).execute()
    line, result = book.cells[0].outputs
    assert line["data"]["text/plain"]
    assert "better" in result["data"]["text/html"]
    line, error = book.cells[1].outputs
    assert line["data"]["text/plain"] == ""
    assert (error["ename"], "must be below" in error["evalue"]) == ("Error", True)
