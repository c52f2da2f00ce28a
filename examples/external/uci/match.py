"""Tunes options of a UCI chess engine by games against its own defaults, see docs/engines.md and docs/external.md.

A seed is an opening; one "game" of tiletune is two games from it, one with each colour. `points` is their mean result:
1 = won both, 0.5 = even, 0 = lost both."""
import argparse, json, random, re, sys
from contextlib import suppress
from subprocess import PIPE, Popen

import chess  # pip install chess

NUMBERS = ["points", "plies", "stopped", "faults"]


class Failed(Exception):
    """What an engine did wrong; `engine` is the one."""
    def __init__(self, engine, text):
        super().__init__(f"{' '.join(engine.command)} {text}")
        self.engine = engine


class Engine:
    """A process of an engine; the next game starts it again if it has ended. Each game begins with `settings`."""

    def __init__(self, command, fresh):
        self.command, self.fresh, self.settings, self.process = command, fresh, {}, None
        self.start()

    def start(self):
        self.close()
        self.options = {}  # name: type, smallest and largest value, default
        try:
            self.process = Popen(self.command, stdin=PIPE, stdout=PIPE, text=True, errors="replace")
        except OSError as error:
            raise Failed(self, f"cannot be started: {error.strerror}") from None
        for line in self.ask("uci", "uciok"):
            if found := re.match(r"option name (.+?) type (\w+)(.*)", line):
                low, high, default = (re.search(rf" {key} (\S+)", found[3]) for key in ("min", "max", "default"))
                bounds = (int(low[1]), int(high[1])) if low and high else (0, 1)
                self.options[found[1]] = (found[2], *bounds, default[1] if default else "")

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def send(self, *lines):
        with suppress(OSError):  # It has ended: the next answer is missing, and `ask` says so.
            self.process.stdin.write("".join(line + "\n" for line in lines))
            self.process.stdin.flush()

    def ask(self, command, last):
        """The lines of the answer to a command. The last one begins with the word `last`."""
        self.send(command)
        lines = []
        while not lines or lines[-1].split()[:1] != [last]:
            lines.append(self.process.stdout.readline())
            if not lines[-1]:
                raise Failed(self, f"ended with status {self.process.wait()}")
        return lines

    def new_game(self):
        if self.fresh or not self.process:
            self.start()
        self.send(*(f"setoption name {name} value {text}" for name, text in self.settings.items()),
                  *["setoption name Clear Hash"] * ("Clear Hash" in self.options), "ucinewgame")
        self.ask("isready", "readyok")

    def think(self, board, limit):
        """The move, and the value of the position in centipawns for the side to move (0 if the engine gives none)."""
        self.send(f"position fen {board.root().fen()} moves {' '.join(map(str, board.move_stack))}")
        *infos, best = self.ask(f"go {limit}", "bestmove")
        scores = [found for line in infos if (found := re.search(r" score (cp|mate) (-?\d+)", line))]
        unit, number = (scores[-1][1], int(scores[-1][2])) if scores else ("cp", 0)
        with suppress(ValueError, IndexError):
            if move := board.parse_uci(best.split()[1]):  # 0000 is none
                return move, number if unit == "cp" else 100_000 if number > 0 else -100_000
        raise Failed(self, f"answered `{best.strip()}`")


def opening(seed, judge, args):
    """The opening of a seed: a line of the file, or eight random moves after which neither side is much better."""
    rng = random.Random(seed)
    if args.openings:
        return chess.Board(" ".join(rng.choice(args.openings).split()[:4]))
    while True:
        board = chess.Board()
        while board.ply() < 8 and not board.is_game_over():
            board.push_uci(rng.choice(sorted(map(str, board.legal_moves))))
        if not board.is_game_over():
            judge.new_game()
            if abs(judge.think(board, args.go)[1]) <= 100:
                return board


