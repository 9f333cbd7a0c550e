"""What every attempt of tests/commands/test_attack.py runs, in a file that a fresh process can import."""

import sys

from unfooled.attacks.table import ATTACKS as TABLE

ATTACKS = tuple(TABLE)


def attack(folder: str, out: str, name: str = "pwws", limit: int | None = None) -> None:
    """Attack, or go on attacking."""
    import unfooled as uf

    similarity = f"{folder}/encoder" if TABLE[name].needs_similarity else None
    limits = {"in_flight": 3, "batch_size": 8}
    data = f"{folder}/reviews.csv"
    uf.attack(f"{folder}/model", data, name, out, similarity=similarity, limits=limits, limit=limit, seed=3)


def attack_by_all(folder: str, out: str) -> None:
    """One folder for each attack."""
    for one in ATTACKS:
        attack(folder, f"{out}/{one}", one, limit=20)


if __name__ == "__main__":
    attack_by_all(*sys.argv[1:])
