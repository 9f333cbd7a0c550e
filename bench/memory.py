"""What grows with the number of examples: ``make bench-memory``.

Attacks on many short texts and on a quarter of them, by a victim that costs nothing; the memory is watched from the
victim's first answer on: what is read before that, texts and labels, is not counted. Then a million records of two
models, a third each of texts as they are, of k-PGD with the features of a MiniLM, and of an attack in words: the peak
of ``report`` and the time of ``gate``, each in a process of its own; ``--records 60000`` is a small run. Memory and
processor time can be believed on a busy machine; the clock cannot.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import unfooled as uf
from unfooled.attacks.records import AttackRecord, Change
from unfooled.journal import append, begin
from unfooled.results.folder import log_path, open_folder, write_summary
from unfooled.results.log import Header
from unfooled.trials.clean import CleanRecord
from unfooled.trials.kept.climbs import PGDRecord, WorstPoint
from unfooled.types import Texts

LABELS = ("bad", "good")
BARS = {"attack": 0.05, "report": 500.0, "gate": 60.0}
MEGABYTE = 2**20
RADII, WIDTH = (0.0, 0.02, 0.075, 0.1), 384  # of k-PGD
EVERY = 0.05  # seconds between two looks at the memory


def resident() -> float:
    """The megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MEGABYTE


class Watched:
    """A victim of two words that notes the memory at its first answer, and the most of it from then on."""

    def __init__(self) -> None:
        self.first: float | None = None
        self.most = 0.0
        self.over = False

    def __call__(self, texts: list[str]) -> np.ndarray:
        if self.first is None:
            self.first = resident()
            threading.Thread(target=self.watch, daemon=True).start()
        good = np.array(["good" in text for text in texts], dtype=float)
        return np.stack([0.9 - 0.8 * good, 0.1 + 0.8 * good], axis=1)

    def watch(self) -> None:
        """Look at the memory until it is over."""
        while not self.over:
            self.most = max(self.most, resident())
            time.sleep(EVERY)


def attacked(examples: int, folder: Path) -> dict[str, float]:
    """By how many megabytes an attack on so many examples grows after loading, and what it costs."""
    data = folder / "texts.csv"
    rows = (f"{'good' if number % 2 else 'bad'} film {number},{LABELS[number % 2]}\n" for number in range(examples))
    with data.open("w") as file:
        file.write("text,label\n")
        file.writelines(rows)
    victim = Watched()
    done = uf.attack(victim, str(data), "deepwordbug", folder / "attack", labels=LABELS, similarity=None)
    victim.most, victim.over = max(victim.most, resident()), True
    assert victim.first is not None and len(done.records) == examples
    return {"megabytes": victim.most - victim.first, "loaded": victim.first, "seconds": time.process_time()}


def records(trial: str, examples: int, random: np.random.Generator) -> Iterator[Any]:
    """Records as trials make them, in the order of nothing."""
    for index in random.permutation(examples).tolist():
        label, right = index % 2, random.random() < 0.9
        said, chance = label if right else 1 - label, round(float(random.uniform(0.5, 1)), 6)
        if trial == "clean":
            yield CleanRecord(index, label, said, chance if right else 1 - chance, float(-np.log(chance)))
            continue
        if trial == "pgd":
            yield climbed(index, label, said, chance, random)
            continue
        before = (chance, round(1 - chance, 6)) if said == 0 else (round(1 - chance, 6), chance)
        texts: Texts = (f"a {LABELS[label]} film, number {index}, that somebody saw and wrote a sentence about",)
        fooled = right and random.random() < 0.4
        asked = int(random.integers(5, 200)) if right else 1
        yield AttackRecord(
            index, label, texts, "fooled" if fooled else "held" if right else "already wrong", said, before,
            (texts[0].replace("film", "movie"),) if fooled else None, 1 - said if fooled else None,
            before[::-1] if fooled else (), (Change(2, "film", "movie"),) if fooled else (), 14, 9 if right else None,
            asked, asked // 10, round(float(random.uniform(0.5, 1)), 6) if fooled else None, None,
        )  # fmt: skip


