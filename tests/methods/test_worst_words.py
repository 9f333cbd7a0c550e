"""The oracles and the behaviour of worst_words (docs/papers/worst_words.md)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from exchange_ground import NAMES, batch_of, save_neighbours, task_of, tiny_model
from pydantic import ValidationError
from support import Lone, Recording, collected_gradients, largest_difference, make_task
from tiny import reviews

from unfooled.errors import BadInput
from unfooled.losses.margins import margins
from unfooled.methods import Finetune, WorstWords
from unfooled.methods.worst_words import WorstCase
from unfooled.methods.worst_words_passes import held
from unfooled.models.encoders.pretrained import TextModel
from unfooled.substitution.reading import texts_of
from unfooled.substitution.turns import Turned
from unfooled.text.document import read
from unfooled.types import Loss, Output, Progress, Texts

ROWS = reviews(24)
TEXTS: list[Texts] = [(text,) for text, _ in ROWS]
LABELS = [NAMES.index(label) for _, label in ROWS]
BOTH = {"negative": "positive", "positive": "negative"}
NO_START: dict[str, Any] = {"start": 0.0, "turns": "off"}


@pytest.fixture(autouse=True)
def neighbours_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path)))


@pytest.fixture
def model(tmp_path: Path) -> TextModel:
    return tiny_model(tmp_path)


def built(model: TextModel, texts: Sequence[Texts] = TEXTS, labels: Sequence[int] = LABELS, **given: Any) -> WorstCase:
    """The method, from its first step on."""
    settings = WorstWords(**{"begin": 0.0, **given})
    return settings.build(model.classifier, task_of(model, texts, labels[: len(texts)]))


def stepped(objective: Any, model: TextModel, places: Sequence[int] = range(8), **given: Any) -> tuple[Loss, Any]:
    """The loss of a step and the gradients it left."""
    model.classifier.zero_grad()
    texts = given.pop("texts", TEXTS)
    loss = objective.step(Lone(**given), batch_of(model, texts, LABELS, places))
    return loss, collected_gradients(model.classifier)


def test_oracle_with_nothing_to_exchange_it_is_the_plain_step_to_the_bit(model: TextModel) -> None:
    off = {"share": (0.0, 0.0), "start_share": 0.0, "beta": 0.0, "turns": "off", "warmup": 0.0}
    _, mine = stepped(built(model, **off), model)
    _, plain = stepped(Finetune().build(model.classifier, make_task()), model)
    assert mine.keys() == plain.keys() and all(torch.equal(mine[name], plain[name]) for name in plain)
    assert max(float(value.abs().max()) for value in plain.values()) > 1e-3


def test_oracle_without_candidates_agreement_costs_nothing(model: TextModel) -> None:
    texts: list[Texts] = [("it was very",), ("of the but",), ("and with it",), ("is a",)] * 2
    stops = built(model, texts, sources=("mask",), turns="off", warmup=0.0)
    _, mine = stepped(stops, model, texts=texts)
    _, plain = stepped(Finetune().build(model.classifier, make_task()), model, texts=texts)
    assert stops.rise() == 1.0 and not any(stops.row(place, (0, 0)).able for place in range(8))
    assert largest_difference(mine, plain) < 1e-6


def test_the_gradient_is_that_of_the_formula(model: TextModel) -> None:
    """½ CE(x_1) + ½ [CE(x_2) + beta KL(p_1 ‖ p_2)], p_1 a constant, written out over the texts the passes saw."""
    objective = built(model, sources=("near",), warmup=0.0, **NO_START)
    seen: list[list[Texts]] = []
    located = objective.reader.located

    def watched(rows: Any) -> Any:
        seen.append([texts_of(row) for row in rows])
        return located(rows)

    objective.reader.located = watched  # type: ignore[method-assign]
    _, mine = stepped(objective, model)
    assert seen[0] == TEXTS[:8] and sum(one != other for one, other in zip(*seen, strict=True)) >= 6
    model.classifier.zero_grad()
    first, second = (
        model.classifier(located([(read(text),) for (text,) in texts]).tokens).logits.log_softmax(1) for texts in seen
    )
    label = torch.tensor(LABELS[:8])
    fixed = first.detach()
    divergence = (fixed.exp() * (fixed - second)).sum(1)
    entropies = [F.nll_loss(rows, label) for rows in (first, second)]
    (0.5 * entropies[0] + 0.5 * (entropies[1] + 2.0 * divergence.mean())).backward()
    assert largest_difference(mine, collected_gradients(model.classifier)) < 1e-6


def test_recognition_is_a_term_of_the_later_passes_and_rises(model: TextModel) -> None:
    objective = built(model, sources=("typos",), recognise=0.5, turns="off")
    steady = built(model, sources=("typos",), recognise=0.5, turns="off", warmup=0.0)
    without = built(model, sources=("typos",), turns="off", warmup=0.0)
    loss, mine = stepped(steady, model)
    assert loss.terms["recognition"].weight == 0.25 and float(loss.terms["recognition"].sum) > 0.1
    assert largest_difference(mine, stepped(without, model)[1]) > 1e-4
    early, _ = stepped(objective, model)
    assert early.terms["recognition"].weight == 0.0 and "recognition" not in stepped(without, model)[0].terms


def test_words_misspelt_come_to_be_read_as_themselves(model: TextModel) -> None:
    """Trained with recognition alone to speak of, what stands for a word is nearest to it more often than before."""
    objective = built(model, sources=("typos",), recognise=20.0, warmup=0.0, **NO_START)
    optimizer = torch.optim.Adam(model.classifier.parameters(), 2e-3)
    losses = []
    for _ in range(30):
        loss, _ = stepped(objective, model, range(24))
        losses.append(float(loss.terms["recognition"].sum))
        optimizer.step()
    assert losses[-1] < 0.6 * losses[0]


def test_a_network_without_layers_is_told_that_nothing_is_recognised(model: TextModel) -> None:
    model.classifier.__class__ = type("OnePiece", (type(model.classifier),), {"is_one_piece": True})
    objective = built(model, recognise=0.5)
    assert "no layers of token states" in objective.notes[-1] and not objective.layers


def test_means_are_taken_over_the_whole_update(model: TextModel) -> None:
    objective = built(model, turns=BOTH, warmup=0.0, recognise=0.5)
    _, alone = stepped(objective, model)
    _, wider = stepped(objective, model, counts={"examples": 16})
    assert largest_difference({name: value / 2 for name, value in alone.items()}, wider) < 1e-6


def test_virtual_labels_hold_exchanged_texts_to_the_first_answer_alone(model: TextModel) -> None:
    """beta KL(p_1 ‖ p_2) of rows that stay, CE of rows turned whole, the hinge of those turned in part."""
    torch.manual_seed(0)
    first, second = torch.randn(4, 2), torch.randn(4, 2, requires_grad=True)
    batch = replace(batch_of(model, TEXTS, LABELS, range(4)), label=torch.tensor([0, 1, 0, 1]))
    turned = {1: Turned((), 0, True), 2: Turned((), 1, False)}
    outputs = [Output(logits=one, features=one) for one in (first, second)]
    terms = held(*outputs, batch, turned, 2.0, virtual=True).terms
    apart = F.kl_div(second.log_softmax(1), first.log_softmax(1), log_target=True, reduction="none").sum(1)
    assert torch.allclose(terms["task"].sum, F.cross_entropy(second[1:2], torch.tensor([0])))
    assert torch.allclose(terms["divergence"].sum, apart[0] + apart[3]) and terms["divergence"].weight == 2.0
    given = held(*outputs, batch, turned, 2.0).terms
    labelled = F.cross_entropy(second[[0, 3]], batch.label[[0, 3]], reduction="sum")
    assert torch.allclose(given["task"].sum, terms["task"].sum + labelled)
    assert torch.equal(given["hinge"].sum, terms["hinge"].sum)


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_pass_more_for_each_round_and_every_pass_pays_alike(model: TextModel, rounds: int) -> None:
    model.classifier.train()
    objective = built(model, rounds=rounds)
    objective.model = recording = Recording(model.classifier)
    recording.table = model.classifier.table
    engine = Lone()
    loss = objective.step(engine, batch_of(model, TEXTS, LABELS, range(8)))
    assert engine.shares == [1 / (rounds + 1)] * (rounds + 1) and recording.modes == [True] * (rounds + 1)
    assert all(not delta.any() for delta in recording.deltas if delta is not None)
    assert loss.terms["worst words"].weight == 0.0


def test_the_control_exchanges_blindly_and_asks_no_gradient(model: TextModel) -> None:
    blindly = built(model, pick="blind", sources=("near",), warmup=0.0, **NO_START)
    found = built(model, **NO_START)
    rows = [blindly.row(place, (0, 0)) for place in range(8)]
    batch = batch_of(model, TEXTS, LABELS, range(8))
    here = blindly.reading(rows, {}, batch)
    drawn = blindly.exchanged(here, batch, 1)
    assert [len(row.changes) for row in drawn] == [max(1, round(row.share * len(row.able))) for row in rows]
    assert drawn == blindly.exchanged(here, batch, 1) != blindly.exchanged(here, batch, 2)
    with pytest.raises(RuntimeError, match="no gradient"):
        found.exchanged(here, batch, 1)


def test_beta_and_rho_rise_over_the_first_steps_and_their_step_is_kept(model: TextModel) -> None:
    objective = built(model, warmup=0.4)  # of 10 steps
    rises, shares = [], []
    for step in range(1, 7):
        rises.append(objective.rise())
        shares.append(objective.row(3, (0, 0)).share)
        objective.after_step(Progress(step, 10, 0))
    assert rises == [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
    assert shares == [rise * shares[-1] for rise in rises] and shares[-1] >= 0.2
    again = built(model, warmup=0.4)
    again.load_state_dict(objective.state_dict())
    assert int(again.done) == 6 and again.rise() == 1.0
    assert built(model, warmup=0.0).rise() == 1.0


def test_what_is_drawn_hangs_on_row_and_epoch_alone(model: TextModel) -> None:
    one, other = built(model, warmup=0.0), built(model, warmup=0.0)
    rows = [one.row(place, (0, 0)) for place in range(24)]
    assert rows[::-1] == [other.row(place, (0, 0)) for place in reversed(range(24))]  # as after a restart
    later = [one.row(place, (0, 1)) for place in range(24)]
    assert all(before.share != after.share for before, after in zip(rows, later, strict=True))
    assert sum(before.candidates != after.candidates for before, after in zip(rows, later, strict=True)) > 12
    assert all(0.2 <= row.share <= 1 for row in rows)


def test_sources_are_drawn_evenly_and_rows_begin_at_random_exchanges(model: TextModel) -> None:
    objective = built(model, [("a good film",)] * 24, sources=("near", "mask"))
    rows = [objective.row(place, (0, epoch)) for place in range(24) for epoch in range(20)]
    sizes = Counter(len(row.candidates[0][1]) for row in rows)  # good: six near words, or one mask
    assert set(sizes) == {1, 6} and min(sizes.values()) > 190
    started = built(model, sources=("near",), start=1.0, start_share=1.0, warmup=0.0)
    assert sum(bool(started.row(place, (0, 0)).changes) for place in range(24)) > 18
    assert not any(built(model, start=0.0).row(place, (0, 0)).changes for place in range(24))


def test_all_sources_at_once(model: TextModel) -> None:
    words = {name: built(model, sources=(name,)).row(1, (0, 0)) for name in ("near", "mask")}
    both = built(model, sources=("near", "mask", "all"))
    assert both.draws == [("near",), ("mask",), ("near", "mask")]
    assert built(model, sources=("near", "mask", "all", "all")).draws == [*both.draws, ("near", "mask")]
    every = built(model, sources=("all",))
    assert every.draws == [every.sources] and len(every.sources) == 6
    lists = every.row(1, (0, 0)).candidates[0]
    for row in words.values():
        assert all(set(own) <= set(more) for own, more in zip(row.candidates[0], lists, strict=True))


def test_turned_rows_are_a_share_of_those_that_can_be(model: TextModel) -> None:
    texts: list[Texts] = [("the film is good",), ("good",)] * 12  # what can be negated, and what cannot
    objective = built(model, texts, turns=BOTH, turned=0.3)
    drawn = [objective.turn(place, (0, epoch)) for place in range(0, 24, 2) for epoch in range(50)]
    assert 0.24 < np.mean([one is not None for one in drawn]) < 0.36
    assert not any(objective.turn(1, (0, epoch)) for epoch in range(50))
    assert objective.turn(0, (0, 3)) == built(model, texts, turns=BOTH, turned=0.3).turn(0, (0, 3))
    assert objective.report()["turns"] == BOTH and built(model).report()["turns"] == {}
    assert built(model, texts, turns={"positive": "negative"}, turned=1.0).turn(0, (0, 0)) is None  # it is negative


def test_the_hinge_is_the_formula_and_no_shift_of_the_logits_moves_it(model: TextModel) -> None:
    """Of a row turned in part max(0, 1 − (m(x_1) − m(x_turned))); turned whole, CE to the new label; no divergence."""
    random = torch.Generator().manual_seed(0)
    first, later = (torch.randn(4, 2, generator=random) for _ in range(2))
    batch = batch_of(model, TEXTS, LABELS, range(4))
    document = (read("a film"),)
    turned = {1: Turned(document, 0, whole=False), 2: Turned(document, 1, whole=True)}

    def loss(shift: float) -> Loss:
        return held(Output(first, first), Output(later + shift, later), batch, turned, beta=2.0)

    found = loss(0.0)
    margin = [rows[1, 1] - rows[1, 0] for rows in (first, later)]  # of two classes: the difference of the logits
    assert float(found.terms["hinge"].sum) == pytest.approx(max(0.0, 1 - float(margin[0] - margin[1])), abs=1e-6)
    wanted = F.cross_entropy(later[[0, 2, 3]], torch.tensor([LABELS[0], 1, LABELS[3]]), reduction="sum")
    assert float(found.terms["task"].sum) == pytest.approx(float(wanted), abs=1e-5)
    p, q = first[[0, 3]].softmax(1), later[[0, 3]].softmax(1)
    assert float(found.terms["divergence"].sum) == pytest.approx(float((p * (p / q).log()).sum()), abs=1e-5)
    assert all(term.count == 4 for term in found.terms.values()) and found.terms["divergence"].weight == 2.0
    for name, term in loss(7.0).terms.items():
        assert float(term.sum) == pytest.approx(float(found.terms[name].sum), abs=1e-4)
    logits = torch.tensor([[1.0, 2.0, 3.0]])
    others = torch.tensor([1.0, 3.0]).logsumexp(0)
    assert float(margins(logits, torch.tensor([1]))) == pytest.approx(2.0 - float(others))


def test_the_temperature_divides_the_logits(model: TextModel) -> None:
    batch = batch_of(model, TEXTS, LABELS, range(8))
    loss = built(model, temperature=50.0, share=(0.0, 0.0), beta=0.0, **NO_START).step(Lone(), batch)
    with torch.no_grad():
        expected = F.cross_entropy(model.classifier(batch.tokens).logits / 50, batch.label)
    assert float(loss.total()) == pytest.approx(float(expected), abs=1e-6)


def test_a_pair_with_an_empty_side_and_a_text_of_100_000_characters_are_trained_on(model: TextModel) -> None:
    long = "the film was good and the plot was dull " * 2500
    single: list[Texts] = [(long,), ("",), ("z" * 100_000,), ("a film",)]
    pairs: list[Texts] = [("good film", ""), ("", ""), ("", long), (long, long)]
    for texts in (single, pairs):
        objective = built(model, texts, turns=BOTH, turned=0.5, warmup=0.0)
        for epoch in range(3):
            loss = objective.step(Lone(), batch_of(model, texts, LABELS, range(4), epoch))
            assert torch.isfinite(loss.total())
        assert all(sum(map(len, objective.read[place])) < 100 for place in range(4))


def test_texts_of_another_language_are_misspelt_and_hidden_and_that_is_said(model: TextModel) -> None:
    german: list[Texts] = [("Der Film war langweilig und völlig verworren",)] * 8
    objective = built(model, german)
    assert set(objective.sources) == {"typos", "mask"} == set(objective.report()["word_sources"])
    [note] = objective.notes
    assert "not English" in note and built(model, whole_words=False).notes == ()


def test_settings_that_make_no_sense_are_refused(model: TextModel) -> None:
    for given in ({"sources": ()}, {"sources": ("thesaurus",)}, {"share": (0.5, 0.2)}, {"share": (0.0, 1.5)}):
        with pytest.raises(ValidationError, match=next(iter(given))):
            WorstWords(**given)
    with pytest.raises(BadInput, match="needs the training texts"):
        WorstWords().build(model.classifier, make_task())
    with pytest.raises(BadInput, match=r"method\.turns names the label postive.*did you mean positive\?"):
        built(model, turns={"postive": "negative"})
