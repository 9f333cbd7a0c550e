"""Versions of texts whose right answer stays right, and what models say of them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import ValidationError
from trial_ground import run_of

from unfooled.errors import BadInput
from unfooled.heads import HEADS
from unfooled.tasks import TASKS
from unfooled.tasks.task import Task
from unfooled.text.protected import words_in
from unfooled.trials import TRIALS, require_trial, trial_for
from unfooled.trials.answers import (
    ANSWERS,
    ANSWERS_TO_VERSIONS,
    CHUNK,
    TextVersion,
    VersionTrialSettings,
    as_they_are,
    versions,
)
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import NoSettings
from unfooled.victims.victim import Victim

CONTEXT = (
    "In 1987 the film was made in London by John Miller and 25 small actors. It isn't the movie that Miller's friends "
    "liked. John sold the movie to 40 buyers in Ohio."
)
QUESTION = "Who isn't fond of the film that John made in London with 25 actors?"
ANSWERS_THERE = tuple((CONTEXT.index(text), text) for text in ("John Miller and 25 small actors", "John Miller"))
SPANS = Inputs([(QUESTION, CONTEXT)], [ANSWERS_THERE], {}, ("start", "end"), task="span")
DIALOGUE = "Speaker 1: Monica's brother isn't at home, John.\nSpeaker 2: The small film is in London, I am sure."
SETS = Inputs([(DIALOGUE, "Monica; film")], [(0, 2)], {}, ("friend", "boss", "kin"), task="multilabel")
NUMBERS = Inputs(
    [("John has 25 small films.", "John has 25 little films.")] * 3, [4.0, 3.5, 1.0], {}, task="regression"
)


def test_models_whose_answer_is_no_class_go_through_what_asks_text_by_text() -> None:
    for task in set(HEADS) - {"classification"}:
        assert trial_for("clean", task) is ANSWERS and trial_for("invariance", task) is ANSWERS_TO_VERSIONS
    assert [name for name in TRIALS if trial_for(name, "regression")] == ["clean", "invariance"]
    with pytest.raises(BadInput, match="pgd is no trial of a model of numbers, which goes through clean, invariance"):
        require_trial("pgd", "regression")


def test_texts_as_they_are_are_all_of_them_with_what_is_right() -> None:
    assert as_they_are(SETS, NoSettings(), 0) == [TextVersion(0, None, SETS.texts[0], ("friend", "kin"))]
    assert [one.right for one in as_they_are(NUMBERS, NoSettings(), 0)] == [4.0, 3.5, 1.0]
    (one,) = as_they_are(SPANS, NoSettings(), 0)
    assert one.right == ("John Miller and 25 small actors", "John Miller")


def test_right_answers_stay_in_their_context_and_the_rest_may_change() -> None:
    found = versions(SPANS, VersionTrialSettings(), 0)
    assert found[0] == TextVersion(0, None, (QUESTION, CONTEXT), ("John Miller and 25 small actors", "John Miller"))
    changes = {one.change: one.texts for one in found[1:]}
    assert set(changes) == {"synonyms", "typos", "contractions", "places", "numbers", "punctuation"}
    for question, context in changes.values():
        assert all(text in context for _, text in ANSWERS_THERE) and (question, context) != (QUESTION, CONTEXT)
        assert context.count("John") == 2 and context.count("Miller") == 2 and "25" in question and "actors" in question
    question, context = changes["places"]
    city = context.split("made in ")[1].split(" by ")[0]
    assert (
        city != "London" and f"in {city} with" in question and "Ohio" in context
    )  # in both alike; no city, no country
    question, context = changes["numbers"]
    assert "1987" not in context and "40" not in context and question == QUESTION
    assert (
        changes["contractions"][0].startswith("Who is not fond") and "It is not the movie" in changes["contractions"][1]
    )


def test_stop_words_and_marks_of_an_answer_stay_where_the_answer_stands() -> None:
    context = "The film isn't here. It isn't there."
    label = ((context.index("It"), "It isn't there."),)
    inputs = Inputs([("Who isn't there?", context)], [label], {}, ("start", "end"), task="span")
    changes = {one.change: one.texts for one in versions(inputs, VersionTrialSettings(), 0)}
    assert changes["contractions"] == ("Who is not there?", "The film is not here. It isn't there.")
    assert all(one[1].find("It isn't there.") > 0 for one in changes.values()) and len(changes) > 3


def test_without_an_answer_in_the_way_names_change_too() -> None:
    start = CONTEXT.index("40 buyers")
    free = Inputs(SPANS.texts, [((start, "40 buyers"),)], {}, ("start", "end"), task="span")
    changes = {one.change: one.texts for one in versions(free, VersionTrialSettings(), 0)}
    assert "John" not in "".join(changes["names"]) and "40 buyers" in changes["numbers"][1]


def test_the_pair_that_is_asked_for_stays_and_so_do_speakers() -> None:
    changes = {one.change: one.texts for one in versions(SETS, VersionTrialSettings(), 0)}
    assert {"synonyms", "typos", "contractions", "names", "places", "punctuation"} <= set(changes)
    for dialogue, pair in changes.values():
        assert pair == "Monica; film" and "Monica's" in dialogue and "film" in dialogue
        assert dialogue.startswith("Speaker 1: ") and "\nSpeaker 2: " in dialogue
    assert "John" not in changes["names"][0] and "London" not in changes["places"][0]
    assert TASKS["multilabel"].stays(("A film: good",), ()) == [[]]


def test_names_and_numbers_of_a_pair_with_a_number_change_alike() -> None:
    found = versions(NUMBERS, VersionTrialSettings(kinds=("names", "numbers"), most=2), 0)
    assert [one.change for one in found].count(None) == 2
    for one in found[2:]:
        first, second = (words_in(text) for text in one.texts)
        assert len(first ^ second) == 2 and one.right == NUMBERS.labels[one.original]  # small and little alone


def test_only_changes_that_keep_what_is_right_are_taken() -> None:
    for kind in ("neutral", "negation", "antonyms", "typo"):
        with pytest.raises(ValidationError):
            VersionTrialSettings(kinds=(kind,))
    bare = Inputs([("什么",)], [1.0], {}, task="regression")
    with pytest.raises(BadInput, match="no version can be made of these texts"):
        versions(bare, VersionTrialSettings(kinds=("synonyms",)), 0)


def test_answers_come_in_chunks_that_a_resumed_trial_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[tuple[str, ...]]] = []

    def say(task: Task, model: object, texts: Sequence[tuple[str, ...]], batch_size: int) -> list[float]:
        asked.append(list(texts))
        return [float(len(text[0])) for text in texts]

    monkeypatch.setattr(Task, "says", say)
    units = [TextVersion(row, None, ("x" * row,), 1.0) for row in range(CHUNK + 20)]
    run = run_of(Victim("m", len, task="regression", network=object()), units, NoSettings(), task="regression")
    whole = list(ANSWERS.run(run, frozenset()))
    assert [one.said for one in whole] == list(range(CHUNK + 20)) and [len(some) for some in asked] == [CHUNK, 20]
    assert {one.task for one in whole} == {"regression"} and whole[3].texts == ("xxx",)
    asked.clear()
    rest = list(ANSWERS.run(run, frozenset(range(CHUNK + 5))))
    assert rest == whole[CHUNK + 5 :] and [len(some) for some in asked] == [20]


def test_versions_are_of_at_most_so_many_texts() -> None:
    many = replace(NUMBERS, texts=NUMBERS.texts * 3, labels=[*NUMBERS.labels] * 3)
    found = versions(many, VersionTrialSettings(kinds=("numbers",), most=4), 0)
    kept = [one.original for one in found if one.change is None]
    assert kept == many.drawn(4, 0) and {one.original for one in found} == set(kept)
