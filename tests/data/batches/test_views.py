"""Views: what is masked, and which tokens are labelled as replaced, whatever the letters."""

import numpy as np
import pytest
import torch
from support_text import byte_tokenizer, piece_tokenizer
from transformers import PreTrainedTokenizerFast

from unfooled.data.batches.blocks import Blocks
from unfooled.data.batches.views import (
    Labels,
    Reader,
    Text,
    ViewBatches,
    ViewSettings,
    make_views,
    masked,
    owners,
    realised,
    replaced,
)
from unfooled.seeds import generator
from unfooled.text.versions import Replacement, Version, VersionSettings, read, versions
from unfooled.types import NO_LABEL, Batch

TEXTS = [
    "Good films are warm, but the naïve café 😀 owner gave a cold answer to every happy child.",
    "Big dogs run fast.",
    "😀 The quick brown fox jumps over the lazy dog — twice!",
    "The of and.",
]
BOTH = pytest.mark.parametrize("tokenizer", [piece_tokenizer(), byte_tokenizer()], ids=["pieces", "bytes"])


def reader(tokenizer: PreTrainedTokenizerFast | None = None, longest: int = 200) -> Reader:
    return Reader.of(tokenizer or piece_tokenizer(), longest)


@BOTH
@pytest.mark.parametrize("policy", ["paper", "released"])
def test_as_many_words_are_found_by_their_labels_as_were_replaced(
    tokenizer: PreTrainedTokenizerFast, policy: str
) -> None:
    settings = VersionSettings.model_validate({"policy": policy})
    total = 0
    for number, text in enumerate(TEXTS * 5):
        made = versions(text, settings, 0, number)
        for version in (made.synonym, made.antonym):
            (tokens,) = reader(tokenizer).read([version.text])
            labels = replaced(tokens, version, made.candidates, "binary_all")
            found = words_of(tokens.offsets[labels == 1], version)
            assert found == [one.new_span for one in version.replacements]
            total += len(found)
            kept = {chars for chars, label in zip(map(tuple, tokens.offsets), labels, strict=True) if label == 0}
            assert not any(touches(chars, one.new_span) for chars in kept for one in version.replacements)
    assert total > 40


def words_of(pieces: np.ndarray, version: Version) -> list[tuple[int, int]]:
    """The spans of the version's replaced words that some labelled piece touches."""
    spans = [one.new_span for one in version.replacements]
    return [span for span in spans if any(touches(tuple(piece), span) for piece in pieces)]


def touches(piece: tuple[int, int], span: tuple[int, int]) -> bool:
    return bool(set(range(*piece)) & set(range(*span)))


@BOTH
def test_kept_tokens_are_those_of_the_original(tokenizer: PreTrainedTokenizerFast) -> None:
    for number, text in enumerate(TEXTS):
        made = versions(text, VersionSettings(), 3, number)
        (before,), (after,) = reader(tokenizer).read([text]), reader(tokenizer).read([made.synonym.text])
        labels = replaced(after, made.synonym, made.candidates, "binary_all")
        gone = owners(before, [one.span for one in made.synonym.replacements])
        assert after.ids[labels == 0].tolist() == before.ids[(gone < 0) & ~before.special].tolist()


def version_of(text: str, place: int, new: str, kind: str) -> Version:
    document = read(text)
    after = document.replace({place: new})
    spans = document.spans[place], after.spans[place]
    return Version(after, (Replacement(place, document.words[place], new, kind, *spans),))


def test_all_pieces_of_a_replacement_of_several_words_are_labelled() -> None:
    version = version_of("the film was good", 1, "motion picture", "synonym")
    (text,) = reader().read([version.text])
    labels = replaced(text, version, (1, 3), "binary_all")
    pieces = 1 + len("motion") + len("picture")  # letter by letter, after "the"
    assert labels.tolist() == [NO_LABEL, 0, *[1] * (pieces - 1), 0, 0, NO_LABEL]


def test_three_kinds_at_candidate_words_alone() -> None:
    like, unlike = (
        version_of("the film was good", 1, "warm", "hypernym"),
        version_of("the film was good", 3, "a", "random"),
    )
    (first, second) = reader().read([like.text, unlike.text])
    assert replaced(first, like, (1, 3), "ternary_candidates").tolist() == [-100, -100, 1, -100, 0, -100]
    assert replaced(second, unlike, (1, 3), "ternary_candidates").tolist() == [-100, -100, 0, -100, 2, -100]


