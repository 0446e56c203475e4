"""Make valid responses to questions of any kind."""

import math


def respond(kind, options, place=0):
    """Choose the option at a place, rank it first, or arrange all in a way that depends on it."""
    if kind == "ranking":
        return {"picked": [place, *(n for n in range(len(options)) if n != place)]}
    if kind == "pick_k":
        return {"picked": sorted((place + n) % len(options) for n in range(3))}
    if kind == "piles":
        return {"piles": [int(n == place) for n in range(len(options))]}
    if kind != "arrangement":
        return {"chosen": place}
    turns = [2 * math.pi * n * (1 + 0.1 * place) / len(options) for n in range(len(options))]
    return {"places": [[0.9 * math.cos(turn), 0.9 * math.sin(turn)] for turn in turns]}
