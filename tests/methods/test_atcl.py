"""ATCL's equations, step by step, against what they say (Rim, Heo and Choi, 2021)."""

import math

import pytest
import torch
import torch.nn.functional as F
from support import Lone, collected_gradients, largest_difference, make_batch, parameter_gradients

from sequences import language_batch, language_model, translation_batch, translator
from unfooled.methods.atcl import ATCL, OneWord, drawn_negatives, shared_pool
from unfooled.methods.finetune import Finetune
from unfooled.models.sequences.language_model import LanguageModel
from unfooled.perturb.one_word import drawn_places
from unfooled.types import NO_LABEL, Output

BOTH = pytest.mark.parametrize("kind", ["lm", "translation"])


def ground(kind, seed=0):
    return (language_model(seed), language_batch()) if kind == "lm" else (translator(seed), translation_batch())


def token_loss(model, batch, delta=None):
    """The sum of -log p over the labels asked for, written out."""
    logs = model(batch.tokens, delta).logits.log_softmax(-1)
    total = logs.new_zeros(())
    for row, labels in enumerate(batch.label.tolist()):
        for place, label in enumerate(labels):
            if label != NO_LABEL:
                total = total - logs[row, place, label]
    return total


def behind(model):
    """What a length in the table of word vectors is behind the lookup: √16 times as much, where the lookup scales."""
    return 4.0 if isinstance(model, LanguageModel) else 1.0


def perturbation(model, batch, places, radius):
    """E' - E by hand: radius · g/‖g‖ at one place of each sequence."""
    delta = torch.zeros(*batch.tokens.ids.shape, model.width, requires_grad=True)
    gradient = torch.autograd.grad(token_loss(model, batch, delta), delta)[0]
    moved = torch.zeros_like(gradient)
    for row, place in enumerate(places.tolist()):
        if place >= 0:
            moved[row, place] = behind(model) * radius * gradient[row, place] / gradient[row, place].norm()
    return moved


def gradients_of(value, model):
    """The gradient of each parameter that is trained; 0 of the others, such as fixed positions."""
    trained = torch.nn.ParameterDict(
        {name.replace(".", "/"): each for name, each in model.named_parameters() if each.requires_grad}
    )
    found = {name.replace("/", "."): each for name, each in parameter_gradients(value, trained).items()}
    return {name: found.get(name, torch.zeros_like(each)) for name, each in model.named_parameters()}


class Recorded(torch.nn.Module):
    """A model that remembers what it was given and what it said."""

    def __init__(self, model):
        super().__init__()
        self.model, self.width, self.deltas, self.outputs = model, model.width, [], []
        self.lookup_scale, self.later_scale = model.lookup_scale, model.later_scale

    def forward(self, tokens, delta=None, states=True):
        output = self.model(tokens, delta, states=states)
        self.deltas.append(None if delta is None else delta.detach().clone())
        self.outputs.append(output)
        return output


@BOTH
def test_one_complete_word_of_each_sequence_is_moved_by_eps(kind):
    model, batch = ground(kind)
    recorded = Recorded(model)
    OneWord(recorded, ATCL(radius=0.7)).step(Lone(), batch)
    first, second = recorded.deltas
    assert not first.any()
    sizes = second.norm(dim=2)
    for row, words in enumerate(batch.targets["words"]):
        moved = (sizes[row] > 0).nonzero().flatten().tolist()
        if not words.any():
            assert moved == []
            continue
        assert len(moved) == 1 and words[moved[0]]
        assert sizes[row, moved[0]].item() == pytest.approx(0.7 * behind(model), rel=1e-5)
    assert not batch.targets["words"].any(dim=1).all()  # one of them has no complete word
    places = drawn_places(batch.targets["words"], batch.key, batch.index)
    torch.testing.assert_close(second, perturbation(model, batch, places, 0.7), rtol=1e-4, atol=1e-6)