def climbed(index: int, label: int, said: int, chance: float, random: np.random.Generator) -> PGDRecord:
    """A record of k-PGD: features that lean to the side of their label, and a loss that grows with the radius."""
    vector = random.normal(size=WIDTH)
    vector[0] += 30 * (label - 0.5)
    worst = []
    for eps in RADII:
        losses = np.sort(random.uniform(0, 1, 4) + 10 * eps).tolist()
        there = said if random.random() < 1 - 3 * eps else 1 - said
        close, far = random.uniform(0.5, 1, 2).tolist()
        worst.append(WorstPoint(eps, there, chance, losses[-1], tuple(losses), close, far, eps, 0))
    unit = (vector / np.linalg.norm(vector)).round(5).tolist()
    return PGDRecord(index, label, said, chance, losses[0], float(random.random()), tuple(worst), tuple(unit))


def results(examples: int, folder: Path) -> None:
    """A results folder of two models and three trials, by the writer of all logs."""
    for place, model in enumerate(("first", "second")):
        said = np.random.default_rng(place)
        trials = ("clean", "example", {}), ("pgd", "example", {}), ("pwws", "attacked example", {"attack": {}})
        for trial, unit, settings in trials:
            header = Header(
                trial, model, f"hash of {model}", LABELS, 32, "films", "d", examples, "e", 0, settings, unit,
                temperature=1.0 if trial == "pwws" else None,
            )  # fmt: skip
            begin(log_path(folder, model, trial), header)
            for _ in append(log_path(folder, model, trial), records(trial, examples, said)):
                pass


def called(what: str, folder: Path) -> dict[str, float]:
    """The peak and the time of a command."""
    began = time.process_time()
    if what == "report":
        uf.report(folder, folder.parent / "page.html")
    elif what == "gate":
        uf.gate(folder, ["accuracy_under_attack.pwws >= 0.1", "fickleness <= 0.9"])
    elif what == "summary":
        write_summary(folder, open_folder(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"megabytes": peak, "seconds": time.process_time() - began}


def alone(what: str, number: int, folder: Path) -> dict[str, float]:
    """One of these in a process of its own."""
    command = [sys.executable, __file__, "--only", what, "--examples", str(number), "--folder", str(folder)]
    found = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    told: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=200_000, help="of the attack")
    parser.add_argument("--records", type=int, default=1_000_000, help="of the results that are read")
    parser.add_argument("--only", help="what a process of this bench does")
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if asked.only == "attack":
        print(json.dumps(attacked(asked.examples, asked.folder)))
    elif asked.only:
        print(json.dumps(called(asked.only, asked.folder)))
    else:
        whole(asked.examples, asked.records)


def whole(examples: int, records: int) -> None:
    """All of it, as a table."""
    print("| | | bar | |\n|---|---|---|---|")
    grown = []
    for some in (examples // 4, examples):
        with tempfile.TemporaryDirectory() as name:
            attack = alone("attack", some, Path(name))
        grown.append(attack["megabytes"])
    slope = 1000 * (grown[1] - grown[0]) / (examples - examples // 4)
    said = f"attack on {examples // 4:,} and {examples:,} examples: MB more per 1,000 after loading"
    tell(said, slope, "attack", f"{slope:.4f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "results"
        results(records // 6, folder)
        report, gate = alone("report", 0, folder), alone("gate", 0, folder)
    tell(f"report on {records:,} records: peak MB", report["megabytes"], "report", f"{report['megabytes']:.0f}")
    tell(f"gate on {records:,} records: processor seconds", gate["seconds"], "gate", f"{gate['seconds']:.1f}")
    more = " and ".join(f"{one:.1f}" for one in grown)
    print(f"\nbesides: the attacks grew by {more} MB, the second from {attack['loaded']:.0f}, and it took")
    print(f"{attack['seconds']:.0f} processor seconds; the report took {report['seconds']:.0f}, and the gate had")
    print(f"{gate['megabytes']:.0f} MB at its peak")


def tell(said: str, value: float, bar: str, shown: str) -> None:
    """One line of the table."""
    print(f"| {said} | {shown} | ≤ {BARS[bar]:g} | {'holds' if value <= BARS[bar] else '**missed**'} |", flush=True)


if __name__ == "__main__":
    main()
