"""The job of a language model: a vocabulary, the segments of a text, perplexity per word."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from unfooled.data.batches.segments import Segments
from unfooled.data.corpus import Corpus
from unfooled.data.vocabulary import byte_pairs, marked, word_vocabulary
from unfooled.errors import BadInput
from unfooled.models.sequences.sequence_model import (
    SequenceModel,
    load_language_model,
    new_language_model,
    save_sequences,
)
from unfooled.models.sequences.sizes import NEW
from unfooled.models.sequences.surprise import surprise
from unfooled.recipe.config import Recipe
from unfooled.scores.perplexity import Surprise, count_words
from unfooled.scores.score import Score
from unfooled.tasks import Task
from unfooled.tasks.lm import definition
from unfooled.training.engine import Processes
from unfooled.training.jobs.job import Job, addressed, check_processes, objective_of
from unfooled.training.run_folder import State
from unfooled.types import Evaluation

PIECES = 8000  # byte pairs, unless told
LOOKED_AT_ONCE = 64  # segments


def lm_job(recipe: Recipe, task: Task, processes: Processes) -> Job:
    """A causal language model over the segments of a text."""
    text: Corpus = task.reads(recipe.data, recipe.seed)
    model = model_of(recipe, text.splits["train"]).to(processes.device)
    streams = {name: segments_of(lines, model, recipe, processes) for name, lines in text.splits.items()}
    check(recipe, streams["train"], processes)
    words = {name: count_words(lines) for name, lines in text.splits.items()}

    def measured(split: str) -> Score:
        looking = replace(streams[split], batch_size=LOOKED_AT_ONCE)
        totals = surprise(model.model, looking.in_order(), processes.device, processes.add_up)
        return Surprise(*totals).perplexity(words[split], definition(split))

    def look() -> Evaluation:
        return Evaluation({"perplexity": measured("validation").value}, best_by="perplexity", lower_is_better=True)

    def scores(state: State) -> dict[str, Score]:
        return {f"{split} perplexity": measured(split) for split in ("validation", "test") if split in streams}

    def save(folder: Path, card: str) -> None:
        model.model.network.config.update({"unfooled_trained_on": text.fingerprint})
        save_sequences(model, folder, card)

    return Job(
        data=text.name,
        data_hash=text.fingerprint,
        model_hash=model.fingerprint,
        build=partial(objective_of, recipe, model.model, streams["train"], processes),
        loader=streams["train"],
        look=look,
        scores=scores,
        save=save,
        facts={"labels": [], "max_length": model.max_length, "vocabulary": len(model.tokenizer), "words": words},
        notes=(*text.notes, said(text, streams, model)),
        from_nothing=recipe.model.name in NEW,
    )


def model_of(recipe: Recipe, lines: Sequence[str]) -> SequenceModel:
    """The model a recipe names: new, over a vocabulary of the training text, or from a folder."""
    settings = recipe.model
    if settings.name not in NEW:
        return load_language_model(settings.name, settings)
    sizes = settings.sizes
    if sizes.vocabulary == "bpe":
        tokenizer = byte_pairs(lines, sizes.vocabulary_size or PIECES, closing=False)
    else:
        tokenizer = word_vocabulary(lines, sizes.vocabulary_size, closing=False)
    return new_language_model(settings, tokenizer, recipe.seed)


def segments_of(lines: Sequence[str], model: SequenceModel, recipe: Recipe, processes: Processes) -> Segments:
    """A text as one stream, each line closed."""
    stream = marked(model.tokenizer, lines, model.closing)
    size = recipe.plan.batch_size
    return Segments(stream, model.max_length, model.ending, batch_size=size, **addressed(recipe, processes))


def check(recipe: Recipe, train: Segments, processes: Processes) -> None:
    """Refuse what cannot be trained on."""
    check_processes(recipe.plan, len(train), processes)
    wanted, limit = recipe.model.max_length, train.length
    if wanted > limit:
        raise BadInput(f"segments of {wanted} tokens are longer than the model takes ({limit}); lower model.max_length")
    if recipe.method.perturbs_words and not train.text.words.any():
        raise BadInput(
            f"the vocabulary holds no complete word of two letters, so {type(recipe.method).__name__} has nothing to "
            "perturb; give other text"
        )


def said(text: Corpus, streams: dict[str, Segments], model: SequenceModel) -> str:
    """What is read, and how much of it is unknown."""
    sizes = ", ".join(f"{name} {len(stream.text.ids):,}" for name, stream in streams.items())
    parts = [f"tokens: {sizes}; vocabulary {len(model.tokenizer):,}"]
    unknown, ids = model.tokenizer.unk_token_id, streams["validation"].text.ids
    if unknown is not None:
        known = float((ids[ids != model.ending] != unknown).mean())
        if known == 0.0:
            raise BadInput(
                f"every word of the validation split of {text.name} is unknown to the vocabulary; give other data"
            )
        parts.append(f"{100 * (1 - known):.1f} % of validation's words are {model.tokenizer.unk_token}")
    return "; ".join(parts)
