"""A noisy function to minimise: an ellipse with its minimum at x = 3, y = -1, and noise that the seed fixes."""
import json, random, sys

print(json.dumps({"protocol": 1, "program": "ellipse", "parameters": ["x", "y"], "numbers": ["loss"]}), flush=True)
for line in sys.stdin:
    task = json.loads(line)
    x, y = task["weights"]["x"], task["weights"]["y"]
    loss = (x - 3) ** 2 + 10 * (y + 1) ** 2
    noise = [random.Random(seed).gauss(0, 0.5 + 0.1 * abs(x)) for seed in task["seeds"]]
    print(json.dumps({"loss": [loss + one for one in noise]}), flush=True)
