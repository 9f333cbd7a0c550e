"""Translations of texts, greedy or by beam search; BLEU and chrF of them; and what one perturbed source word does.

Scores are sacrebleu's, with its signature, so that they can be compared with others that give theirs.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.passages import SideBySide
from unfooled.models.encoders.classifier import still
from unfooled.models.sequences.sequence_model import SequenceModel
from unfooled.models.sequences.translator import Translator
from unfooled.perturb.one_word import one_word
from unfooled.seeds import digest
from unfooled.settings import Settings
from unfooled.types import Tokens

RESAMPLES = 1000


class Search(Settings):
    """How a translation is looked for: so many beams (1 is greedy), and how length is rewarded."""

    beams: int = Field(4, ge=1)
    length_penalty: float = 0.6
    batch_size: int = Field(64, ge=1)


def translate(model: SequenceModel, texts: Sequence[str], search: Search | None = None) -> list[str]:
    """The translations of texts, in their order; batches are of similar length."""
    how = search or Search()
    encoded = [checked(model, text) for text in texts]
    order = sorted(range(len(texts)), key=lambda number: -len(encoded[number]))
    found = [""] * len(texts)
    for start in range(0, len(order), how.batch_size):
        rows = order[start : start + how.batch_size]
        written = decoded(model, padded([encoded[row] for row in rows], model), how)
        for row, text in zip(rows, written, strict=True):
            found[row] = text
    return found


def streamed(model: SequenceModel, texts: Iterator[str], search: Search | None = None) -> Iterator[str]:
    """Translations as texts come in, a batch at a time; an empty line stays one."""
    how = search or Search()
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == how.batch_size:
            yield from translated_lines(model, some, how)
            some = []
    yield from translated_lines(model, some, how)


def translated_lines(model: SequenceModel, texts: Sequence[str], search: Search) -> list[str]:
    """Translations of lines, of which some may be empty."""
    full = [text for text in texts if text.strip()]
    written = iter(translate(model, full, search))
    return [next(written) if text.strip() else "" for text in texts]


def checked(model: SequenceModel, text: str) -> list[int]:
    """The tokens of a source text, if the model takes so many."""
    ids = model.tokenizer(text, verbose=False)["input_ids"]
    if len(ids) > model.max_length:
        raise BadInput(
            f"the text beginning {text[:40]!r} has {len(ids)} tokens, more than the {model.max_length} that the model "
            "takes; split it into sentences"
        )
    return list(ids)


def padded(rows: Sequence[Sequence[int]], model: SequenceModel) -> Tokens:
    """Source texts as one rectangle."""
    width, padding = max(len(row) for row in rows), model.tokenizer.pad_token_id or 0
    ids = torch.tensor([[*row, *[padding] * (width - len(row))] for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    where = next(model.model.parameters()).device
    return Tokens(ids, torch.arange(width) < lengths[:, None]).to(where)


def decoded(model: SequenceModel, tokens: Tokens, search: Search, delta: Tensor | None = None) -> list[str]:
    """What the model writes for one batch, its source vectors moved by ``delta``."""
    translator = model.model
    assert isinstance(translator, Translator)
    with still(translator), torch.no_grad():
        written = translator.network.generate(
            encoder_outputs=translator.encoded(tokens, delta),
            attention_mask=tokens.mask.long(),
            num_beams=search.beams,
            length_penalty=search.length_penalty if search.beams > 1 else None,
            early_stopping=search.beams > 1,
            do_sample=False,
            max_length=model.max_length,
        )
    return [text.strip() for text in model.target.batch_decode(written, skip_special_tokens=True)]


def quality(written: Sequence[str], references: Sequence[str], split: str) -> tuple[dict[str, Score], dict[str, str]]:
    """BLEU and chrF of a split, each with a bootstrap interval over its texts; and their signatures."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    scores, signatures = {}, {}
    random = np.random.default_rng(digest("bootstrap"))
    draws = random.integers(0, len(written), (RESAMPLES, len(written)))
    for name, metric in (("BLEU", BLEU()), ("chrF", CHRF())):
        value = float(metric.corpus_score(list(written), [list(references)]).score)
        counts = np.asarray(metric._extract_corpus_statistics(list(written), [list(references)]), dtype=np.float64)
        # Not sacrebleu's own interval, which fails where a resample scores 0. Counts add up, so texts can be resampled.
        resampled = [float(metric._compute_score_from_stats(counts[rows].sum(axis=0).tolist()).score) for rows in draws]
        low, high = np.quantile(resampled, [0.025, 0.975])
        signatures[name] = str(metric.get_signature())
        definition = f"sacrebleu {name} of the {split} split, {signatures[name]}"
        scores[f"{split} {name}"] = Score(value, float(low), float(high), len(written), definition)
    return scores, signatures


def side_by_side(
    models: Sequence[SequenceModel],
    source: str,
    target: str,
    word: str,
    radius: float,
    search: Search | None = None,
) -> SideBySide:
    """Perturb one word of the source by each model's own gradient of the reference's loss, and translate.

    A word of several tokens is perturbed in its first.
    """
    how = search or Search()
    clean, perturbed = {}, {}
    for model in models:
        tokens = padded([checked(model, source)], model)
        place = place_of(model, source, word)
        delta = one_word(source_gradient(model, tokens, target), torch.tensor([place]), radius)
        clean[model.name] = decoded(model, tokens, how)[0]
        perturbed[model.name] = decoded(model, tokens, how, delta)[0]
    return SideBySide(source, word, target, clean, perturbed)


def place_of(model: SequenceModel, source: str, word: str) -> int:
    """The first token of a word in a source text."""
    start = source.find(word)
    place = model.tokenizer(source, verbose=False).char_to_token(start) if word and start >= 0 else None
    if place is None:
        raise BadInput(f"the source has no word {word!r}; choose one that stands in it")
    return int(place)


def source_gradient(model: SequenceModel, tokens: Tokens, target: str) -> Tensor:
    """The gradient of the reference's loss with respect to the source's looked-up vectors [1, T, d]."""
    asked = torch.tensor([model.target(target, verbose=False)["input_ids"]], device=tokens.ids.device)
    start = asked.new_full((1, 1), model.model.network.config.decoder_start_token_id)
    taught = Tokens(tokens.ids, tokens.mask, decoder=torch.cat([start, asked[:, :-1]], dim=1))
    delta = torch.zeros(*tokens.ids.shape, model.model.width, device=tokens.ids.device, requires_grad=True)
    with still(model.model), torch.enable_grad():
        logits = model.model(taught, delta).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), asked.flatten(), reduction="sum")
    return torch.autograd.grad(loss, delta)[0]