def test_a_piece_belongs_to_the_word_whose_characters_it_has() -> None:
    offsets = np.array([[0, 0], [0, 3], [3, 8], [8, 9], [9, 12], [12, 12], [0, 0]])  # "the", " film", "s", …
    text = Text(np.zeros(7), np.array([True, *[False] * 5, True]), offsets)
    assert owners(text, [(0, 3), (4, 9)]).tolist() == [-1, 0, 1, 1, -1, -1, -1]  # a space before a word is its own
    assert owners(text, [(4, 9), (12, 14)]).tolist() == [-1, -1, 0, 0, -1, 1, -1]  # a piece without characters
    assert owners(text, [(3, 4)]).tolist() == [-1, -1, 0, -1, -1, -1, -1]
    assert owners(text, []).tolist() == [-1] * 7


def test_masking_hides_fifteen_in_a_hundred_and_no_special_token() -> None:
    reading = reader(longest=1000)
    (text,) = reading.read(["good film warm plot " * 200])
    fates: list[int] = []
    for turn in range(20):
        ids, hidden = masked(text, reading, 0.15, generator(0, turn))
        chosen = hidden != NO_LABEL
        assert chosen.sum() == round(0.15 * (~text.special).sum()) and not (chosen & text.special).any()
        assert (hidden[chosen] == text.ids[chosen]).all() and (ids[~chosen] == text.ids[~chosen]).all()
        fates += np.where(ids == reading.mask, 2, ids == text.ids)[chosen].tolist()
    share = np.bincount(fates, minlength=3) / len(fates)
    assert share == pytest.approx([0.1, 0.1, 0.8], abs=0.03)
    assert not set(reading.words.tolist()) & set(reading.special)


def test_short_texts_hide_one_token_and_empty_ones_none() -> None:
    reading = reader()
    one, none = reading.read(["good", ""])
    assert (masked(one, reading, 0.15, generator(0))[1] != NO_LABEL).sum() == 1
    assert (masked(none, reading, 0.15, generator(0))[1] != NO_LABEL).sum() == 0


def views(settings: ViewSettings, texts: list[str] = TEXTS, epoch: int = 0) -> object:
    keys = [(5, epoch, number) for number in range(len(texts))]
    return make_views(texts, ["a film"] * len(texts), keys, settings, reader())


def test_views_have_one_width_and_count_their_units() -> None:
    found = views(ViewSettings(synonym=True, antonym="words", labels="binary_all", plain=True))
    assert set(found.tokens) == {"original", "plain", "synonym", "antonym"}
    assert len({tokens.ids.shape for tokens in found.tokens.values()}) == 1
    for name in ("synonym", "antonym"):
        target, tokens = found.targets[f"replaced_{name}"], found.tokens[name]
        real = tokens.mask & ~torch.isin(tokens.ids, torch.tensor(reader().special))
        unknown = tokens.ids == 1
        assert torch.equal(target != NO_LABEL, real | (unknown & tokens.mask))
        assert found.counts[f"{name}_tokens"] == int((target != NO_LABEL).sum())
    assert found.counts["masked"] == int((found.targets["masked"] != NO_LABEL).sum()) > 0
    hidden = found.targets["masked"]
    restored = torch.where(hidden == NO_LABEL, found.tokens["original"].ids, hidden)
    assert torch.equal(restored, found.tokens["plain"].ids)


def test_versions_change_with_the_epoch_and_with_nothing_else() -> None:
    settings = ViewSettings(synonym=True, antonym="words")
    one, same, other = views(settings), views(settings), views(settings, epoch=1)
    alone = make_views(TEXTS[:1], ["a film"], [(5, 0, 0)], settings, reader())
    for name in ("original", "synonym", "antonym"):
        assert torch.equal(one.tokens[name].ids, same.tokens[name].ids)
        assert one.tokens[name].ids.tolist() != other.tokens[name].ids.tolist()
        width = int(alone.tokens[name].mask.sum())
        assert torch.equal(alone.tokens[name].ids[0, :width], one.tokens[name].ids[0, :width])


def test_a_method_gets_only_what_it_asks_for() -> None:
    assert set(views(ViewSettings()).tokens) == {"original"}
    alone = views(ViewSettings(synonym=True))
    assert set(alone.tokens) == {"original", "synonym"} and set(alone.targets) == {"masked"}


@pytest.mark.parametrize("labels", ["binary_all", "ternary_candidates"])
def test_synonyms_are_labelled_alike_whatever_the_antonym_is(labels: Labels) -> None:
    words, other = (views(ViewSettings(synonym=True, antonym=kind, labels=labels)) for kind in ("words", "other text"))
    width = other.targets["replaced_synonym"].shape[1]
    assert torch.equal(other.targets["replaced_synonym"], words.targets["replaced_synonym"][:, :width])
    assert {0, 1} <= set(other.targets["replaced_synonym"].flatten().tolist())