@BOTH
@pytest.mark.parametrize("sign", [1, -1])
def test_the_loss_rises_by_eps_times_the_gradients_to_first_order(kind, sign):
    model, batch = ground(kind)
    recorded, radius = Recorded(model), 1e-3
    OneWord(recorded, ATCL(radius=radius, sign=sign)).step(Lone(), batch)
    places = drawn_places(batch.targets["words"], batch.key, batch.index)
    delta = torch.zeros_like(recorded.deltas[1], requires_grad=True)
    gradient = torch.autograd.grad(token_loss(model, batch, delta), delta)[0]
    expected = sum(gradient[row, place].norm().item() for row, place in enumerate(places.tolist()) if place >= 0)
    rise = (token_loss(model, batch, recorded.deltas[1]) - token_loss(model, batch)).item()
    assert sign * rise > 0
    assert rise == pytest.approx(sign * radius * behind(model) * expected, rel=0.05)


def by_hand(model, batch, settings):
    """J of Eq. 7, every part written out; draws are taken from the functions that draw."""
    places = drawn_places(batch.targets["words"], batch.key, batch.index)
    delta = perturbation(model, batch, places, settings.radius)
    clean, adversary = model(batch.tokens), model(batch.tokens, delta)
    count = int((batch.label != NO_LABEL).sum())
    value = token_loss(model, batch) / count
    masked = batch.label.clone()
    masked[places < 0] = NO_LABEL
    logs = F.cross_entropy(adversary.logits.flatten(0, 1), masked.flatten(), ignore_index=NO_LABEL, reduction="sum")
    value = value + settings.alpha * logs / count
    mask = batch.tokens.mask
    pool = [clean.states[row, place] for row in range(len(batch)) for place in range(mask.shape[1]) if mask[row, place]]
    begins = torch.tensor([int(mask[:row].sum()) for row in range(len(batch))])
    drawn = drawn_negatives(places, begins, mask.sum(dim=1), len(pool), settings.negatives, False, batch)
    losses = []
    for row, place in enumerate(places.tolist()):
        if place < 0:
            continue
        anchor = clean.states[row, place]
        others = [torch.cosine_similarity(anchor, pool[number], dim=0) / settings.temperature for number in drawn[row]]
        match = torch.cosine_similarity(anchor, adversary.states[row, place], dim=0) / settings.temperature
        losses.append(-match + torch.stack(others).exp().sum().log())
    return value + settings.beta * torch.stack(losses).mean()


@BOTH
def test_the_gradients_are_those_of_the_whole_objective(kind):
    model, batch = ground(kind)
    settings = ATCL(radius=0.5, alpha=0.7, beta=0.4, negatives=3, temperature=0.5)
    expected = gradients_of(by_hand(model, batch, settings), model)
    loss = OneWord(model, settings).step(Lone(batch.counts), batch)
    assert largest_difference(collected_gradients(model), expected) < 2e-5
    assert loss.total(batch.counts).item() == pytest.approx(by_hand(model, batch, settings).item(), rel=1e-5)


@BOTH
def test_without_a_contrast_it_is_fgm_for_a_word(kind):
    model, batch = ground(kind)
    settings = ATCL(radius=0.5, alpha=0.7, beta=0.0)
    places = drawn_places(batch.targets["words"], batch.key, batch.index)
    delta, count = perturbation(model, batch, places, 0.5), int((batch.label != NO_LABEL).sum())
    masked = batch.label.clone()
    masked[places < 0] = NO_LABEL
    logits = model(batch.tokens, delta).logits.flatten(0, 1)
    moved = F.cross_entropy(logits, masked.flatten(), ignore_index=NO_LABEL, reduction="sum")
    expected = gradients_of((token_loss(model, batch) + 0.7 * moved) / count, model)
    OneWord(model, settings).step(engine := Lone(batch.counts), batch)
    assert largest_difference(collected_gradients(model), expected) < 1e-5
    assert len(engine.shares) == 2  # the clean pass's own backward gave the perturbation too


