from toys import SYNONYMS, Bag, attacked, constant, exhaustive, hypersensitive, labelled, sentences

from unfooled.attacks import PWWS, RandomWords


def test_it_replaces_until_the_label_changes_and_no_word_twice() -> None:
    [held] = attacked(RandomWords(), constant, ["good film the story good"], [1])
    assert held.outcome == "held" and held.asked == 1 + 4
    [fooled] = attacked(RandomWords(), hypersensitive("good film the story"), ["good film the story"], [1])
    assert fooled.asked == 2 and len(fooled.changes) == 1
    assert fooled.changes[0].new in SYNONYMS[fooled.changes[0].old]


def test_the_draw_depends_on_seed_and_example_alone() -> None:
    texts = sentences(30, seed=1)
    labels = labelled(Bag(), texts)
    runs = [attacked(RandomWords(), Bag(), texts, labels, seed=seed) for seed in (3, 3, 4)]
    assert runs[0] == runs[1] != runs[2]
    text = "good film great story fine"
    same = attacked(RandomWords(), hypersensitive(text), [text] * 10, [1] * 10)
    assert len({record.adversary for record in same}) > 3


def test_it_is_the_floor() -> None:
    texts = sentences(200, seed=5, longest=7)
    labels = labelled(Bag(), texts)
    fooled = {
        attack: sum(record.outcome == "fooled" for record in attacked(attack, Bag(), texts, labels))
        for attack in (RandomWords(), PWWS())
    }
    best = sum(exhaustive(Bag(), text, label) for text, label in zip(texts, labels, strict=True))
    assert 0 < fooled[RandomWords()] < fooled[PWWS()] <= best
