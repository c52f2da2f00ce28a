"""A player of 2048 that looks one move ahead. It speaks the protocol of docs/external.md."""
import json, random, sys


def slide(line):
    """A line moved to its beginning, and the points of its merges."""
    tiles, moved, points = [tile for tile in line if tile], [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            points += tile
        moved.append(tile)
    return moved + [0] * (4 - len(moved)), points


def moves(board):
    """The boards after each legal move, with its points."""
    for turned in (board, [list(column) for column in zip(*board)]):
        for step in (1, -1):
            slid = [slide(line[::step]) for line in turned]
            after = [line[::step] for line, _ in slid]
            if after != turned:
                yield after, sum(points for _, points in slid)


def value(board, points, weights):
    """What a board is worth after a move."""
    lines = board + [list(column) for column in zip(*board)]
    pairs = [(a, b) for line in lines for a, b in zip(line, line[1:])]
    empty = sum(tile == 0 for line in board for tile in line)
    merges = sum(a == b != 0 for a, b in pairs)
    rough = sum(abs(a.bit_length() - b.bit_length()) for a, b in pairs if a and b)
    return points + weights["empty"] * empty + weights["merges"] * merges - weights["rough"] * rough


def play(weights, seed):
    """Score and number of moves of a game; the seed fixes all of its tiles."""
    dice, board, score, count = random.Random(seed), [[0] * 4 for _ in range(4)], 0, 0
    while True:
        for _ in range(1 if count else 2):
            row, column = dice.choice([(r, c) for r in range(4) for c in range(4) if not board[r][c]])
            board[row][column] = 4 if dice.random() < 0.1 else 2
        options = list(moves(board))
        if not options:
            return score, count
        board, points = max(options, key=lambda option: value(*option, weights))
        score, count = score + points, count + 1


print(json.dumps({"protocol": 1, "program": "one-move 2048", "parameters": ["empty", "merges", "rough"],
                  "numbers": ["score", "moves"]}), flush=True)
for line in sys.stdin:
    task = json.loads(line)
    games = [play(task["weights"], seed) for seed in task["seeds"]]
    print(json.dumps({"score": [s for s, _ in games], "moves": [m for _, m in games]}), flush=True)
