"""What ``bench/scale.py`` measures: each function gives pairs of a size and a number, in processor seconds and bytes.

What must not share a process with anything else is a child of its own (``bench/scale_children.py``).
"""

import os
import socket
import tempfile
import time
from pathlib import Path

from scale_children import REVIEWS, child, printed

NETWORKS = ((64, 2), (128, 4), (256, 6))  # width and layers
WORDS = 30_522  # of their tables
Pairs = list[tuple[float, float]]


def random_model(folder: Path, width: int, layers: int) -> str:
    """A random BERT with the tokenizer of the embedded encoder; its folder."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    from unfooled.models import Classifier, ModelSettings, TextModel, build, save

    if not (folder / "model.safetensors").exists():
        labels = ("negative", "positive")
        tokenizer = build(ModelSettings(name="minilm"), labels, seed=0).tokenizer
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=width, num_hidden_layers=layers, num_attention_heads=4,
            intermediate_size=4 * width, id2label=dict(enumerate(labels)), label2id={"negative": 0, "positive": 1},
        )  # fmt: skip
        torch.manual_seed(0)
        save(TextModel(Classifier(BertForSequenceClassification(config)), tokenizer, labels, 64, "x"), folder, "# x")
    return str(folder)


def fine_tuned(folder: Path) -> str:
    """A MiniLM after some steps on the embedded reviews: what it costs to ask it is what matters."""
    import unfooled as uf

    data = {**REVIEWS, "limit": 512}
    plan = {"max_steps": 12, "batch_size": 16, "learning_rate": 1e-4}
    return str(uf.train(data, folder, "minilm", plan=plan).model)


def parameters(folder: str) -> int:
    """The numbers in a model's file."""
    from safetensors import safe_open

    with safe_open(Path(folder) / "model.safetensors", "pt") as file:
        return sum(int(file.get_tensor(name).numel()) for name in file.keys())  # noqa: SIM118


def attacked(folder: Path, model: str, sizes: list[int]) -> dict[str, Pairs]:
    """PWWS in this process: seconds, questions and bytes of the log by examples."""
    import unfooled as uf

    found: dict[str, Pairs] = {"seconds": [], "bytes": [], "questions": []}
    uf.attack(model, REVIEWS, "pwws", limit=2, similarity=None)  # what is made once is made before
    for size in sizes:
        begun = time.process_time()
        records = uf.attack(model, REVIEWS, "pwws", folder / f"{size}", limit=size, similarity=None).records
        found["seconds"].append((size, time.process_time() - begun))
        log = next((folder / f"{size}").glob("*/*/examples.jsonl")).read_bytes()
        found["bytes"].append((size, len(log) - log.index(b"\n") - 1))
        found["questions"].append((size, sum(record.asked - record.from_cache for record in records)))
    return found


