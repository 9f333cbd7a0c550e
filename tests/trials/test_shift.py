"""Moves of representations against passes made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch
from attack_ground import tiny_model
from tiny import reviews
from trial_ground import in_order, pairs_of, ran

from unfooled.data.contrast_sets import Member
from unfooled.models import ModelSettings, TextModel, build
from unfooled.text.changes import perturbed
from unfooled.trials.inputs import Inputs, hash_units
from unfooled.trials.kept.shifts import ShiftRecord
from unfooled.trials.pgd import PGD, PGDSettings
from unfooled.trials.shift import SHIFT, Contrasted, ShiftSettings, contrasts, uniformity

TEXTS = [(f"{text} and a large film",) for text, _ in reviews(14)]
LABELS = [place % 2 for place in range(14)]
SETTINGS = ShiftSettings(eps=(0.1, 0.5), steps=2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return tiny_model(tmp_path_factory.mktemp("shift"))


def shift(
    model: TextModel,
    texts: Sequence[tuple[str, ...]] = TEXTS,
    labels: Sequence[int] = LABELS,
    settings: ShiftSettings = SETTINGS,
    revisions: Mapping[int, tuple[str, ...]] | None = None,
    **how: Any,
) -> list[ShiftRecord]:
    revised = revisions or {}
    units = [
        Contrasted(*one, revised[place]) if place in revised else one
        for place, one in enumerate(pairs_of(texts, labels))
    ]
    return in_order(SHIFT, model, units, settings, **how)


def states(model: TextModel, text: str) -> tuple[torch.Tensor, list[torch.Tensor]]:
    given = model.tokenizer(text, return_tensors="pt", truncation=True, max_length=32)
    network = model.classifier.network.train(False)
    with torch.no_grad():
        out = network.base_model(**given, output_hidden_states=True)
    return out.pooler_output[0], [layer[0] for layer in out.hidden_states[1:]]


def test_word_level_moves_are_those_of_the_network_asked_alone(model: TextModel) -> None:
    found = shift(model, batch_size=4, seed=3)
    changed = {(one.index, one.kind): one.texts[0] for one in perturbed(TEXTS, SETTINGS.kinds, 3)}
    assert len(changed) == 28
    for record in found:
        features, layers = states(model, TEXTS[record.index][0])
        for one in record.shifts[:2]:
            moved, other = states(model, changed[record.index, one.cause])
            assert one.cosine == pytest.approx(float(torch.cosine_similarity(features, moved, dim=0)), abs=1e-5)
            assert one.distance == pytest.approx(float((features - moved).norm()), abs=1e-4)
            for move, before, after in zip(one.layers, layers, other, strict=True):
                assert move.cls_distance == pytest.approx(float((before[0] - after[0]).norm()), abs=1e-4)
                means = before.mean(dim=0), after.mean(dim=0)
                assert move.mean_cosine == pytest.approx(float(torch.cosine_similarity(*means, dim=0)), abs=1e-5)
                assert move.mean_distance == pytest.approx(float((means[0] - means[1]).norm()), abs=1e-4)


def test_a_text_without_a_version_leaves_those_beside_it_their_own(model: TextModel) -> None:
    texts = [("the " * 9,), ("a good film",), ("it was a dull story",)]
    changed = {one.index: one.texts[0] for one in perturbed(texts, ["synonyms"], 3)}
    assert sorted(changed) == [1, 2]
    found = shift(model, texts, [0, 1, 0], ShiftSettings(kinds=("synonyms",), steps=1), seed=3)
    assert "synonyms" not in [one.cause for one in found[0].shifts] and found[0].moved is None
    for record in found[1:]:
        (features, _), (moved, _) = states(model, texts[record.index][0]), states(model, changed[record.index])
        expected = float(torch.cosine_similarity(features, moved, dim=0))
        assert expected < 1 - 1e-4 and record.shifts[0].cosine == pytest.approx(expected, abs=1e-5)
        assert record.shifts[0].distance == pytest.approx(float((features - moved).norm()), abs=1e-4)


def test_moves_under_pgd_are_those_of_the_pgd_trial(model: TextModel) -> None:
    found = shift(model, batch_size=5)
    settings = PGDSettings(eps=(0.1, 0.5), steps=2)
    attacked = in_order(PGD, model, pairs_of(TEXTS, LABELS), settings, batch_size=5)
    for record, other in zip(found, attacked, strict=True):
        assert [one.cause for one in record.shifts[2:]] == ["pgd 0.1", "pgd 0.5"]
        for one, attack in zip(record.shifts[2:], other.attacks, strict=True):
            assert one.cosine == pytest.approx(attack.cosine, abs=1e-5)
            assert one.distance == pytest.approx(attack.distance, abs=1e-4)
            assert all(move.cls_distance > 0 for move in one.layers)


def test_vectors_have_length_1_and_the_versions_are_the_synonyms(model: TextModel) -> None:
    found = shift(model, batch_size=4, seed=3)
    changed = {one.index: one.texts[0] for one in perturbed(TEXTS, ["synonyms"], 3)}
    for record in found:
        expected = torch.nn.functional.normalize(states(model, changed[record.index])[0], dim=0)
        assert record.moved == pytest.approx(expected.tolist(), abs=2e-5)
        assert sum(value**2 for value in record.vector) == pytest.approx(1, abs=1e-4)
    assert -8 <= uniformity([record.vector for record in found]).value <= 0


def test_contrast_sentences_are_seen_as_the_network_sees_them_alone(model: TextModel) -> None:
    revised = {3: ("a small book",), 5: ("a bad film",)}
    found = shift(model, batch_size=4, seed=3, revisions=revised)
    made = {one.index: one.texts for one in perturbed(TEXTS, ["antonyms"], 3)}
    assert [record.contrast.kind for record in found if record.contrast] == [
        "revision" if record.index in revised else "antonyms" for record in found
    ]
    for record in found:
        assert record.contrast is not None
        assert record.contrast.texts == {**made, **revised}[record.index] != record.texts
        expected = torch.nn.functional.normalize(states(model, record.contrast.texts[0])[0], dim=0)
        assert record.contrast.vector == pytest.approx(expected.tolist(), abs=2e-5)


def test_a_negation_stands_in_where_there_is_no_antonym() -> None:
    found = contrasts([("A good film.",), ("It rained.",), ("Rain",), ("A good film.",)], {3: ("A poor film.",)}, 0)
    assert found == {
        0: ("antonyms", ("A bad film.",)),
        1: ("negation", ("It did not rain.",)),
        3: ("revision", ("A poor film.",)),
    }


def test_a_resumed_run_makes_the_records_of_an_unbroken_one(model: TextModel) -> None:
    whole = shift(model, batch_size=4)
    rest = shift(model, batch_size=4, done={0, 1, 5, 9, 13})
    assert rest == [record for record in whole if record.index not in {0, 1, 5, 9, 13}]


def test_nothing_is_left_behind_in_the_network(model: TextModel) -> None:
    model.classifier.train()
    shift(model, TEXTS[:3], LABELS[:3])
    assert model.classifier.training
    assert all(parameter.grad is None and parameter.requires_grad for parameter in model.classifier.parameters())
    model.classifier.train(False)


def test_a_network_without_layers_has_features_alone() -> None:
    cnn = build(ModelSettings(name="textcnn"), ("no", "yes"), seed=0)
    found = shift(cnn, [("a large film",), ("the",)], [0, 1], ShiftSettings(eps=(0.5,)))
    assert {record.index: [one.cause for one in record.shifts] for record in found} == {
        0: ["synonyms", "typos", "pgd 0.5"], 1: ["pgd 0.5"],
    }  # fmt: skip
    assert all(one.layers == () for record in found for one in record.shifts)
    assert found[1].moved is None


def test_records_come_as_they_are_made(model: TextModel) -> None:
    passes: list[int] = []
    watch = model.classifier.register_forward_hook(lambda *_: passes.append(1))
    try:
        next(ran(SHIFT, model, pairs_of(TEXTS, LABELS), ShiftSettings(kinds=(), eps=(), steps=1), batch_size=7))
        assert len(passes) == 2  # the texts and their contrast sentences
    finally:
        watch.remove()


def test_originals_of_a_contrast_set_are_shifted_with_a_revision_of_another_label() -> None:
    texts = [(f"text {place}",) for place in range(4)]
    members = [
        Member("a", True, texts[0], 1),
        Member("a", False, ("same label",), 1),
        Member("a", False, ("turned",), 0),
        Member("a", False, ("turned again",), 0),
        Member("b", True, texts[1], 1),
        Member("b", False, texts[2], 1),
    ]
    plain, revised = (Inputs(texts, [1, 1, 1, 0], {}, ("no", "yes"), contrast) for contrast in (None, members))
    units, before = (SHIFT.units(one, ShiftSettings(), 0) for one in (revised, plain))
    assert units[0] == Contrasted(texts[0], 1, ("turned",)) and units[1:] == plain.examples[1:]
    assert before == plain.examples and hash_units(units) == hash_units(before)  # its numbers are the same
    assert SHIFT.also_reads == ("contrast",)
