from unfooled.text.document import read
from unfooled.text.triples import triple_of, triples

TEXTS = ["An easy film about a quick man.", "The", "She liked the early movie.", ("a premise", "A happy child.")]


def test_one_word_differs_in_each_version() -> None:
    for triple in triples(TEXTS):
        before = read(triple.original).words
        for version in (triple.synonym, triple.antonym):
            after = read(version).words
            differing = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
            words = [pair for pair in differing if {part.lower() for part in pair} != {"a", "an"}]
            assert len(words) == 1


def test_texts_without_words_to_replace_have_none_and_pairs_give_their_last() -> None:
    found = triples(TEXTS)
    assert [triple.index for triple in found] == [0, 2, 3]
    assert found[-1].original == "A happy child."


def test_the_same_word_is_replaced_where_one_has_both() -> None:
    triple = triple_of(0, "An easy film.")
    assert triple is not None
    both = triple_of(0, "An early thing.", 1)
    assert both is None or both.synonym != both.antonym
    hot = triple_of(0, "It was large.")
    assert hot is not None and hot.synonym == "It was big." and hot.antonym == "It was small."


def test_triples_are_a_function_of_seed_and_place() -> None:
    text = "A large, early, happy, easy, quick man liked a big film."
    assert triples([text] * 3, 5) == triples([text] * 3, 5)
    assert len({triple.antonym for triple in triples([text] * 30, 5)}) > 1
    assert triples([text] * 30, 5) != triples([text] * 30, 6)
