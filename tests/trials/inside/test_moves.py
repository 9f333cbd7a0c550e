"""Moves of representations, written out; the trial's own tests hold them against the network asked alone."""

import pytest
import torch
import torch.nn.functional as F
from attack_ground import tiny_model

from unfooled.models import TextModel
from unfooled.trials.inside.batch import batches
from unfooled.trials.inside.moves import PLACES, Seen, climbed, features_of, moved, read, seen, unit

TEXTS = [("the film was good",), ("dull",), ("a very quite bright story",)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return tiny_model(tmp_path_factory.mktemp("moves"))


def test_what_is_seen_is_what_the_network_says_of_a_text_alone(model: TextModel) -> None:
    found = seen(model, read(model, TEXTS))
    assert len(found.cls) == len(found.mean) == 2 and found.features.dtype == torch.float64
    for row, (text,) in enumerate(TEXTS):
        given = model.tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            out = model.classifier.network.base_model(**given, output_hidden_states=True)
        torch.testing.assert_close(found.features[row].float(), out.pooler_output[0], atol=1e-5, rtol=1e-4)
        for layer, states in enumerate(out.hidden_states[1:]):
            torch.testing.assert_close(found.cls[layer][row].float(), states[0, 0], atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(found.mean[layer][row].float(), states[0].mean(dim=0), atol=1e-5, rtol=1e-4)


def test_vectors_have_length_1_and_few_digits(model: TextModel) -> None:
    rows = features_of(model, TEXTS)
    assert rows == unit(seen(model, read(model, TEXTS)).features)
    for row in rows:
        assert sum(value**2 for value in row) == pytest.approx(1, abs=1e-4)
        assert all(value == round(value, PLACES) for value in row)


def test_every_place_is_compared_with_its_own_row() -> None:
    random = torch.Generator().manual_seed(0)
    before, after = (
        Seen(*(torch.randn(rows, 4, generator=random).double() for _ in range(1)), *both)
        for rows, both in (
            (3, [tuple(torch.randn(3, 4, generator=random).double() for _ in range(2)) for _ in range(2)]),
            (2, [tuple(torch.randn(2, 4, generator=random).double() for _ in range(2)) for _ in range(2)]),
        )
    )
    found = moved([2, 0], before, after)
    for row, place in enumerate([2, 0]):
        by_layer, cosine, distance = found[row]
        assert cosine == pytest.approx(float(F.cosine_similarity(before.features[place], after.features[row], dim=0)))
        assert distance == pytest.approx(float((before.features[place] - after.features[row]).norm()))
        for layer, (cls_cosine, cls_distance, mean_cosine, mean_distance) in enumerate(by_layer):
            for one, other, expected in (
                (before.cls, after.cls, (cls_cosine, cls_distance)),
                (before.mean, after.mean, (mean_cosine, mean_distance)),
            ):
                pair = one[layer][place], other[layer][row]
                assert expected == pytest.approx(
                    (float(F.cosine_similarity(*pair, dim=0)), float((pair[0] - pair[1]).norm()))
                )


def test_a_climb_raises_the_loss_and_stays_in_its_ball(model: TextModel) -> None:
    (batch,) = batches(model, TEXTS, [0, 1, 0], 4, ())
    delta = climbed(batch, 0.2, 3)
    assert bool((delta.flatten(1).norm(dim=1) <= 0.2 * (1 + 1e-6)).all())
    assert bool((delta[~batch.tokens.mask] == 0).all())
    with torch.no_grad():
        before, after = (batch.losses(batch.classifier(batch.tokens, at)) for at in (torch.zeros_like(delta), delta))
    assert bool((after > before).all())
