"""Texts that fool a model, read off a trained reconstructor (Qiu, Zhang and Zhou, 2021, Table 6).

The texts are attacked in embedding space; at every ordinary token the word that the reconstructor finds most likely
takes the token's place; the result is written out as text and kept where a victim, right on the original, is wrong on
it. Paper says / we do: it leaves k, the radius and the detokenising open; the ascent is the caller's, and the tokenizer
decodes. A special token is never put in. A text the reconstructor gives back as it was is no adversary.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from pydantic import Field
from safetensors import SafetensorError, safe_open
from torch import Tensor

from unfooled.data.examples import load_split
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput, option
from unfooled.files import SUMMARY, alone, json_lines, summary_beside, versions, write_whole
from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.predict import probabilities
from unfooled.models.encoders.pretrained import TextModel, load
from unfooled.models.heads.reconstructor import KEEPSAKE, Reconstructor
from unfooled.models.locate import locate
from unfooled.parsing import object_in
from unfooled.perturb import Ascent, k_pgd, worst_case
from unfooled.progress import Display
from unfooled.settings import Settings, settings_from
from unfooled.tokens import by_length, encode
from unfooled.training import Processes
from unfooled.types import Tokens

COUNTS = {
    "examples": "texts read",
    "right_before": "texts whose label the victim gives",
    "changed": "texts that come back from the reconstructor as other texts",
    "kept": "texts that are right before, changed, and no longer given their label by the victim",
}
LINES = {
    "index": "place of the text among those read, from 0",
    "label": "its label in the data",
    "original": "the text as it stands in the data",
    "adversary": "what the reconstructor makes of it under k-PGD; cut where the model stops reading",
    "predicted": "the victim's answer to the original",
    "predicted_adversary": "the victim's answer to the adversary",
}


@dataclass(frozen=True)
class Adversary:
    """A text, what it became, its label, what the victim says of either, and whether it changed at all."""

    index: int
    label: int
    original: str
    adversary: str
    predicted: int
    predicted_adversary: int
    changed: bool = True

    @property
    def fools(self) -> bool:
        """Whether the victim, right on the original, falls for another text."""
        return self.changed and self.predicted == self.label != self.predicted_adversary


@dataclass(frozen=True)
class Generated:
    """What was written: the file of adversaries, its summary, and how many texts came how far."""

    file: Path
    summary: Path
    counts: Mapping[str, int]


class Generation(Settings):
    """How adversaries are made: k-PGD's radius and steps, and what is read."""

    eps: float = Field(0.1, ge=0, allow_inf_nan=False)
    steps: int = Field(3, ge=1)
    split: str | None = None
    limit: int | None = Field(None, ge=1)
    batch_size: int = Field(32, ge=1)
    seed: int = 0


def generate_adversaries(
    run: str,
    data: str | Mapping[str, Any],
    out: str | Path,
    victim: str | None = None,
    wait: bool = False,
    **how: Any,
) -> Generated:
    """Write the texts that fool a victim, made by the reconstructor of a ``rar`` run, as JSON lines with a summary.

    ``victim`` is a model folder or name with the same labels, by default the run's own model; ``how`` takes ``eps``
    and ``steps`` of k-PGD, ``split``, ``limit``, ``batch_size`` and ``seed``. ``wait`` waits for another process that
    makes the same file.
    """
    with alone(json_lines(out), wait):
        return generate_alone(run, data, out, victim, how)