@BOTH
def test_weights_zero_are_the_baseline_to_the_bit(kind):
    gradients = []
    for method in (ATCL(alpha=0.0, beta=0.0), ATCL().switched_off(), Finetune()):
        model, batch = ground(kind)
        method.build(model, None).step(Lone(batch.counts), batch)
        gradients.append(collected_gradients(model))
    assert largest_difference(gradients[0], gradients[2]) == largest_difference(gradients[1], gradients[2]) == 0.0


def same_states(count, settings):
    """L_cont where every state of a batch of 8 texts is the same."""
    batch = make_batch([6] * 8)
    states = torch.ones(8, 6, 4)
    output = Output(logits=torch.zeros(8, 2), features=states[:, 0], states=states)
    places = torch.zeros(8, dtype=torch.int64)
    settings = settings.model_copy(update={"negatives": count})
    return OneWord(torch.nn.Linear(1, 1), settings).contrasted(output, output, batch, places)


@pytest.mark.parametrize(("count", "value"), [(5, 1.609438), (10, 2.302585), (20, 2.995732)])
def test_equal_states_give_the_logarithm_of_the_negatives(count, value):
    term = same_states(count, ATCL())
    assert (term.mean.item(), term.count) == (pytest.approx(value, abs=1e-5), 8)
    included = same_states(count, ATCL(include_positive=True))
    assert included.mean.item() == pytest.approx(math.log(count + 1), abs=1e-5)


def test_the_bounds_of_the_loss_are_reached():
    """Positive opposite and negatives alike: 2/tau + log n; the other way round: -2/tau + log n."""
    batch = make_batch([30, 30], index=[0, 1])
    places = torch.tensor([0, -1])
    ones = torch.ones(2, 30, 4)
    objective = OneWord(torch.nn.Linear(1, 1), ATCL(negatives=20, temperature=0.07))
    outputs = [Output(torch.zeros(2, 2), states[:, 0], states) for states in (ones, -ones)]
    assert objective.contrasted(outputs[0], outputs[1], batch, places).sum.item() == pytest.approx(31.5672, abs=1e-3)
    opposite = -ones
    opposite[0, 0] = 1.0
    clean = Output(torch.zeros(2, 2), opposite[:, 0], opposite)
    assert objective.contrasted(clean, outputs[0], batch, places).sum.item() == pytest.approx(-25.5757, abs=1e-3)


def test_a_causal_model_changes_from_the_perturbed_word_on():
    model, batch = ground("lm")
    recorded = Recorded(model)
    OneWord(recorded, ATCL(radius=0.5)).step(Lone(), batch)
    clean, adversary = (output.states for output in recorded.outputs)
    places = drawn_places(batch.targets["words"], batch.key, batch.index)
    for row, place in enumerate(places.tolist()):
        end = clean.shape[1] if place < 0 else place
        assert torch.equal(clean[row, :end], adversary[row, :end])
        if place >= 0:
            assert (clean[row, place] - adversary[row, place]).abs().max() > 1e-4


@pytest.mark.parametrize("whole", [False, True])
def test_an_anchor_is_never_among_its_negatives(whole):
    batch = make_batch([4, 3, 5], index=[7, 2, 9])
    places, starts, lengths = torch.tensor([2, -1, 0]), torch.tensor([3, 0, 7]), torch.tensor([4, 3, 5])
    for epoch in range(200):
        drawn = drawn_negatives(places, starts, lengths, 12, 5, whole, make_keyed(batch, epoch))
        assert (drawn[1] == -1).all()
        for row, forbidden in ((0, range(3, 7) if whole else [5]), (2, range(7, 12) if whole else [7])):
            found = drawn[row].tolist()
            assert len(set(found)) == 5 and not set(found) & set(forbidden) and set(found) <= set(range(12))


def make_keyed(batch, epoch):
    return type(batch)(batch.index, batch.label, batch.views, (0, epoch), batch.counts)


