"""What a person calls to measure language models and translators: ``evaluate_language``.

Trials of language models are ``perplexity`` (clean, and with one perturbed word a segment), ``neighbours`` and
``continuation``; of translators ``quality`` (BLEU and chrF) and ``side_by_side``. Each model's trial is one JSON file,
written whole; a second call with the same folder computes what is missing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from pydantic import Field, field_validator

from unfooled.data.datasets import DataSettings
from unfooled.data.lines import load_lines
from unfooled.data.parallel import Pair, load_parallel
from unfooled.data.segments import Segments
from unfooled.data.vocabulary import allowed_tokens, marked
from unfooled.errors import BadInput, nearest
from unfooled.evaluation.language_results import KINDS, Found, keep, read_found, write_summary
from unfooled.evaluation.language_trials import continuation, continued_perplexity, neighbours, word_mover
from unfooled.evaluation.perplexity import surprise
from unfooled.evaluation.suite import folder_name
from unfooled.evaluation.translations import Search, quality, side_by_side, translate
from unfooled.models.sequences.sequence_model import SequenceModel, load_language_model, load_translator
from unfooled.settings import Settings, settings_from
from unfooled.tasks.lm import count_words, definition

HERE = torch.device("cpu")


class LanguageSettings(Settings):
    """What the trials are told, each by its own part of these."""

    radii: tuple[float, ...] = (0.03, 1.0, 3.0)  # perplexity: of the perturbed word
    words: tuple[str, ...] = ("friend", "hate", "like")  # neighbours, as in the paper's Table 3
    radius: float = Field(1.0, ge=0)  # continuation and side_by_side
    count: int = Field(3, ge=1)  # continuation: words written
    texts: int = Field(100, ge=1)  # continuation and side_by_side: at most so many
    beams: int = Field(4, ge=1)  # quality and side_by_side

    @field_validator("radii", "words", mode="before")
    @classmethod
    def listed(cls, value: Any) -> Any:
        """A list may be written by commas."""
        if isinstance(value, int | float):
            return (value,)
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


def evaluate_language(
    models: Sequence[str],
    data: str | Mapping[str, Any],
    out: str | Path,
    trials: Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    split: str | None = None,
    limit: int | None = None,
) -> list[Found]:
    """Put language models, or translators, through trials on a split of texts, and leave what was found in a folder."""
    kind = one_kind(models)
    names = list(trials or ("perplexity", "continuation") if kind == "lm" else trials or ("quality",))
    for name in names:
        if name not in TRIALS[kind]:
            raise BadInput(f"there is no trial called {name} of a {KINDS[kind]}; {nearest(name, TRIALS[kind])}")
    told = settings_from(LanguageSettings, settings or {}, "")
    source = settings_from(DataSettings, {"source": data} if isinstance(data, str) else data, "data.")
    texts, chosen, mark = read_texts(kind, source, split, limit)
    about = {"data": source.source, "split": chosen, "examples": len(texts)}
    found: list[Found] = []
    for name in models:
        model = (load_language_model if kind == "lm" else load_translator)(name)
        for trial in names:
            header = {"model_hash": model.fingerprint(), "data_hash": mark, "settings": told.model_dump(mode="json")}
            place = Path(out) / folder_name(name) / f"{trial}.json"
            stored = read_found(place, header)
            found.append(stored or keep(place, header, TRIALS[kind][trial](model, texts, told, trial), about))
    write_summary(Path(out), found)
    return found


def kind_of(name: str) -> str | None:
    """Whether a model folder holds a language model ("lm") or a translator ("translation"); None for anything else."""
    folder = next((path for path in (Path(name) / "model", Path(name)) if (path / "config.json").is_file()), None)
    if folder is None:
        return None
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except ValueError:  # whoever opens it says what is wrong
        return None
    if not isinstance(config, dict):
        return None
    made = " ".join(config.get("architectures") or ())
    if config.get("is_encoder_decoder") and ("Conditional" in made or "MTModel" in made):
        return "translation"
    return "lm" if any(end in made for end in ("CausalLM", "LMHeadModel", "Tensorized")) else None


def one_kind(models: Sequence[str]) -> str:
    """The kind that all of the models are."""
    if not models:
        raise BadInput("no model was named; give at least one model folder")
    kinds = {name: kind_of(name) for name in models}
    for name, kind in kinds.items():
        if kind is None:
            raise BadInput(f"{name} is neither a language model nor a translator; its trials are others")
        if kind != kinds[models[0]]:
            raise BadInput(f"{name} is a {KINDS[kind]} and {models[0]} is not; evaluate them apart")
    return str(kinds[models[0]])


def read_texts(kind: str, settings: DataSettings, split: str | None, limit: int | None) -> tuple[list[Any], str, str]:
    """The lines, or pairs, of a split, its name, and the fingerprint of their data."""
    given: Any = load_lines(settings) if kind == "lm" else load_parallel(settings.model_copy(update={"test": split}))
    names = list(given.splits)
    chosen = split or next((name for name in names if name.startswith("test")), "validation")
    if chosen not in names:
        raise BadInput(f"{given.name} has no split called {chosen}; it has {', '.join(names)}")
    return list(given.splits[chosen][:limit]), chosen, f"{given.fingerprint} {chosen} {limit}"


def perplexity_trial(model: SequenceModel, lines: list[str], settings: LanguageSettings, trial: str) -> Found:
    """Perplexity clean, and with one complete word of each segment moved so far."""
    text = Segments(marked(model.tokenizer, lines, model.closing), model.max_length, model.ending, 64, seed=0)
    if not text.text.words.any():
        raise BadInput(f"no text has a complete word of two letters that {model.name} knows; give other texts")
    scores = {}
    for radius in (0.0, *settings.radii):
        moved = word_mover(model.model, radius) if radius else None
        name = f"perturbed by {radius:g}" if radius else "clean"
        said = definition("given") + (f", one word a segment moved by {radius:g}" if radius else "")
        scores[name] = surprise(model.model, text.in_order(), HERE, moved=moved).perplexity(count_words(lines), said)
    return Found(model.name, trial, scores)


def neighbours_trial(model: SequenceModel, lines: list[str], settings: LanguageSettings, trial: str) -> Found:
    """The nearest words of each word, by their vectors."""
    near = neighbours(model, settings.words)
    texts = [{"word": word, "nearest": [[one.word, one.distance] for one in some]} for word, some in near.items()]
    return Found(model.name, trial, {}, tuple(texts))


def continuation_trial(model: SequenceModel, lines: list[str], settings: LanguageSettings, trial: str) -> Found:
    """What the model goes on with behind a perturbed word near the end, and how it rates that itself."""
    allowed = allowed_tokens(model.tokenizer)
    some = [line for line in lines if line.strip()][: settings.texts]
    found = [continuation(model, line, lambda ids: allowed[ids], settings.radius, settings.count) for line in some]
    known = [each for each in found if each is not None and each.losses]
    return Found(model.name, trial, {"perplexity": continued_perplexity(known)}, tuple(asdict(each) for each in known))


def quality_trial(model: SequenceModel, pairs: list[Pair], settings: LanguageSettings, trial: str) -> Found:
    """BLEU and chrF of the translations."""
    sources, references = ([pair[side] for pair in pairs] for side in (0, 1))
    written = translate(model, sources, Search(beams=settings.beams))
    scores, _ = quality(written, references, "given")
    rows = [{"source": s, "reference": r, "written": w} for s, r, w in zip(sources, references, written, strict=True)]
    return Found(model.name, trial, scores, tuple(rows))


def side_trial(model: SequenceModel, pairs: list[Pair], settings: LanguageSettings, trial: str) -> Found:
    """Translations with one complete source word perturbed: the longest word of each text."""
    how, rows = Search(beams=settings.beams), []
    for source, target in pairs[: settings.texts]:
        words = [word for word in source.split() if word.isalpha() and len(word) > 1]
        if words:
            word = max(words, key=len)
            rows.append(asdict(side_by_side([model], source, target, word, settings.radius, how)))
    if not rows:
        raise BadInput("no source has a complete word to perturb; give other texts")
    return Found(model.name, trial, {}, tuple(rows))


Trial = Callable[[SequenceModel, list[Any], LanguageSettings, str], Found]
TRIALS: dict[str, dict[str, Trial]] = {
    "lm": {"perplexity": perplexity_trial, "neighbours": neighbours_trial, "continuation": continuation_trial},
    "translation": {"quality": quality_trial, "side_by_side": side_trial},
}