def generate_alone(
    run: str, data: str | Mapping[str, Any], out: str | Path, victim: str | None, how: Mapping[str, Any]
) -> Generated:
    """Write the texts; no other process writes that file meanwhile."""
    settings = settings_from(Generation, how, "")
    source = settings_from(DataSettings, {"source": data} if isinstance(data, str) else data, "data.")
    file = json_lines(out)
    if file.exists():
        raise BadInput(f"{file} is there already; choose another {option('out')}")
    processes = Processes()
    if processes.count > 1:
        raise BadInput("adversaries are made in one process; call it without torchrun or accelerate launch")
    model = load(run).to(processes.device)
    head = reconstructor_of(model, stored_head(run))
    judge = model if victim is None else load(victim).to(processes.device)
    examples, data_hash, notes = load_split(source, model.labels, settings.split, settings.limit, settings.seed)
    if any(len(texts) > 1 for texts in examples.texts):
        raise BadInput(
            f"adversaries are made of single texts and these are pairs; name one column with {option('text')}"
        )
    texts = [text for (text,) in examples.texts]
    made, kept = [], 0
    with Display("generating", len(texts)) as display:
        for note in notes:
            display.say(note)
        ascent = k_pgd(settings.eps, settings.steps)
        for each in reconstructions(
            model, head, judge, texts, examples.labels, ascent, settings.seed, settings.batch_size
        ):
            made.append(each)
            kept += each.fools
            display.at(len(made), f"{kept} kept")
    facts = {"data": source.source, "data_hash": data_hash, "settings": settings.model_dump()}
    return written(file, made, model, judge, facts)


