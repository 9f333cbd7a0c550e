"""worst_words at less cost: the second pass at some steps alone (``every``), of some rows alone (``rows``)."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from exchange_ground import NAMES, batch_of, save_neighbours, task_of, tiny_model
from pydantic import ValidationError
from support import Lone, Recording, collected_gradients, largest_difference, make_task
from tiny import reviews

from unfooled.methods import Finetune, WorstWords
from unfooled.methods.worst_words import WorstCase
from unfooled.methods.worst_words_passes import read_again
from unfooled.models.encoders.pretrained import TextModel
from unfooled.substitution.reading import texts_of
from unfooled.text.document import read
from unfooled.types import Loss, Progress, Texts

ROWS = reviews(24)
TEXTS: list[Texts] = [(text,) for text, _ in ROWS]
LABELS = [NAMES.index(label) for _, label in ROWS]
BOTH = {"negative": "positive", "positive": "negative"}


@pytest.fixture(autouse=True)
def neighbours_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path)))


@pytest.fixture
def model(tmp_path: Path) -> TextModel:
    return tiny_model(tmp_path)


def built(model: TextModel, **given: Any) -> WorstCase:
    chosen = {"sources": ("near",), "start": 0.0, "turns": "off", "begin": 0.0, "warmup": 0.0, **given}
    return WorstWords(**chosen).build(model.classifier, task_of(model, TEXTS, LABELS))


def stepped(objective: Any, model: TextModel, places: Sequence[int] = range(8), epoch: int = 0) -> tuple[Loss, Any]:
    """The loss of a step and the gradients it left."""
    model.classifier.zero_grad()
    loss = objective.step(Lone(), batch_of(model, TEXTS, LABELS, places, epoch))
    return loss, collected_gradients(model.classifier)


def watched(objective: WorstCase) -> list[list[Texts]]:
    """The texts that each pass of an objective will have read."""
    seen: list[list[Texts]] = []
    located = objective.reader.located

    def watching(rows: Any) -> Any:
        seen.append([texts_of(row) for row in rows])
        return located(rows)

    objective.reader.located = watching  # type: ignore[method-assign]
    return seen


def alike(mine: dict[str, Any], other: dict[str, Any]) -> bool:
    return mine.keys() == other.keys() and all(torch.equal(mine[name], other[name]) for name in other)


def test_a_row_has_its_turn_every_second_epoch_and_half_of_them_are_read_in_each() -> None:
    turns = {index: [read_again((3, epoch), index, 0.5) for epoch in range(6)] for index in range(400)}
    assert all(own in ([True, False] * 3, [False, True] * 3) for own in turns.values())
    assert all(160 < sum(own[epoch] for own in turns.values()) < 240 for epoch in range(6))
    assert turns != {index: [read_again((4, epoch), index, 0.5) for epoch in range(6)] for index in range(400)}
    thirds = Counter(sum(read_again((0, epoch), index, 0.3) for epoch in range(10)) for index in range(400))
    assert set(thirds) == {3} and all(read_again((0, epoch), 7, 1.0) for epoch in range(9))


def test_oracle_every_first_step_and_all_rows_are_the_method_as_it_is_to_the_bit(model: TextModel) -> None:
    whole = stepped(built(model), model)
    same = stepped(built(model, every=1, rows=1.0), model)
    assert alike(same[1], whole[1]) and same[0].terms.keys() == whole[0].terms.keys()
    assert largest_difference(whole[1], stepped(built(model, rows=0.5), model)[1]) > 1e-4


def test_the_gradient_is_that_of_the_formula_and_every_row_weighs_the_task_once(model: TextModel) -> None:
    """Rows read again: ½ CE(x_1) + ½ [CE(x_2) + beta KL(p_1 ‖ p_2)]; the others CE(x); all over the whole batch."""
    objective = built(model, rows=0.5)
    again = [place for place in range(8) if read_again((0, 0), place, 0.5)]
    located, seen = objective.reader.located, watched(objective)
    loss, mine = stepped(objective, model)
    assert 1 < len(again) < 7 and len(seen[1]) == len(again) and seen[0] == TEXTS[:8]
    assert sum(seen[0][place] != text for place, text in zip(again, seen[1], strict=True)) > len(again) / 2
    model.classifier.zero_grad()
    first, second = (
        model.classifier(located([(read(text),) for (text,) in texts]).tokens).logits.log_softmax(1) for texts in seen
    )
    label = torch.tensor(LABELS[:8])
    weights = torch.tensor([0.5 if place in again else 1.0 for place in range(8)])
    fixed = first[again].detach()
    divergence = (fixed.exp() * (fixed - second)).sum()
    entropies = F.nll_loss(first, label, reduction="none"), F.nll_loss(second, label[again], reduction="none")
    task = (weights * entropies[0]).sum() + 0.5 * entropies[1].sum()
    total = (task + 0.5 * 2.0 * divergence) / 8
    total.backward()
    assert float(weights.sum() + 0.5 * len(again)) == 8.0
    assert largest_difference(mine, collected_gradients(model.classifier)) < 1e-6
    assert float(loss.terms["task"].mean) == pytest.approx(task.item() / 8, abs=1e-5)
    assert float(loss.terms["worst words"].mean) == pytest.approx(entropies[1].mean().item(), abs=1e-5)
    assert float(loss.total()) == pytest.approx(total.item(), abs=1e-5)


def test_oracle_with_nothing_to_exchange_half_of_the_rows_are_the_plain_step(model: TextModel) -> None:
    off = built(model, rows=0.5, share=(0.0, 0.0), beta=0.0)
    _, plain = stepped(Finetune().build(model.classifier, make_task()), model)
    assert largest_difference(stepped(off, model)[1], plain) < 1e-6


def test_steps_between_are_plain_to_the_bit_and_the_others_the_method_as_it_is(model: TextModel) -> None:
    sparing, whole = built(model, every=3), built(model)
    _, plain = stepped(Finetune().build(model.classifier, make_task()), model)
    _, method = stepped(whole, model)
    for step in range(6):
        loss, mine = stepped(sparing, model)
        assert alike(mine, method if step % 3 == 2 else plain)
        assert ("worst words" in loss.terms) == (step % 3 == 2)
        sparing.after_step(Progress(step + 1, 10, 0))
    again = built(model, every=3)
    again.load_state_dict(sparing.state_dict())  # as after a restart
    again.after_step(Progress(8, 10, 0))
    assert alike(stepped(again, model)[1], method)


def test_no_word_is_exchanged_before_its_time_and_then_the_rise_begins(model: TextModel) -> None:
    objective = built(model, begin=0.4, warmup=0.2, start=1.0, turns=BOTH, turned=1.0)
    _, plain = stepped(Finetune().build(model.classifier, make_task()), model)
    steps, rises = objective.steps, []
    for done in range(steps):
        objective.after_step(Progress(done, steps, 0))
        rises.append(objective.rise())
        loss, mine = stepped(objective, model)
        assert alike(mine, plain) == (done < 0.4 * steps) == ("worst words" not in loss.terms)
    fourth, sixth = round(0.4 * steps), round(0.6 * steps)
    assert set(rises[: fourth + 1]) == {0.0} and set(rises[sixth:]) == {1.0}
    assert rises == sorted(rises) and 0 < rises[fourth + 1] < 1


def test_what_is_not_read_again_is_read_as_it_stands(model: TextModel) -> None:
    started = {"start": 1.0, "start_share": 1.0}
    sparing, half = built(model, every=2, **started), built(model, rows=0.5, **started)
    seen = watched(sparing)
    stepped(sparing, model)
    assert seen == [TEXTS[:8]]
    seen = watched(half)
    stepped(half, model)
    again = [read_again((0, 0), place, 0.5) for place in range(8)]
    changed = [one != other for one, other in zip(seen[0], TEXTS, strict=False)]
    assert not any(own for own, read in zip(changed, again, strict=True) if not read) and sum(changed) > 1


def test_rows_that_are_not_read_again_are_not_turned(model: TextModel) -> None:
    objective = built(model, rows=0.5, turns=BOTH, turned=1.0)
    again = [place for place in range(8) if read_again((0, 0), place, 0.5)]
    asked: list[int] = []
    turn = objective.turn
    objective.turn = lambda index, key: (asked.append(index), turn(index, key))[1]  # type: ignore[method-assign,func-returns-value]
    loss, _ = stepped(objective, model)
    assert asked == again and torch.isfinite(loss.total())


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("given", [{}, {"recognise": 0.5}, {"pick": "blind"}, {"layer": 1}, {"anchored": True}])
def test_a_batch_with_no_row_to_be_read_again_makes_the_same_passes_for_nothing(
    model: TextModel, rounds: int, given: dict[str, Any]
) -> None:
    """Several processes must make the same passes, whatever rows each of them has."""
    none = [place for place in range(24) if not read_again((0, 0), place, 0.5)]
    objective = built(model, rows=0.5, rounds=rounds, **given)
    objective.model = recording = Recording(model.classifier)
    recording.table = model.classifier.table
    loss, mine = stepped(objective, model, none[:6])
    _, plain = stepped(Finetune().build(model.classifier, make_task()), model, none[:6])
    assert [len(logits) for logits in recording.logits] == [6] + [1] * (rounds + ("anchored" in given))
    assert largest_difference(mine, plain) < 1e-6 and loss.terms["worst words"].count == 0


def test_the_words_of_rows_read_again_are_recognised_among_themselves(model: TextModel) -> None:
    """A batch of those rows alone has the same words to tell apart; its mean is over fewer rows."""
    again = [place for place in range(16) if read_again((0, 0), place, 0.5)]
    given = {"sources": ("typos",), "recognise": 0.5, "rows": 0.5}
    mixed, _ = stepped(built(model, **given), model, range(16))
    alone, _ = stepped(built(model, **given), model, again)
    assert len(again) < 14
    sums = [float(loss.terms["recognition"].sum) for loss in (mixed, alone)]
    assert sums[0] == pytest.approx(sums[1], abs=1e-4) and sums[0] > 0.1
    assert mixed.terms["recognition"].count == 16


def test_the_log_has_every_term_that_is_paid(model: TextModel) -> None:
    loss, _ = stepped(built(model, turns=BOTH, turned=1.0), model)
    assert {"task", "worst words", "divergence", "hinge"} <= loss.terms.keys()
    assert loss.terms["hinge"].weight == 0.5 and float(loss.terms["hinge"].sum) > 0
    assert "hinge" not in stepped(built(model), model)[0].terms


@pytest.mark.parametrize("layer", [0, 1])
def test_anchored_all_is_held_to_the_text_as_it_stands(model: TextModel, layer: int) -> None:
    """⅓ CE(x) + ⅓ [CE(x_1) + beta KL(p ‖ p_1)] + ⅓ [CE(x_2) + beta KL(p ‖ p_2)], p a constant."""
    objective = built(model, anchored=True, layer=layer, start=1.0, start_share=1.0)
    seen = watched(objective)
    located = objective.reader.located
    _, mine = stepped(objective, model)
    first, start, last = (list(texts) for texts in seen)
    assert first == TEXTS[:8] and first != start != last
    tokens = [located([tuple(map(read, texts)) for texts in version]).tokens for version in (first, start, last)]
    clean, *others = (model.classifier(one).logits.log_softmax(1) for one in tokens)
    label, fixed = torch.tensor(LABELS[:8]), clean.detach()
    total = F.nll_loss(clean, label)
    for one in others:
        total = total + F.nll_loss(one, label) + 2 * (fixed.exp() * (fixed - one)).sum(1).mean()
    model.classifier.zero_grad()
    (total / 3).backward()
    assert largest_difference(mine, collected_gradients(model.classifier)) < 1e-6


def test_words_are_read_anew_when_second_passes_begin_and_every_so_often(model: TextModel) -> None:
    objective = built(model, layer=1, begin=0.2, renewed=0.3)  # of 10 steps
    assert [objective.measures(Progress(step, 10, 0)) for step in range(10)] == [0, 0, 1, 0, 0, 1, 0, 0, 1, 0]
    assert not any(built(model).measures(Progress(step, 10, 0)) for step in range(10))
    assert objective.word_reader is not None
    before = objective.word_reader.states([(7,)], [True])
    with torch.no_grad():
        model.classifier.lookup.weight.mul_(2.0)
        objective.measure([])
    assert not torch.allclose(objective.word_reader.states([(7,)], [True]), before, atol=1e-3)
    kept = objective.state_dict()
    assert any(name.startswith("word_reader.encoder.") for name in kept)  # so that a run that is resumed finds the same


def test_layers_are_a_number_or_chosen_and_it_is_said_where_there_are_none(model: TextModel) -> None:
    assert "compared at its table" in built(model, layer="auto").notes[-1]
    assert not built(model, whole_words=False).notes
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        WorstWords(layer=-1)


@pytest.mark.parametrize("of_pairs", ["both", "last"])
def test_of_a_pair_both_texts_are_exchanged_or_the_last_alone(model: TextModel, of_pairs: Any) -> None:
    pairs: list[Texts] = [(one, other) for (one,), (other,) in zip(TEXTS[:8], TEXTS[8:16], strict=True)]
    settings = WorstWords(sources=("near",), start=1.0, turns="off", begin=0.0, warmup=0.0, of_pairs=of_pairs)
    objective = settings.build(model.classifier, task_of(model, pairs, LABELS[:8]))
    seen = watched(objective)
    for epoch in range(3):
        objective.step(Lone(), batch_of(model, pairs, LABELS, range(8), epoch))
    changed = [
        [own[column] != pair[column] for rows in seen for own, pair in zip(rows, pairs, strict=True)]
        for column in range(2)
    ]
    assert len(seen) == 6 and sum(changed[1]) > 12 and (sum(changed[0]) > 12) == (of_pairs == "both")
    assert any(changed[0]) == (of_pairs == "both")


def test_pairs_are_turned_by_other_words_of_a_kind_where_that_is_told(model: TextModel) -> None:
    both = (("A man runs.", "A man runs with a dog"), ("A woman runs.", "A woman with a cat"))
    pairs: list[Texts] = [(f"{number}: {one}", other) for number in range(4) for one, other in both]
    for sisters in (False, True):
        settings = WorstWords(turns=BOTH, turned=1.0, begin=0.0, warmup=0.0, sisters=sisters)
        objective = settings.build(model.classifier, task_of(model, pairs, LABELS[:8]))
        turned = [objective.turn(row, (0, epoch)) for row in range(8) for epoch in range(20)]
        last = {str(one.documents[-1]) for one in turned if one is not None and one.whole}
        assert ("A woman runs with a dog" in last) == sisters and ("A man with a cat" in last) == sisters
        assert all(str(one.documents[0])[3:] in ("A man runs.", "A woman runs.") for one in turned if one is not None)
    single = WorstWords(turns=BOTH, sisters=True).build(model.classifier, task_of(model, TEXTS, LABELS))
    assert single.kin is None and "sisters: nothing is turned" in single.notes[-1]