def record_of(folder: Path, model: str) -> bytes:
    """The line of a record of middling length, without its index."""
    attacked(folder, model, [8])
    _, *lines = next(folder.rglob("examples.jsonl")).read_bytes().splitlines()
    lines.sort(key=len)
    line = lines[len(lines) // 2]
    return line[line.index(b", ") + 2 :]


def evaluated(folder: Path, model: str, sizes: list[int]) -> Pairs:
    """``clean`` and ``pgd`` in this process: seconds by texts."""
    import unfooled as uf

    found = []
    for number, size in enumerate((8, *sizes)):
        begun = time.process_time()
        uf.evaluate(model, REVIEWS, folder / f"{number}", ["clean", "pgd"], limit=size)
        found.append((float(size), time.process_time() - begun))
    return found[1:]


def compared(folder: Path, model: str, sizes: list[int]) -> Pairs:
    """Two methods, few steps and few texts: seconds by cells (a method under a seed)."""
    import unfooled as uf

    found = []
    plan = {"max_steps": 4, "batch_size": 16, "learning_rate": 1e-4}
    data = {**REVIEWS, "limit": 64}
    for seeds in sizes:
        begun = time.process_time()
        uf.compare(data, ["finetune", "pgd"], folder / f"{seeds}", model, seeds, plan, trials=["clean"], limit=32)
        found.append((2.0 * seeds, time.process_time() - begun))
    return found


def clean_texts(model: str, sizes: list[int]) -> Pairs:
    """The temperature of a model: seconds by texts, all of them the driver's."""
    from unfooled.victims import open_victim
    from unfooled.victims.calibration import temperature_of

    texts, labels = review_texts(max(sizes))
    victim, found = open_victim(model), []
    for size in (8, *sizes):
        begun = time.process_time()
        temperature_of(victim, texts[:size], labels[:size], 64)
        found.append((float(size), time.process_time() - begun))
    return found[1:]


def review_texts(count: int) -> tuple[list[tuple[str]], list[int]]:
    """So many texts, each like no other, and labels of them."""
    from unfooled.data.sources import DataSettings
    from unfooled.tasks import TASKS

    read, _, _ = TASKS["classification"].reads_split(DataSettings(**REVIEWS), ("negative", "positive"), None, None, 0)
    texts = [(f"{read.texts[place % len(read.texts)][0]} {place}",) for place in range(count)]
    return texts, [int(read.labels[place % len(read.labels)]) for place in range(count)]


def pieces(sizes: list[int]) -> dict[str, Pairs]:
    """Texts on the wire: bytes and seconds by texts of a piece."""
    from unfooled.results.planned import planned
    from unfooled.results.run import no_parts
    from unfooled.trials import require_trial
    from unfooled.trials.inputs import Given, Inputs
    from unfooled.victims.victim import Victim
    from unfooled.workers.piece import UnitGroup, piece_of

    texts, labels = review_texts(max(sizes))
    trial = require_trial("pwws", "classification")
    inputs = Inputs(texts, labels, {"data": Given("x", "h")}, ("negative", "positive"))
    victim = Victim("x", lambda some: [[0.5, 0.5]] * len(some), hash="h", labels=inputs.names)
    how = {"batch_size": 64, "in_flight": 128, "seed": 0, "parts": no_parts}
    settings = trial.settings.model_validate({"similarity": None})
    [job], _ = planned([victim], ["x"], inputs, Path("x"), {"pwws": settings}, {"pwws": trial}, (), how)
    found: dict[str, Pairs] = {"bytes": [], "seconds": []}
    for size in sizes:
        groups = [UnitGroup((place,), (place,)) for place in range(size)]
        repeats, begun = max(4096 // size, 1), time.process_time()
        for _ in range(repeats):
            written = piece_of(job, groups)
        found["seconds"].append((size, (time.process_time() - begun) / repeats))
        found["bytes"].append((size, len(written)))
    return found


def driver(folder: Path, model: str, sizes: list[int], record: bytes) -> list[dict[str, float]]:
    """The driver's seconds before the first piece and with records, and its memory at the last, by texts."""
    import csv

    (folder / "record.json").write_bytes(record)
    found = []
    for size in sizes:
        texts, labels = review_texts(size)
        with (folder / f"{size}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["text", "label"])
            rows.writerows(
                (text, ("negative", "positive")[label]) for (text,), label in zip(texts, labels, strict=True)
            )
        found.append(child("driven", model, folder / f"{size}.csv"))
    return found


def started(model: str) -> dict[str, float]:
    """A worker's processor seconds and memory once it has opened a model."""
    from unfooled.commands.attack_parts import PARTS_FOR, parts_for
    from unfooled.results.planned import planned
    from unfooled.trials import require_trial
    from unfooled.trials.inputs import Given, Inputs
    from unfooled.victims import open_victim
    from unfooled.workers.assignment import ASSIGNMENT, assigned
    from unfooled.workers.memory import kilobytes
    from unfooled.workers.processes import WorkerProcess

    trial, inputs = require_trial("pwws", "classification"), Inputs([("a film",)], [1], {"data": Given("x", "h")})
    settings = trial.settings.model_validate({"similarity": None})
    how = {"batch_size": 64, "in_flight": 128, "seed": 0, "parts": parts_for}
    victim = open_victim(model)
    [job], _ = planned([victim], ["x"], inputs, Path("x"), {"pwws": settings}, {"pwws": trial}, (), how)
    told = ASSIGNMENT.dump_json(assigned(job, PARTS_FOR))
    worker = WorkerProcess()
    try:
        answer = worker.begin(told)
        assert answer == {"ready": True}, answer
        ticks = Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        status = Path(f"/proc/{worker.process.pid}/status")
        seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        return {"seconds": seconds, "bytes": float(kilobytes(status, "VmRSS") or 0), "told": len(told)}
    finally:
        worker.end()


def in_two(model: str, folder: Path) -> dict[str, float]:
    """What the first of two processes holds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    both = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    ranks = [child("shared_out", model, folder, wait=False, **both, RANK=rank, LOCAL_RANK=rank) for rank in "01"]
    first, _ = [printed(process) for process in ranks]
    return dict(first)


def corpora(folder: Path, model: str, sizes: list[tuple[int, int]]) -> list[dict[str, float]]:
    """Pre-training by paragraphs of the corpus and texts of a batch."""
    texts = [text for (text,) in review_texts(max(size for size, _ in sizes) + 50)[0]]
    found = []
    for size, batch in sizes:
        data = folder / f"corpus-{size}"
        data.mkdir()
        (data / "train.txt").write_text("\n".join(texts[:size]) + "\n")
        (data / "validation.txt").write_text("\n".join(texts[-50:]) + "\n")
        with tempfile.TemporaryDirectory() as cache:
            told = ("pretrained", data, folder / f"pretrained-{size}", model, batch)
            found.append(child(*told, UNFOOLED_CACHE=cache))
    return found


def banks(width: int, sizes: list[int], processes: int = 1) -> Pairs:
    """A memory bank: bytes by training examples, in one of several processes."""
    from unfooled.models.heads.memory import MemoryBank

    found = []
    for size in sizes:
        bank = MemoryBank(size, width)
        bank.share_out(0, processes)
        found.append((float(size), float(sum(one.nbytes for one in bank.buffers()))))
    return found