def test_another_text_as_antonym_has_no_labels() -> None:
    found = views(ViewSettings(synonym=True, antonym="other text", labels="binary_all"))
    assert found.counts["antonym_tokens"] == 0 and found.counts["synonym_tokens"] > 0
    assert (found.tokens["antonym"].mask.sum(dim=1) == 4).all()  # [CLS] a film [SEP]


def test_a_text_without_replaceable_words_stays_as_it_is() -> None:
    found = views(
        ViewSettings(synonym=True, antonym="words", labels="binary_all"),
        ["The of and.", "Der Film war langweilig und öde"],
    )
    assert not (found.targets["replaced_synonym"] == 1).any()
    assert torch.equal(found.tokens["synonym"].ids, found.tokens["antonym"].ids)


FILMS = [f"The good film number {number} was very warm and the long plot bright." for number in range(13)]
BLOCKS = Blocks(FILMS, np.array([20 + number % 3 for number in range(13)]))
ALL = ViewSettings(synonym=True, antonym="words", labels="binary_all")


def batches_of(views: ViewSettings = ALL, batch_size: int = 4, **given: int) -> ViewBatches:
    return ViewBatches(BLOCKS, Reader.of(piece_tokenizer(), 64), views, batch_size, 7, **given)


def same(first: Batch, second: Batch) -> bool:
    views = all(torch.equal(first.views[name].ids, second.views[name].ids) for name in first.views)
    targets = all(torch.equal(first.targets[name], second.targets[name]) for name in first.targets)
    return views and targets and torch.equal(first.index, second.index) and first.counts == second.counts


def test_an_epoch_holds_every_text_once_and_can_begin_anywhere() -> None:
    whole = list(batches_of(accumulation=2).updates(1))
    assert sorted(int(row) for update in whole for batch in update for row in batch.index) == list(range(13))
    assert len(whole) == batches_of(accumulation=2).updates_per_epoch == 2
    (later,) = batches_of(accumulation=2).updates(1, start=1)
    assert all(same(*pair) for pair in zip(later, whole[1], strict=True))
    swept = list(batches_of().sweep())
    assert sorted(int(row) for batch in swept for row in batch.index) == list(range(13))


def test_leaving_early_is_fine() -> None:
    updates = batches_of().updates(0)
    first = next(updates)
    updates.close()
    assert same(first[0], next(batches_of().updates(0))[0])


def test_processes_share_the_batches_of_one() -> None:
    one = [batch for (batch,) in batches_of(batch_size=8).updates(0)]
    two = [[batch for (batch,) in batches_of(batch_size=8, rank=rank, processes=2).updates(0)] for rank in range(2)]
    for whole, first, second in zip(one, *two, strict=True):
        assert (
            first.index.tolist() == whole.index[0::2].tolist() and second.index.tolist() == whole.index[1::2].tolist()
        )
        for name in ("examples", "masked", "synonym_tokens", "antonym_tokens", "tokens"):
            assert first.counts[name] + second.counts[name] == whole.counts[name]
        width = first.views["synonym"].ids.shape[1]
        assert torch.equal(first.views["synonym"].ids, whole.views["synonym"].ids[0::2, :width])


def test_another_text_is_never_the_text_itself_and_any_of_the_rest() -> None:
    found = {batches_of().other(3, epoch) for epoch in range(200)}
    assert found == set(range(13)) - {3}
    (batch,) = next(batches_of(ViewSettings(synonym=True, antonym="other text")).updates(0))
    assert batch.kind == "masked" and "antonym" in batch.views


def test_shares_of_versions_by_hand() -> None:
    settings = ViewSettings(synonym=True, antonym="words")
    made = [versions(text, settings.versions, 3, 0, number) for number, text in enumerate(TEXTS)]
    words = sum(len(one.original) for one in made)
    found = realised(TEXTS, settings, 3, reader(longest=60))
    kinds = [one.kind for each in made for one in each.antonym.replacements]
    assert found["antonym_ratio"] == len(kinds) / words > 0
    assert found["antonym_random"] == sum(kind == "random" for kind in kinds) / len(kinds)
    for name in ("synonym", "antonym"):
        longer = [len(piece_tokenizer()([getattr(one, name).text])["input_ids"][0]) > 60 for one in made]
        assert found[f"{name}_cut"] == sum(longer) / len(TEXTS) and any(longer) and not all(longer)
    assert realised(TEXTS, ViewSettings(), 3, reader()) == {}
    assert list(realised(TEXTS, ViewSettings(synonym=True), 3, reader())) == ["synonym_ratio", "synonym_cut"]