def test_all_there_are_where_fewer_negatives_are_left_than_asked():
    batch = make_batch([2, 2], index=[0, 1])
    drawn = drawn_negatives(torch.tensor([0, 1]), torch.tensor([0, 2]), torch.tensor([2, 2]), 4, 10, True, batch)
    assert sorted(drawn[0].tolist()) == [-1] * 8 + [2, 3] and sorted(drawn[1].tolist()) == [-1] * 8 + [0, 1]
    alone = drawn_negatives(torch.tensor([0]), torch.tensor([0]), torch.tensor([1]), 1, 3, False, make_batch([1]))
    assert (alone == -1).all()


def test_negatives_are_drawn_evenly():
    batch, counts = make_batch([4, 4], index=[0, 1]), torch.zeros(8)
    for epoch in range(2000):
        keyed = make_keyed(batch, epoch)
        drawn = drawn_negatives(torch.tensor([1, 0]), torch.tensor([0, 4]), torch.tensor([4, 4]), 8, 2, False, keyed)
        counts += torch.bincount(drawn[0], minlength=8)
    assert counts[1] == 0
    expected = 4000 / 7
    statistic = float(((counts[[0, 2, 3, 4, 5, 6, 7]] - expected) ** 2 / expected).sum())
    assert statistic < 22.46  # chi-square, 6 degrees of freedom, 0.1 %


def test_the_pool_is_ordered_by_the_sequences_numbers():
    states = torch.arange(12.0).view(3, 4, 1)
    mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]]).bool()
    pool, starts = shared_pool(states, mask, torch.tensor([20, 5, 11]))
    assert pool.flatten().tolist() == [4, 5, 6, 7, 8, 0, 1]
    assert starts.tolist() == [5, 0, 4]


def test_a_batch_without_complete_words_has_a_finite_loss_and_the_baselines_gradient():
    model, batch = ground("lm")
    batch.targets["words"].zero_()
    loss = OneWord(model, ATCL()).step(Lone(batch.counts), batch)
    assert math.isfinite(loss.total().item()) and loss.terms["contrast"].sum.item() == 0.0
    plain, _ = ground("lm")
    Finetune().build(plain, None).step(Lone(batch.counts), batch)
    assert largest_difference(collected_gradients(model), collected_gradients(plain)) < 1e-7


def test_sentences_can_be_contrasted_by_their_mean_decoder_states():
    model, batch = ground("translation")
    settings = ATCL(contrast="sentence", negatives=2)
    recorded = Recorded(model)
    term = OneWord(recorded, settings).step(Lone(), batch).terms["contrast"]
    places = drawn_places(batch.targets["words"], batch.key, batch.index)
    means = []
    for output in recorded.outputs:
        real = [[place for place, label in enumerate(row) if label != NO_LABEL] for row in batch.label.tolist()]
        means.append(torch.stack([output.features[row, some].mean(dim=0) for row, some in enumerate(real)]))
    starts = torch.arange(len(batch))
    drawn = drawn_negatives(places.clamp(max=0), starts, torch.ones_like(starts), len(batch), 2, False, batch)
    expected = 0.0
    for row in (places >= 0).nonzero().flatten().tolist():
        scores = [torch.cosine_similarity(means[0][row], means[0][other], dim=0) / 0.07 for other in drawn[row]]
        match = torch.cosine_similarity(means[0][row], means[1][row], dim=0) / 0.07
        expected += (torch.stack(scores).logsumexp(0) - match).item()
    assert term.sum.item() == pytest.approx(expected, rel=1e-4)


def test_dropout_is_drawn_anew_unless_it_is_shared():
    states = {}
    for share in (False, True):
        model, batch = language_model(dropout=0.4), language_batch()
        torch.manual_seed(0)
        recorded = Recorded(model)
        OneWord(recorded, ATCL(radius=0.0, share_dropout=share)).step(Lone(), batch)
        states[share] = [output.states for output in recorded.outputs]
    assert torch.equal(*states[True])
    assert not torch.equal(*states[False])
