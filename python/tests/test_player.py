"""`tiletune.Player`."""

import math
import subprocess
import sys

import pytest
import tiletune

BOARD = [2, 4, 8, 16, 0, 0, 2, 4, 0, 0, 0, 2, 0, 0, 0, 0]


def test_many_boards_by_one_process():
    with tiletune.Player("expectimax", depth=1) as player:
        process = player._process.pid
        rows = [BOARD[at : at + 4] for at in range(0, 16, 4)]
        text = "\n".join(" ".join(map(str, row)) for row in rows)
        forms = [BOARD, rows, text, {"board": BOARD}, text.replace("\n", " ")]
        advices = [player.advise(form) for form in forms * 20]
        assert player._process.pid == process
    first = advices[0]
    assert all(advice == first for advice in advices)
    assert first.move == "left"
    assert first.values["up"] is None
    assert first.values["left"] == max(value for value in first.values.values() if value is not None)
    assert first.evaluation > 0 and first.terms is None


def test_a_board_that_is_none_leaves_the_player_usable():
    with tiletune.Player("expectimax") as player:
        with pytest.raises(tiletune.Error, match="the board has 3 cells"):
            player.advise([1, 2, 3])
        for empty in ("", [], {}):
            with pytest.raises(tiletune.Error):
                player.advise(empty)
        assert player.advise(BOARD).move == "left"


def test_weights_by_name_and_terms():
    with tiletune.Player("expectimax", weights={"empty": 300}, explain=True) as player:
        changed = player.advise(BOARD)
    with tiletune.Player("expectimax") as player:
        assert player.advise(BOARD).values != changed.values
    assert "empty" in changed.terms["left"]


def test_other_games():
    with tiletune.Player("strings", game="connect-four", depth=4) as player:
        advice = player.advise("44")
        assert advice.move in range(1, 8) and set(advice.values) == set(range(1, 8))
    with tiletune.Player("perfect", game="connect-four") as player:
        won = player.advise("121212")
        assert won.move == 1 and won.values[1] > 0
    with tiletune.Player("freedom", game="three-plus-three") as player:
        assert player.advise([3, 3] + [0] * 14, next=1).move


def test_infinite_values_are_numbers():
    assert tiletune._player._number("-inf") == -math.inf
    assert tiletune._player._number(["inf", 2]) == (math.inf, 2)


def test_mistakes_are_errors():
    with pytest.raises(tiletune.Error, match="did you mean `expectimax`") as error:
        tiletune.Player("expectimx").advise(BOARD)
    assert error.value.code == 2
    with pytest.raises(tiletune.Error, match="need a player"):
        tiletune.Player(weights={"empty": 300})
    with pytest.raises(tiletune.Error, match="there is no player"):
        tiletune.Player("expectimx", weights={"empty": 300})
    player = tiletune.Player("expectimax")
    player.close()
    with pytest.raises(tiletune.Error, match="closed"):
        player.advise(BOARD)


def test_a_script_that_does_not_close_its_player_ends():
    text = f"import tiletune; print(tiletune.Player('expectimax').advise({BOARD}).move)"
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, timeout=30)
    assert (done.stdout, done.stderr, done.returncode) == ("left\n", "", 0)
