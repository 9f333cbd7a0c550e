from unfooled.text.english.templates import BAD, DISLIKE, GOOD, LIKE, templates_for


def truth(text: str) -> str:
    """Who says what, read off the words: the last word of opinion counts, and a not before it turns it over."""
    words = text.lower().replace(".", "").replace(",", "").split()
    last = max(place for place, word in enumerate(words) if word in {*GOOD, *BAD, *LIKE, *DISLIKE})
    good = words[last] in {*GOOD, *LIKE}
    return "positive" if good != (words[last - 1] == "not") else "negative"


def test_every_sentence_has_the_label_its_words_say() -> None:
    found = templates_for(("negative", "positive"), 1)
    assert len(found) > 300
    for sentence in found:
        assert truth(sentence.texts[0]) in sentence.labels, sentence


def test_both_answers_are_asked_for_equally_often() -> None:
    found = templates_for(("negative", "positive"), 1)
    positive = sum("positive" in sentence.labels for sentence in found)
    assert positive == sum("negative" in sentence.labels for sentence in found)


def test_premises_entail_themselves_and_contradict_their_denial() -> None:
    found = templates_for(("contradiction", "entailment", "neutral"), 2)
    for sentence in found:
        denied = " not " in sentence.texts[1]
        assert sentence.labels == (("contradiction",) if denied else ("entailment",))
    assert {len(sentence.texts) for sentence in found} == {2}


def test_other_tasks_have_no_templates() -> None:
    assert templates_for(("negative", "positive"), 2) == templates_for(("sport", "world"), 1) == []
