"""The job of a translator: vocabularies, pairs of sentences that fit, perplexity, BLEU and chrF."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from unfooled.data.batches.pairs import Pairs
from unfooled.data.parallel import Pair, Parallel
from unfooled.data.vocabulary import byte_pairs, marked, word_vocabulary
from unfooled.errors import BadInput, option
from unfooled.models.sequences.sequence_model import (
    SequenceModel,
    load_translator,
    new_translator,
    save_sequences,
)
from unfooled.models.sequences.sizes import NEW
from unfooled.models.sequences.surprise import surprise
from unfooled.models.sequences.translate import BeamSearch, translate
from unfooled.recipe.config import Recipe
from unfooled.scores.bleu import bleu_and_chrf
from unfooled.scores.perplexity import Surprise
from unfooled.scores.score import Score
from unfooled.tasks import Task
from unfooled.training.engine import Processes
from unfooled.training.jobs.job import Job, addressed, objective_of
from unfooled.training.run_folder import State
from unfooled.types import Evaluation

PIECES = 10_000  # byte pairs, unless told
LOOKED_AT_ONCE = 4000  # padded tokens


def translation_job(recipe: Recipe, task: Task, processes: Processes) -> Job:
    """An encoder–decoder over pairs of sentences."""
    data: Parallel = task.reads(recipe.data, recipe.seed)
    model = model_of(recipe, data.splits["train"]).to(processes.device)
    splits, notes = fitting(data, model)
    train, validation = (loader_of(splits[name], model, recipe, processes) for name in ("train", "validation"))
    check(recipe, train)
    test = next((name for name in splits if name not in ("train", "validation")), None)
    signatures: dict[str, str] = {}

    def look() -> Evaluation:
        scores = {"perplexity": measured(model, validation, processes).value}
        return Evaluation(scores, best_by="perplexity", lower_is_better=True)

    def scores(state: State) -> dict[str, Score]:
        every = {"validation perplexity": measured(model, validation, processes)}
        if test is not None and processes.first:
            every |= tested(model, splits[test], test, signatures)
        return every

    return Job(
        data=f"{data.name} {data.languages[0]}-{data.languages[1]}",
        data_hash=data.fingerprint,
        model_hash=model.fingerprint,
        build=partial(objective_of, recipe, model.model, train, processes),
        loader=train,
        look=look,
        scores=scores,
        save=partial(save_sequences, model),
        facts={"labels": [], "max_length": model.max_length, "languages": data.languages, "signatures": signatures},
        notes=(*data.notes, *notes, said(train, model)),
        from_nothing=recipe.model.name in NEW,
    )


def measured(model: SequenceModel, pairs: Pairs, processes: Processes) -> Score:
    """Perplexity of the target's tokens, labels not smoothed."""
    looking = replace(pairs, batch_tokens=max(LOOKED_AT_ONCE, pairs.batch_tokens))
    totals = Surprise(*surprise(model.model, looking.in_order(), processes.device, processes.add_up))
    return totals.perplexity(totals.tokens, "exp of the mean of -log p over the target tokens of the validation split")


def tested(model: SequenceModel, pairs: Sequence[Pair], name: str, signatures: dict[str, str]) -> dict[str, Score]:
    """BLEU and chrF of a split, translated by beam search; their signatures are noted."""
    written = translate(model, [pair[0] for pair in pairs], BeamSearch())
    scores, signed = bleu_and_chrf(written, [pair[1] for pair in pairs], name)
    signatures.update(signed)
    return scores


def model_of(recipe: Recipe, pairs: Sequence[Pair]) -> SequenceModel:
    """The model a recipe names: new, over vocabularies of the training pairs, or from a folder."""
    settings = recipe.model
    if settings.name == "tensorized":
        raise BadInput(
            f"tensorized is a language model without an encoder; use {option('model', 'transformer')} for translation"
        )
    if settings.name != "transformer":
        return load_translator(settings.name, settings)
    sizes = settings.sizes
    columns = [[pair[side] for pair in pairs] for side in (0, 1)]

    def vocabulary(lines: Sequence[str]) -> Any:
        if sizes.vocabulary == "words":
            return word_vocabulary(lines, sizes.vocabulary_size)
        return byte_pairs(lines, sizes.vocabulary_size or PIECES)

    if sizes.shared_vocabulary:
        both = vocabulary([*columns[0], *columns[1]])
        return new_translator(settings, both, both, recipe.seed)
    return new_translator(settings, vocabulary(columns[0]), vocabulary(columns[1]), recipe.seed)


def fitting(data: Parallel, model: SequenceModel) -> tuple[dict[str, list[Pair]], list[str]]:
    """The splits without train's pairs that the model cannot take, and a note on them; elsewhere they are refused."""
    splits, notes, limit = dict(data.splits), [], model.max_length
    for name, pairs in data.splits.items():
        lengths = longer_sides(pairs, model)
        long = np.flatnonzero(lengths > limit)
        if len(long) and name != "train":
            raise BadInput(
                f"{data.name}, split {name}, line {long[0] + 1}: a pair of {lengths[long[0]]} tokens is longer than "
                f"the limit of {limit}; raise model.max_length, or take it out"
            )
        if len(long) == len(pairs):
            raise BadInput(
                f"every pair of {data.name} is longer than the limit of {limit} tokens; raise model.max_length"
            )
        if len(long):
            splits[name] = [pair for pair, length in zip(pairs, lengths, strict=True) if length <= limit]
            notes.append(f"train: {len(long):,} of {len(pairs):,} pairs are longer than {limit} tokens and left out")
    return splits, notes


def longer_sides(pairs: Sequence[Pair], model: SequenceModel) -> np.ndarray:
    """The tokens of the longer side of each pair."""
    sides: list[np.ndarray] = []
    for side, tokenizer in ((0, model.tokenizer), (1, model.target)):
        rows = tokenizer([pair[side] for pair in pairs], verbose=False)["input_ids"]
        sides.append(np.array([len(ids) for ids in rows]))
    return np.maximum(sides[0], sides[1])


def loader_of(pairs: Sequence[Pair], model: SequenceModel, recipe: Recipe, processes: Processes) -> Pairs:
    """The batches of a split."""
    plan = recipe.plan
    source = marked(model.tokenizer, [pair[0] for pair in pairs])
    target = marked(model.target, [pair[1] for pair in pairs])
    longest = int(np.maximum(source.lengths, target.lengths).max())
    return Pairs(
        source,
        target,
        plan.batch_tokens or plan.batch_size * longest,
        (model.tokenizer.pad_token_id, model.target.pad_token_id),
        model.model.network.config.decoder_start_token_id,
        smoothing=plan.label_smoothing,
        **addressed(recipe, processes),
    )


def check(recipe: Recipe, train: Pairs) -> None:
    """Refuse what cannot be trained on."""
    if recipe.method.perturbs_words and not train.source.words.any():
        raise BadInput(
            "no source sentence holds a complete word of two letters that the vocabulary keeps whole, so "
            f"{type(recipe.method).__name__} has nothing to perturb; raise model.sizes.vocabulary_size, or give other "
            "data"
        )


def said(train: Pairs, model: SequenceModel) -> str:
    """What is read."""
    share = 100 * float(train.source.words.mean())
    return (
        f"train: {len(train.lengths):,} pairs in {len(train.cuts):,} batches; vocabulary {len(model.tokenizer):,} → "
        f"{len(model.target):,}; {share:.0f} % of source tokens are complete words"
    )
