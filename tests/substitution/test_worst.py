"""Oracle 3 of worst_words, and how words are exchanged: the worst, as many as asked for, out of the original's list."""

from functools import partial
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from exchange_ground import NAMES, NEAR, learnt_model, row_of
from support import LinearModel
from support_text import WORDS, piece_tokenizer
from tiny import GOOD, reviews

from unfooled.models.encoders.pretrained import TextModel
from unfooled.substitution.gains import gains
from unfooled.substitution.reading import WordReader, texts_of
from unfooled.substitution.sources import Candidates
from unfooled.substitution.worst import (
    WordRow,
    blind,
    changed,
    chosen,
    last_alone,
    original_row,
    random_start,
    without_shared,
    worst,
)
from unfooled.text.document import read
from unfooled.types import Tokens

WHOLE = [word for word in WORDS if not word.startswith("##") and word != "the"]  # of one piece each
LISTS = {word: tuple(WHOLE[(place + step) % len(WHOLE)] for step in (1, 2, 4)) for place, word in enumerate(WHOLE)}
READER = WordReader(piece_tokenizer(), 32)


def losses(model: LinearModel, tokens: Tokens, labels: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(model(tokens).logits, labels, reduction="none")


def gradient_of(model: torch.nn.Module, tokens: Tokens, labels: torch.Tensor, width: int) -> torch.Tensor:
    delta = torch.zeros(*tokens.ids.shape, width, requires_grad=True)
    loss = F.cross_entropy(model(tokens, delta).logits, labels, reduction="sum")
    return torch.autograd.grad(loss, delta)[0]


@pytest.mark.parametrize("seed", range(5))
def test_oracle_on_a_linear_model_it_is_the_exact_worst_case(seed: int) -> None:
    model = LinearModel(seed=seed)
    model.lookup = torch.nn.Embedding(len(piece_tokenizer()), 4)
    torch.nn.init.normal_(model.lookup.weight, generator=torch.Generator().manual_seed(seed))
    rows = [row_of(("The film was good",), LISTS), row_of(("a warm and bright plot",), LISTS)]
    labels = torch.tensor([1, 0])
    located = READER.located([row.documents for row in rows])
    gradient = gradient_of(model, located.tokens, labels, 4)
    found = worst(rows, located, partial(gains, gradient, located.tokens.ids, model.lookup.weight.detach()), READER)
    for row, own, label in zip(rows, found, labels, strict=True):
        [document], [lists] = row.original, row.candidates
        options = [(word, *some) for word, some in zip(document.words, lists, strict=True)]
        every = [(document.replace(dict(enumerate(words))),) for words in product(*options)]
        assert len(every) >= 64
        with torch.no_grad():
            values = losses(model, READER.located(every).tokens, label.repeat(len(every)))
        assert own.documents[0].text == every[int(values.argmax())][0].text
        assert own.changes


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return learnt_model(tmp_path_factory.mktemp("learnt"))


def test_worst_exchanges_raise_the_loss_more_than_random_ones(learnt: TextModel) -> None:
    network, reader = learnt.classifier.eval(), WordReader(learnt.tokenizer, 32)
    kept = {word: tuple(other for other in near if (other in GOOD) == (word in GOOD)) for word, near in NEAR.items()}
    texts = reviews(40, seed=7)
    rows = [row_of((text,), kept, 0.5) for text, _ in texts]
    labels = torch.tensor([NAMES.index(label) for _, label in texts])
    located = reader.located([row.documents for row in rows])
    gradient = gradient_of(network, located.tokens, labels, network.width)

    def mean_loss(some: list[WordRow]) -> float:
        tokens = reader.located([row.documents for row in some]).tokens
        with torch.no_grad():
            return float(F.cross_entropy(network(tokens).logits, labels))

    found = mean_loss(worst(rows, located, partial(gains, gradient, located.tokens.ids, network.table), reader))
    drawn = [
        mean_loss([blind(row, np.random.default_rng([seed, place])) for place, row in enumerate(rows)])
        for seed in range(5)
    ]
    assert found > max(drawn) + 0.05 and found > mean_loss(rows) + 0.1


def test_as_many_words_as_the_share_asks_for_and_those_of_the_largest_gains() -> None:
    row = row_of(("film was good and warm",), LISTS)
    gains = [0.3, -0.1, 0.5, 0.2, 0.0]
    best = [(gain, (0, place), "plot") for place, gain in enumerate(gains)]
    for share, places in ((0.0, []), (0.1, [2]), (0.4, [0, 2]), (1.0, [0, 2, 3])):  # without a gain nothing is gained
        found = chosen(WordRow(row.original, row.candidates, {}, share), best)
        assert sorted(place for _, place in found.changes) == places


def test_a_word_may_go_back_to_the_original_and_no_further_than_its_list() -> None:
    row = WordRow((read("film was"),), ([("plot",), ()],), {(0, 0): "plot"}, 1.0)
    located = READER.located([row.documents])
    table = torch.zeros(len(piece_tokenizer()), 1)
    table[READER.pieces(["film"])[0][0]] = 1.0  # the original alone raises the loss
    [found] = worst(
        [row], located, partial(gains, torch.ones(*located.tokens.ids.shape, 1), located.tokens.ids, table), READER
    )
    assert found.changes == {} and texts_of(found.documents) == ("film was",)


def test_exchanged_words_that_are_not_among_the_worst_stay() -> None:
    row = WordRow((read("film was good"),), ([("plot",), (), ("warm",)],), {(0, 0): "plot"}, 0.4)
    found = chosen(row, [(0.1, (0, 0), "film"), (0.9, (0, 2), "warm")])
    assert texts_of(found.documents) == ("plot was warm",)


def test_every_token_of_a_replaced_text_decodes_to_the_changed_document() -> None:
    """Several pieces for one and one for several; the first word; casing; both texts of a pair; a cut text."""
    lists = {"film": ("zebras", "plot"), "brightest": ("good",), "was": ("Was",)}
    for texts in (("Film was brightest film",), ("the film", "brightest was"), ("film " * 30,)):
        row = row_of(texts, lists)
        for seed in range(5):
            moved = random_start(row, 1.0, np.random.default_rng(seed))
            located = READER.located([moved.documents])
            for document, places in zip(moved.documents, located.places[0], strict=True):
                for word, (first, last) in zip(document.words, places, strict=True):
                    ids = located.tokens.ids[0, first:last].tolist()
                    assert (
                        first == last or READER.tokenizer.decode(ids).replace(" ", "").replace("##", "") == word.lower()
                    )


def test_a_start_is_a_share_of_the_able_words_drawn() -> None:
    row = row_of(("the film was good and a warm plot",), {"film": ("a", "b"), "good": ("c",), "warm": ("d", "e")})
    assert random_start(row, 0.1, np.random.default_rng(0)) == row  # round(.3) = 0
    seen = set()
    for seed in range(40):
        found = random_start(row, 0.67, np.random.default_rng(seed))
        assert len(found.changes) == 2
        for (column, place), word in found.changes.items():
            assert word in row.candidates[column][place]
            seen.add(word)
    assert seen == set("abcde")


def test_the_control_exchanges_as_many_as_may_be_blindly() -> None:
    row = row_of(("the film was good",), {"film": ("a",), "good": ("c",)}, share=0.1)
    assert len(blind(row, np.random.default_rng(0)).changes) == 1  # one at least, as of the worst
    assert blind(row_of(("good",), LISTS, 0.0), np.random.default_rng(0)).changes == {}
    assert blind(row_of(("the",), LISTS), np.random.default_rng(0)).changes == {}
    begun = WordRow(row.original, row.candidates, {(0, 1): "a"}, 1.0)
    assert set(blind(begun, np.random.default_rng(0)).changes) == {(0, 1), (0, 3)}


def test_words_that_both_texts_of_a_pair_have_stay() -> None:
    documents = (read("The Film was good"), read("a film, warm"))
    lists = tuple([("x",)] * len(document) for document in documents)
    assert [[bool(own) for own in some] for some in without_shared(documents, lists)] == [
        [True, False, True, True],
        [True, False, True],
    ]
    assert without_shared(documents[:1], lists[:1]) == lists[:1]
    [one, other] = without_shared((read(""), read("a film")), ([], [("x",), ("y",)]))
    assert one == [] and other == [("x",), ("y",)]  # an empty side has no word in common


def test_the_last_text_of_a_pair_alone_can_have_candidates() -> None:
    one, other = [("x",), ("y",)], [("z",)]
    assert last_alone((one, other)) == ([(), ()], other)
    assert last_alone((one,)) == (one,)  # a single text is the last one
    candidates, random = Candidates.of(["mask"], "[MASK]"), np.random.default_rng(0)
    whole, of_last = (
        original_row(("A dark film", "A good plot"), candidates, ["mask"], 1.0, random, last) for last in (False, True)
    )
    assert {column for column, _ in whole.able} == {0, 1} and {column for column, _ in of_last.able} == {1}


def test_an_original_row_is_unchanged_and_has_the_lists_of_its_sources() -> None:
    candidates = Candidates.of(["mask"], "[MASK]")
    row = original_row(("A good film", "the film"), candidates, ["mask"], 0.5, np.random.default_rng(0))
    assert row.able == [(0, 1)] and row.share == 0.5 and texts_of(row.documents) == ("A good film", "the film")
    assert changed(row.original, {(0, 1): "[MASK]"})[0].text == "A [MASK] film"


def test_a_text_none_of_whose_words_has_a_candidate_stays() -> None:
    row = row_of(("zzz the of",), LISTS)
    located = READER.located([row.documents])
    gradient = torch.ones(*located.tokens.ids.shape, 1)
    assert worst(
        [row], located, partial(gains, gradient, located.tokens.ids, torch.ones(len(piece_tokenizer()), 1)), READER
    ) == [row]


def test_candidates_that_are_nothing_or_too_long_to_the_tokenizer_are_passed_over() -> None:
    reader = WordReader(piece_tokenizer(), 8)
    row = row_of(("good film",), {"film": ("brightbrightbright", "\u200d", "plot")})
    located = reader.located([row.documents])
    table = torch.full((len(piece_tokenizer()), 1), 3.0)
    for word, value in (("film", 1.0), ("plot", 2.0)):
        table[reader.pieces([word])[0][0]] = value
    [found] = worst(
        [row], located, partial(gains, torch.ones(*located.tokens.ids.shape, 1), located.tokens.ids, table), reader
    )
    assert texts_of(found.documents) == ("good plot",)
    assert len(reader.pieces(["brightbrightbright"])[0]) > 8 and reader.pieces(["\u200d"]) == [()]


def test_a_gain_that_is_but_rounding_exchanges_nothing() -> None:
    """A word and a candidate that are read alike gain 0 but for the order of sums, which processes differ in."""
    row = WordRow((read("fine film"),), ([("nice",), ("movie",)],), {}, 1.0)
    best = [(1.0, (0, 0), "nice"), (1e-8, (0, 1), "movie")]
    assert chosen(row, best).changes == {(0, 0): "nice"}
    assert chosen(row, [(1.0, (0, 0), "nice"), (1e-3, (0, 1), "movie")]).changes == {(0, 0): "nice", (0, 1): "movie"}
