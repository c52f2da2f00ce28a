"""Tunes the weights of heuristics; see docs/python.md."""