def play(tuned, other, side, seed, board, args):
    """A game: points of the tuned engine, plies, 1 if it was stopped early, 1 if the tuned engine failed and lost."""
    board, values = board.copy(), []
    tuned.new_game(), other.new_game()
    while not (outcome := board.outcome()):
        if (drawn := board.halfmove_clock >= 100 or board.is_repetition(3)) or len(values) >= args.max_plies:
            return 0.5, len(values), int(not drawn), 0
        try:
            move, value = (tuned if board.turn == side else other).think(board, args.go)
        except Failed as error:
            if error.engine is other:
                raise
            print(f"{error} in {board.fen()}; seed {seed}, {tuned.settings}", file=sys.stderr, flush=True)
            tuned.close()
            return 0.0, len(values), 0, 1
        values.append(value if board.turn == side else -value)
        board.push(move)
        # Both engines have to agree, so that an option that only makes values larger wins nothing.
        last = values[-6:]
        if args.resign and len(last) == 6 and (min(last) >= args.resign or max(last) <= -args.resign):
            return float(last[0] > 0), len(values), 1, 0
    return {side: 1.0, None: 0.5}.get(outcome.winner, 0.0), len(values), 0, 0


def parameter(option):
    """The name of an option as the name of a parameter: "Mobility (Endgame)" is Mobility_Endgame."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", option).strip("_")


def text_of(number, name, kind, low, high):
    """A parameter's value as the engine reads it."""
    if kind == "string":
        return repr(number)
    if number != int(number) or not low <= number <= high:
        raise ValueError(f"{name} = {number}: the engine takes whole numbers from {low} to {high}")
    return str(int(number)) if kind == "spin" else ("false", "true")[int(number)]


def answer(task, tuned, other, options, args):
    """The answer to a task."""
    pairs = []
    for seed in task["seeds"]:
        try:
            for name, number in task["weights"].items():
                tuned.settings[options[name]] = text_of(number, name, *tuned.options[options[name]][:3])
            board = opening(seed, other, args)
            games = [play(tuned, other, side, seed, board, args) for side in chess.COLORS]
        except ValueError as error:
            return {"error": str(error)}
        except Failed as error:
            error.engine.close()
            # The weights are no reason where the opponent fails, or an engine that does not know them yet.
            kind = "refused" if error.engine is tuned and tuned.options else "error"
            return {kind: f"{error} with seed {seed}, weights {json.dumps(task['weights'])}"}
        pairs.append([sum(column) / 2 for column in zip(*games)])
    return dict(zip(NUMBERS, zip(*pairs)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", nargs="+", metavar="ENGINE", help="the engine; write `--` before its own arguments")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of both engines")
    for flag, default, text in (
            ("--go", "nodes 1000", "limit of each move as in UCI: nodes N, depth N"),
            ("--opponent", "", "another engine to play against"),
            ("--openings", "", "a file with a position (FEN or EPD) in each line, in place of random openings"),
            ("--max-plies", 300, "a longer game is a draw"),
            ("--resign", 0, "both engines gave one side so many centipawns three times in a row: it has won")):
        parser.add_argument(flag, type=type(default), default=default, help=f"{text} ({default or 'none'})")
    parser.add_argument("--fresh", action="store_true", help="start the engines again for each game")
    parser.add_argument("--parameters", action="store_true", help="print the parameters for a campaign, and end")
    args = parser.parse_args()
    try:
        if args.openings:
            args.openings = [one for one in open(args.openings) if one.strip()] or sys.exit("no line of openings")
        tuned = Engine(args.engine, args.fresh)
        other = Engine([args.opponent] if args.opponent else args.engine, args.fresh)
    except (Failed, OSError, ValueError) as error:
        sys.exit(str(error))
    given = dict(one.partition("=")[::2] for one in args.option)
    if unknown := given.keys() - tuned.options:
        sys.exit(f"{args.engine[0]} has no option {min(unknown)!r}; it has: {', '.join(tuned.options)}")
    # With several threads the same seed gives other games, and a book plays moves that no option changes.
    for engine in (tuned, other):
        fixed = {"Threads": "1", "OwnBook": "false"} | given
        engine.settings = {name: text for name, text in fixed.items() if name in engine.options}
    options = {parameter(name): name for name, (kind, *_) in tuned.options.items()
               if kind in ("spin", "check", "string") and name not in tuned.settings}
    if args.parameters:
        for name, option in options.items():
            kind, low, high, default = tuned.options[option]
            start = {"false": 0, "true": 1}.get(default, default)
            if kind != "string":
                print(f"[parameters.{name}]\nstart = {start}\nmin = {low}\nmax = {high}\ninteger = true\n")
        return
    print(json.dumps({"protocol": 1, "program": "match", "parameters": list(options),
                      "numbers": NUMBERS}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), tuned, other, options, args)), flush=True)
    tuned.close(), other.close()


main()
