"""A UCI engine for the tests: it takes what is worth most, and has faults to order. It ends if Noise is too large.

A fault is an argument or the option Fault. 1: it ends at its 10th move; 2: it has no move there; 3: its moves depend on earlier games.
"""
import os, random, sys

import chess

open(f"process.{os.getpid()}", "w").close()
values = {"Queen Value (Late)": "9", "Greedy": "true", "Noise": "0.5", "Book": "none"}
values["Fault"] = sys.argv[1] if sys.argv[1:] else "0"
board, moves, games = chess.Board(), 0, 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name Test\noption name Queen Value (Late) type spin default 9 min 0 max 20")
        print("option name Greedy type check default true\noption name Noise type string default 0.5")
        print("option name Fault type spin default 0 min 0 max 3\noption name Book type combo default none var none")
        print("uciok", flush=True)
    elif words[0] == "setoption":
        name, _, value = line.strip()[len("setoption name "):].partition(" value ")
        values[name] = value
    elif words[0] == "ucinewgame":
        moves, games = 0, games + 1
    elif words[0] == "isready":
        assert float(values["Noise"]) < 1000
        print("readyok", flush=True)
    elif words[0] == "position":
        board = chess.Board(" ".join(words[2:8]))
        for move in words[9:]:
            board.push_uci(move)
    elif words[0] == "go":
        moves += 1
        fault = int(values["Fault"]) if moves == 10 else 0
        if fault == 1:
            sys.exit(3)
        rng = random.Random(f"{board.fen()} {games if values['Fault'] == '3' else ''}")
        worth = {chess.QUEEN: int(values["Queen Value (Late)"]), chess.ROOK: 5, chess.PAWN: 1}

        def gain(move):
            taken = worth.get(board.piece_type_at(move.to_square), 3) if board.is_capture(move) else 0
            return taken * (values["Greedy"] == "true") + float(values["Noise"]) * rng.random()

        best = max(sorted(board.legal_moves, key=str), key=gain)
        ours, theirs = (board.occupied_co[side].bit_count() for side in (board.turn, not board.turn))
        print(f"info depth 1 score cp {100 * (ours - theirs)} pv {best}\nbestmove {'0000' if fault == 2 else best}", flush=True)
