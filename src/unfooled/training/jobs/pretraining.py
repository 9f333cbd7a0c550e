"""The job of pre-training: blocks of running text in views, guesses scored, texts held against their versions."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unfooled.data.batches.blocks import Blocks
from unfooled.data.batches.kept import KeptCorpus, Wanted, kept_blocks
from unfooled.data.batches.stretches import Stretches, enough
from unfooled.data.batches.views import Reader, ViewSettings, realised
from unfooled.data.batches.views import ViewBatches as ViewBatches
from unfooled.data.corpus import RunningText, check_english
from unfooled.errors import BadInput
from unfooled.gather import gather
from unfooled.losses.contrastive import mean_cosines, uniformity
from unfooled.methods.mlm import behind, stacked
from unfooled.methods.objective import Objective
from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.masked import MaskedTextModel, build_masked, save_masked
from unfooled.recipe.config import Recipe
from unfooled.scores.intervals import mean, proportion
from unfooled.scores.score import Score
from unfooled.seeds import generator
from unfooled.tasks import Task
from unfooled.training.engine import Processes
from unfooled.training.jobs.job import Job, addressed, check_processes, choice, objective_of
from unfooled.training.run_folder import State
from unfooled.types import NO_LABEL, Batch, Evaluation

LOOKED_AT = 128  # validation blocks, at every look
TESTED = 512  # test blocks, once
SAMPLED = 256  # training blocks by which shares of replaced words are told
AT_ONCE = 16  # blocks, four views of each
WORDS_AT_ONCE = 256  # masked places whose logits exist together
# The same for every method, so that one can be held against another.
LOOK = ViewSettings(synonym=True, antonym="words", plain=True, room=0.25)
MOST_CUT = 0.05  # of the versions; above it the contrast is between ends that are missing


def pretraining_job(recipe: Recipe, task: Task, processes: Processes) -> Job:
    """A masked-language model over the blocks of a corpus."""
    text: RunningText = task.reads(recipe.data, recipe.seed)
    check_language(recipe, text)
    model = build_masked(recipe.model, recipe.seed).to(processes.device)
    lengths = [block_length(model.max_length, views.room) for views in (recipe.method.views(), LOOK)]
    part, corpus = wanted_part(recipe, text, model.tokenizer, lengths)
    blocks = corpus.blocks
    loader = loader_of(recipe, blocks["train"], part.share, model, processes)
    best_by = choice(recipe.plan, task.chosen_by)
    built: list[Objective] = []

    def build() -> Objective:
        known = {"labels": torch.zeros(len(loader.blocks)), "passes": recipe.plan.accumulation}
        built[:] = [objective_of(recipe, model.model, loader, processes, **known)]
        return built[0]

    def look() -> Evaluation:
        return looked(built[0], looking(blocks["validation"], LOOKED_AT, LOOK, loader), processes, best_by)

    def scores(state: State) -> dict[str, Score]:
        return final_scores(built[0], blocks, loader, processes)

    sizes = ", ".join(f"{name} {len(some):,}" for name, some in blocks.items())
    cut = f"blocks of {lengths[0]} tokens, for looks {lengths[1]}: {sizes}"
    ratios = realised(loader.blocks.first(SAMPLED), loader.views, recipe.seed, loader.reader)
    return Job(
        data=text.name,
        data_hash=corpus.fingerprint,
        model_hash=model.fingerprint,
        build=build,
        loader=loader,
        look=look,
        scores=scores,
        save=partial(save_masked, model),
        stands_on={"corpus_part": f"{part.share} {part.seed}"} if part.share < 1 else {},
        facts={"max_length": model.max_length, "train_blocks": len(loader.blocks), **ratios},
        notes=(*corpus.notes, cut, *told(ratios), *model.notes),
    )


def wanted_part(
    recipe: Recipe, text: RunningText, tokenizer: Any, lengths: Sequence[int]
) -> tuple[Stretches, KeptCorpus]:
    """As much of a corpus as the recipe wants, in blocks; more where files hold less text than their sizes say."""
    data = recipe.data
    part = enough(text.files["train"], lengths[0], data.limit, data.fraction, recipe.seed)
    while True:
        corpus = kept_blocks(Wanted(text, tokenizer, lengths[0], lengths[1], part))
        found, wanted = len(corpus.blocks["train"]), data.limit or 1
        if part.share >= 1 or found >= wanted or (found and part.share >= data.fraction):
            return part, corpus
        part = part.wider(wanted, found)


def check_language(recipe: Recipe, corpus: RunningText) -> None:
    """Refuse a corpus in which a method that replaces words finds hardly any."""
    if recipe.method.views().synonym and getattr(recipe.method, "other_languages", "pass") == "refuse":
        check_english(corpus, 'train with mlm, which needs no versions, or set method.other_languages = "pass"')


def block_length(max_length: int, room: float) -> int:
    """The tokens of a block that leaves such a share of the longest input free; a word has to fit.

    >>> block_length(64, 0.25), block_length(64, 0.0)
    (48, 64)
    """
    return max(round(max_length * (1 - room)), 4)


def told(found: Mapping[str, float]) -> list[str]:
    """What versions are like, in sentences: words replaced, random ones among them, versions that do not fit."""
    names = [name.removesuffix("_ratio") for name in found if name.endswith("_ratio")]
    if not names:
        return []
    shares = " and ".join(f"{found[f'{name}_ratio']:.1%} in {name} versions" for name in names)
    notes = [f"words replaced, by a sample of blocks: {shares}"]
    if "antonym_random" in found:
        notes.append(f"of what passes for antonyms {found['antonym_random']:.0%} are random words")
    cut = " and ".join(f"{found[f'{name}_cut']:.1%} of {name} versions" for name in names)
    too_much = any(found[f"{name}_cut"] > MOST_CUT for name in names)
    notes.append(f"cut at the longest input: {cut}" + ("; raise method.room" if too_much else ""))
    return notes


def loader_of(
    recipe: Recipe, blocks: Blocks, share: float, model: MaskedTextModel, processes: Processes
) -> ViewBatches:
    """The batches of the training blocks, or of as many of them as the recipe allows, drawn by its seed.

    Of the whole corpus ``share`` is there.
    """
    plan, data = recipe.plan, recipe.data
    limit = min(max(round(data.fraction / share * len(blocks)), 1), data.limit or len(blocks), len(blocks))
    if limit < len(blocks):
        drawn = torch.randperm(len(blocks), generator=generator(recipe.seed, "limit"))[:limit]
        blocks = blocks.take(np.sort(drawn.numpy()))
    check_processes(plan, len(blocks), processes)
    if len(blocks) < 2:
        raise BadInput("the corpus fills a single block, and training wants two at least; give more text")
    reader, views = Reader.of(model.tokenizer, model.max_length), recipe.method.views()
    return ViewBatches(blocks, reader, views, batch_size=plan.batch_size, **addressed(recipe, processes))


def looking(blocks: Blocks, most: int, views: ViewSettings, loader: ViewBatches) -> ViewBatches:
    """So many blocks, evenly spread over a split, in views that are the same at every look."""
    spread = np.unique(np.linspace(0, len(blocks) - 1, min(most, len(blocks))).astype(np.int64))
    return ViewBatches(blocks.take(spread), loader.reader, views, AT_ONCE, loader.seed)


def shares(loader: ViewBatches, processes: Processes) -> Iterator[tuple[Batch, bool]]:
    """This process's batches of a look, each with whether it counts.

    Where there are fewer batches than processes the others pass one through that does not: all meet when they gather.
    """
    cuts = range(0, len(loader.blocks), AT_ONCE)
    mine = [start for turn, start in enumerate(cuts) if turn % processes.count == processes.rank]
    for start in mine or [0]:
        rows = np.arange(start, min(start + AT_ONCE, len(loader.blocks)))
        yield loader.batch(rows, -1).to(processes.device), bool(mine)


def looked(objective: Objective, loader: ViewBatches, processes: Processes, best_by: str = "loss") -> Evaluation:
    """Loss and accuracy of the guesses; how near texts are to their versions and to each other; dropout off.

    "hits" is the share of texts that are nearer, by cosine, to their synonyms than to their antonyms.
    """
    guesses: list[Tensor] = []
    texts: dict[str, list[Tensor]] = {}
    with still(objective), torch.no_grad():
        for batch, counts in shares(loader, processes):
            guesses.append(guessed(objective, batch, counts))
            reading = objective.model(stacked([batch.views[name] for name in ("plain", "synonym", "antonym")]))
            for name, rows in objective.represent(reading).items():
                texts.setdefault(name, []).append(torch.stack(rows.float().chunk(3), dim=1)[: len(batch) * counts])
    right, losses = gather(torch.cat(guesses)).T
    scores = {"loss": float(losses.mean()), "accuracy": float(right.mean())}
    for name, some in texts.items():
        scores |= {f"{name} {kind}": value for kind, value in spread_of(gather(torch.cat(some))).items()}
    return Evaluation(scores, best_by=best_by, lower_is_better=best_by == "loss")


def spread_of(texts: Tensor) -> dict[str, float]:
    """Cosines of positive and random pairs, uniformity and hits, of texts and their two versions [B, 3, H]."""
    plain, synonym, antonym = texts.unbind(dim=1)
    positive, random = mean_cosines(plain, synonym)
    nearer = torch.cosine_similarity(plain, synonym) > torch.cosine_similarity(plain, antonym)
    return {
        "positive cosine": float(positive),
        "random cosine": float(random),
        "uniformity": float(uniformity(plain)) if len(plain) > 1 else 0.0,
        "hits": float(nearer.float().mean()),
    }


def guessed(objective: Objective, batch: Batch, counts: bool = True) -> Tensor:
    """Of each masked place [n, 2]: whether the right word comes first, and the loss; none if it does not count."""
    model: Any = objective.model
    masked = model(batch.tokens, behind(batch)).masked
    hidden = batch.targets["masked"]
    words = hidden[hidden != NO_LABEL]
    guesses = [torch.zeros(0, 2, device=words.device)]
    for some, true in zip(masked.split(WORDS_AT_ONCE), words.split(WORDS_AT_ONCE), strict=True):
        logits = model.logits(some).float()
        losses = torch.nn.functional.cross_entropy(logits, true, reduction="none")
        guesses.append(torch.stack([(logits.argmax(dim=1) == true).float(), losses], dim=1))
    return torch.cat(guesses if counts else guesses[:1])


def final_scores(
    objective: Objective, blocks: Mapping[str, Blocks], loader: ViewBatches, processes: Processes
) -> dict[str, Score]:
    """Accuracy and loss of the guesses on validation and, where there is one, on test."""
    every: dict[str, Score] = {}
    for name, most in (("validation", LOOKED_AT), ("test", TESTED)):
        if name in blocks:
            views = looking(blocks[name], most, ViewSettings(), loader)
            every |= guessed_scores(objective, views, processes, name)
    return every


def guessed_scores(objective: Objective, loader: ViewBatches, processes: Processes, split: str) -> dict[str, Score]:
    """Accuracy and loss of the guesses on a split."""
    with still(objective), torch.no_grad():
        every = gather(torch.cat([guessed(objective, *share) for share in shares(loader, processes)]))
    right, losses = every.T
    where = f"masked tokens of {len(loader.blocks):,} blocks of the {split} split"
    return {
        f"{split} accuracy": proportion(int(right.sum()), len(right), f"share of {where} that are guessed right"),
        f"{split} loss": mean(losses.tolist(), f"mean cross-entropy of {where}"),
    }
