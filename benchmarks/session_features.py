"""What features of items save a session: python benchmarks/session_features.py [--worlds 6].

Simulated worlds of 40 items in a plane, six features that tell of a share of where items lie, two
random questions about each item first. By how much the error on new questions is lower than
without features, at some numbers of answers, and the shares that were chosen.
"""

import argparse

import numpy as np

import resemblance as rs

N, Q = 40, 6


def world(seed: int, useful: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw positions, and the features."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(N, Q))
    mapped = features @ rng.normal(size=(Q, 2)) / np.sqrt(Q)
    own = rng.normal(size=(N, 2))
    return 1.3 * (np.sqrt(useful) * mapped + np.sqrt(1 - useful) * own), features


def asked(X: np.ndarray, items: object, n: int, seed: int) -> rs.Session:
    """Let somebody answer n questions."""
    session = rs.Session(items, start_per_head=2, random_state=seed)
    person = rs.SpaceObserver(X, random_state=seed)
    for _ in range(n):
        question = session.ask()
        session.tell(question, question.answered_by(person))
    session.refit()
    return session


def error(session: rs.Session, X: np.ndarray) -> float:
    """Return the share of new questions that the map gets wrong."""
    rows = np.random.default_rng(5).permuted(np.tile(np.arange(N), (2000, 1)), axis=1)[:, :3]

    def nearer(Y: np.ndarray) -> np.ndarray:
        head, a, b = (Y[rows[:, k]] for k in range(3))
        return ((head - a) ** 2).sum(axis=1) < ((head - b) ** 2).sum(axis=1)

    return float(np.mean(nearer(X) != nearer(session.model_.embedding_)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--answers", type=int, nargs="+", default=[120, 240, 400])
    chosen = parser.parse_args()
    for n in chosen.answers:
        for useful in (0.0, 0.5, 0.98):
            gains, shares = [], []
            for seed in range(chosen.worlds):
                X, features = world(seed, useful)
                items = rs.Items([f"i{k}" for k in range(N)], features=features)
                with_features = asked(X, items, n, seed)
                gains.append(error(asked(X, N, n, seed), X) - error(with_features, X))
                shares.append(round(with_features.model_.form_.share, 2))
            print(
                f"{n} answers, {useful:.0%} told: {np.mean(gains):+.3f}, shares {shares}",
                flush=True,
            )


if __name__ == "__main__":
    main()