def written(
    file: Path, made: Sequence[Adversary], model: TextModel, victim: TextModel, facts: Mapping[str, Any]
) -> Generated:
    """Write what fools the victim, one line each in the order of the data, and a summary beside it."""
    kept = sorted((each for each in made if each.fools), key=lambda each: each.index)
    lines = [json.dumps(line(each, model.labels), ensure_ascii=False) + "\n" for each in kept]
    right = sum(each.predicted == each.label for each in made)
    counts = dict(zip(COUNTS, (len(made), right, sum(each.changed for each in made), len(kept)), strict=True))
    summary = {
        "kind": "adversaries",
        "schema": 1,
        "versions": versions(),
        "model": model.name,
        "model_hash": model.fingerprint(),
        "victim": victim.name,
        "victim_hash": victim.fingerprint(),
        "labels": list(model.labels),
        "max_length": model.max_length,
        **facts,
        "counts": counts,
        "definitions": {"counts": COUNTS, "lines": LINES},
    }
    beside = summary_beside(file)
    write_whole(beside, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    write_whole(file, "".join(lines))  # last: where it is, the summary is too
    return Generated(file, beside, counts)


def line(each: Adversary, labels: Sequence[str]) -> dict[str, Any]:
    """An adversary as a line of the file, classes by name."""
    named = {name: labels[getattr(each, name)] for name in ("label", "predicted", "predicted_adversary")}
    return {name: value for name, value in {**asdict(each), **named}.items() if name in LINES}


def stored_head(run: str) -> dict[str, Tensor]:
    """The reconstructor's tensors: from beside the run's model, or from the checkpoint that became its model."""
    if not Path(run).is_dir():
        raise BadInput(f"{run} is no folder; give the folder of a run trained with {option('method', 'rar')}")
    folder = locate(run).folder
    summary = folder.parent / SUMMARY
    if (folder / f"{KEEPSAKE}.safetensors").is_file():
        return tensors_of(folder / f"{KEEPSAKE}.safetensors", "")
    facts = object_in(summary, "train the run again") if summary.is_file() else {}
    if facts.get("method") != "rar" or not isinstance(facts.get("best_step"), int):
        raise BadInput(f"{run} has no reconstructor; give the folder of a run trained with {option('method', 'rar')}")
    checkpoint = folder.parent / "checkpoints" / f"step-{facts['best_step']}" / "objective.safetensors"
    if not checkpoint.is_file():
        raise BadInput(
            f"the reconstructor of {run} is gone: neither {KEEPSAKE}.safetensors in its model folder nor the "
            f"checkpoint of its best step {facts['best_step']} is there; train it again"
        )
    return tensors_of(checkpoint, f"{KEEPSAKE}.")


def tensors_of(path: Path, prefix: str) -> dict[str, Tensor]:
    """The tensors of a safetensors file whose names have a prefix, without it."""
    try:
        with safe_open(path, "pt") as file:
            names = [name for name in list(file.keys()) if name.startswith(prefix)]
            return {name.removeprefix(prefix): file.get_tensor(name) for name in names}
    except (OSError, SafetensorError) as error:
        raise BadInput(f"{path} cannot be read ({error}); restore the file or train the run again") from None


def reconstructor_of(model: TextModel, tensors: Mapping[str, Tensor]) -> Reconstructor:
    """The trained head of these tensors, tied to the model's embeddings."""
    network = model.classifier.network
    head = Reconstructor(network.get_input_embeddings(), network.config.hidden_size)
    head.take_over(tensors, "the reconstructor belongs to another model; give the model of the same run")
    return head.to(next(model.classifier.parameters()).device)


def reconstructions(
    model: TextModel,
    head: Reconstructor,
    victim: TextModel,
    texts: Sequence[str],
    labels: Sequence[int],
    ascent: Ascent,
    seed: int = 0,
    batch_size: int = 32,
) -> Iterator[Adversary]:
    """What becomes of each text, cut to what the model reads, and what the victim says of it before and after."""
    if victim.labels != model.labels:
        raise BadInput(f"the victim's labels {list(victim.labels)} are not the model's {list(model.labels)}")
    where = next(model.classifier.parameters()).device
    encoded = encode(model.tokenizer, texts, model.max_length)
    for rows in by_length(encoded, batch_size):
        tokens, gold = encoded.pad(rows).to(where), torch.tensor([labels[row] for row in rows], device=where)
        delta = attack(model, tokens, gold, ascent, (seed, 0), torch.tensor(rows))
        became = rewritten(model, head, tokens, delta)
        before = [texts[row] for row in rows]
        says, says_now = (probabilities(victim, said).argmax(axis=1).tolist() for said in (before, became))
        changed = [new != old for new, old in zip(became, decoded(model, tokens.ids, tokens.mask), strict=True)]
        for fact in zip(rows.tolist(), gold.tolist(), before, became, says, says_now, changed, strict=True):
            yield Adversary(*fact)


def attack(
    model: TextModel, tokens: Tokens, gold: Tensor, ascent: Ascent, key: tuple[int, int], index: Tensor
) -> Tensor:
    """The worst perturbation [B, T, d] the ascent finds for the task loss, dropout off."""

    def task(moved: Tensor) -> Tensor:
        return F.cross_entropy(model.classifier(tokens, moved).logits, gold, reduction="sum")

    with still(model.classifier):
        start = ascent.begin(tokens.mask, model.classifier.width, key, index)
        return worst_case(ascent, start, tokens.mask, task)


def rewritten(model: TextModel, head: Reconstructor, tokens: Tokens, delta: Tensor) -> list[str]:
    """Each text with its ordinary tokens replaced by the likeliest words, at E + delta."""
    special = torch.tensor(model.tokenizer.all_special_ids, device=tokens.ids.device)
    words = len(model.tokenizer)  # tables may have rows to spare
    ordinary = tokens.mask & ~torch.isin(tokens.ids, special)
    with still(model.classifier), torch.no_grad():
        states = model.classifier(tokens, delta, states=True).states
        likeliest = [
            head.logits(piece)[:, :words].index_fill(1, special, -torch.inf).argmax(dim=1)
            for piece in states[ordinary].split(256)
        ]
    ids = tokens.ids.clone()
    ids[ordinary] = torch.cat(likeliest)
    return decoded(model, ids, tokens.mask)


def decoded(model: TextModel, ids: Tensor, mask: Tensor) -> list[str]:
    """The texts of padded ids, without special tokens."""
    rows = [row[real].tolist() for row, real in zip(ids, mask, strict=True)]
    return [str(model.tokenizer.decode(row, skip_special_tokens=True)) for row in rows]
