"""Every attack beside an oracle that tries all it could ever write: where the oracle fails, so does the attack."""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tiny import BAD, GOOD, OTHER
from toys import attacked
from trained import NEAR, all_parts, sentences, trained, two

from unfooled.attacks import ATTACKS, Limits
from unfooled.attacks.deepwordbug import EDITS, misspelt
from unfooled.models import TextModel
from unfooled.text.document import Document, read
from unfooled.victims import open_victim

SEED, TEXTS = 0, 30


def short(count: int) -> tuple[list[str], list[int]]:
    """Sentences of two to four words and whether good words outweigh bad ones."""
    random = np.random.default_rng(5)
    words = [*GOOD, *BAD, *OTHER]
    texts = [" ".join(random.choice(words, random.integers(2, 5))) for _ in range(count)]
    return texts, [int(sum((word in GOOD) - (word in BAD) for word in text.split()) > 0) for text in texts]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> TextModel:
    return trained(tmp_path_factory.mktemp("oracle"), ("a", "b"), *two(*sentences(120, 0)))


def listed(document: Document, index: int) -> list[tuple[str, ...]]:
    """What the lists of substitutes allow at each place."""
    return [(word, *NEAR.get(word.lower(), ())) for word in document.words]


def letters(document: Document, index: int) -> list[tuple[str, ...]]:
    """What an attack by wrong letters may write at each place."""
    made = [
        [bug for kind in EDITS for bug, _ in misspelt(word, kind, (SEED, index), place)] if len(word) > 2 else []
        for place, word in enumerate(document.words)
    ]
    return [(word, *dict.fromkeys(own)) for word, own in zip(document.words, made, strict=True)]


SPACES = {"deepwordbug": letters}  # of the others it is their lists


def fooled_by_anything(
    model: TextModel, texts: Sequence[str], labels: Sequence[int], space: Callable[..., list[tuple[str, ...]]]
) -> tuple[list[bool], int]:
    """Whether any combination at all changes the answer of each text, and how many there were."""
    able, tried = [], 0
    victim = open_victim(model)
    for index, (text, label) in enumerate(zip(texts, labels, strict=True)):
        document = read(text)
        ways = [str(document.replace(dict(enumerate(words)))) for words in itertools.product(*space(document, index))]
        answers = np.concatenate(
            [victim.answer([(one,) for one in ways[at : at + 512]]) for at in range(0, len(ways), 512)]
        )
        able.append(bool((answers.argmax(axis=1) != label).any()))
        tried += len(ways)
    return able, tried


def answered_rightly(model: TextModel, count: int) -> tuple[list[str], list[int]]:
    """Short texts that the model gets right, and their labels."""
    texts, labels = short(count)
    answers = open_victim(model).answer([(text,) for text in texts]).argmax(axis=1)
    kept = [place for place, answer in enumerate(answers) if answer == labels[place]]
    return [texts[place] for place in kept], [labels[place] for place in kept]


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_fools_where_nothing_it_may_write_does(
    name: str, model: TextModel, record_property: Callable[[str, object], None]
) -> None:
    texts, labels = answered_rightly(model, TEXTS)
    limits, space = Limits(in_flight=16, batch_size=64), SPACES.get(name, listed)
    records = attacked(ATTACKS[name](), model, texts, labels, parts=all_parts(), limits=limits, seed=SEED)
    able, tried = fooled_by_anything(model, texts, labels, space)
    fooled = [record for record in records if record.outcome == "fooled"]
    record_property("texts", len(texts))
    record_property("combinations", tried)
    record_property("smallest share of the oracle's successes", round(len(fooled) / sum(able), 3))
    assert "error" not in {record.outcome for record in records}
    assert not [record.texts for record in fooled if not able[record.index]]
    assert 0 < len(fooled) <= sum(able) < len(able)
    # What is said to fool does, and is one of the combinations.
    answers = open_victim(model).answer([record.adversary for record in fooled]).argmax(axis=1)
    assert all(answer != record.label for answer, record in zip(answers, fooled, strict=True))
    for record in fooled:
        choices = space(read(record.texts[0]), record.index)
        assert record.changes and all(change.new in choices[change.place] for change in record.changes)
