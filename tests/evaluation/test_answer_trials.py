"""Versions of texts whose right answer stays right, and what models say of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from unfooled.errors import BadInput
from unfooled.evaluation import answer_trials
from unfooled.evaluation.answer_trials import (
    ANSWER_TRIALS,
    CHUNK,
    NoSettings,
    Version,
    VersionSettings,
    as_they_are,
    refuse_trial,
    run_answers,
    staying,
    trials_of,
    versions,
)
from unfooled.evaluation.material import Material, Source
from unfooled.evaluation.measures import ANSWERS, measure_of
from unfooled.evaluation.trial_table import TRIALS, Work
from unfooled.models.encoders.problems import PROBLEMS
from unfooled.text.protected import words_in

SOURCES = {"data": Source("x", "y")}
CONTEXT = (
    "In 1987 the film was made in London by John Miller and 25 small actors. It isn't the movie that Miller's friends "
    "liked. John sold the movie to 40 buyers in Ohio."
)
QUESTION = "Who isn't fond of the film that John made in London with 25 actors?"
ANSWERS_THERE = tuple((CONTEXT.index(text), text) for text in ("John Miller and 25 small actors", "John Miller"))
SPANS = Material([(QUESTION, CONTEXT)], [ANSWERS_THERE], SOURCES, ("start", "end"), problem="span")
DIALOGUE = "Speaker 1: Monica's brother isn't at home, John.\nSpeaker 2: The small film is in London, I am sure."
SETS = Material([(DIALOGUE, "Monica; film")], [(0, 2)], SOURCES, ("friend", "boss", "kin"), problem="set")
NUMBERS = Material(
    [("John has 25 small films.", "John has 25 little films.")] * 3, [4.0, 3.5, 1.0], SOURCES, problem="number"
)


def test_the_table_is_part_of_the_classifiers_and_every_problem_has_measures() -> None:
    assert set(ANSWER_TRIALS) <= set(TRIALS) and trials_of("class") is TRIALS
    assert {"class", *ANSWERS} == set(PROBLEMS)
    for problem in ANSWERS:
        assert set(ANSWERS[problem]) == set(trials_of(problem))
    with pytest.raises(BadInput, match="a trial called pwws of a number, which this unfooled does not know"):
        measure_of("pwws", "number")
    with pytest.raises(BadInput, match="pgd is a trial of classifiers; a model of numbers goes through clean and inva"):
        refuse_trial("pgd", "number")


def test_texts_as_they_are_are_all_of_them_with_what_is_right() -> None:
    assert as_they_are(SETS, NoSettings(), 0) == [Version(0, None, SETS.texts[0], ("friend", "kin"))]
    assert [one.right for one in as_they_are(NUMBERS, NoSettings(), 0)] == [4.0, 3.5, 1.0]
    (one,) = as_they_are(SPANS, NoSettings(), 0)
    assert one.right == ("John Miller and 25 small actors", "John Miller")


def test_right_answers_stay_in_their_context_and_the_rest_may_change() -> None:
    found = versions(SPANS, VersionSettings(), 0)
    assert found[0] == Version(0, None, (QUESTION, CONTEXT), ("John Miller and 25 small actors", "John Miller"))
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
    material = Material([("Who isn't there?", context)], [label], SOURCES, ("start", "end"), problem="span")
    changes = {one.change: one.texts for one in versions(material, VersionSettings(), 0)}
    assert changes["contractions"] == ("Who is not there?", "The film is not here. It isn't there.")
    assert all(one[1].find("It isn't there.") > 0 for one in changes.values()) and len(changes) > 3


def test_without_an_answer_in_the_way_names_change_too() -> None:
    start = CONTEXT.index("40 buyers")
    free = Material(SPANS.texts, [((start, "40 buyers"),)], SOURCES, ("start", "end"), problem="span")
    changes = {one.change: one.texts for one in versions(free, VersionSettings(), 0)}
    assert "John" not in "".join(changes["names"]) and "40 buyers" in changes["numbers"][1]


def test_the_pair_that_is_asked_for_stays_and_so_do_speakers() -> None:
    changes = {one.change: one.texts for one in versions(SETS, VersionSettings(), 0)}
    assert {"synonyms", "typos", "contractions", "names", "places", "punctuation"} <= set(changes)
    for dialogue, pair in changes.values():
        assert pair == "Monica; film" and "Monica's" in dialogue and "film" in dialogue
        assert dialogue.startswith("Speaker 1: ") and "\nSpeaker 2: " in dialogue
    assert "John" not in changes["names"][0] and "London" not in changes["places"][0]
    assert staying("set", ("A film: good",), ()) == [[]]


def test_names_and_numbers_of_a_pair_with_a_number_change_alike() -> None:
    found = versions(NUMBERS, VersionSettings(kinds=("names", "numbers"), most=2), 0)
    assert [one.change for one in found].count(None) == 2
    for one in found[2:]:
        first, second = (words_in(text) for text in one.texts)
        assert len(first ^ second) == 2 and one.right == NUMBERS.labels[one.original]  # small and little alone


def test_only_changes_that_keep_what_is_right_are_taken() -> None:
    for kind in ("neutral", "negation", "antonyms", "typo"):
        with pytest.raises(ValidationError):
            VersionSettings(kinds=(kind,))
    bare = Material([("什么",)], [1.0], SOURCES, problem="number")
    with pytest.raises(BadInput, match="no version can be made of these texts"):
        versions(bare, VersionSettings(kinds=("synonyms",)), 0)


class Model:
    problem = "number"


class Subject:
    network = Model()


def test_answers_come_in_chunks_that_a_resumed_trial_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[tuple[str, ...]]] = []

    def say(model: object, texts: Sequence[tuple[str, ...]], batch_size: int) -> list[float]:
        asked.append(list(texts))
        return [float(len(text[0])) for text in texts]

    monkeypatch.setitem(answer_trials.SAYING, "number", say)
    units = [Version(row, None, ("x" * row,), 1.0) for row in range(CHUNK + 20)]
    work: Any = Work(Subject(), units, None, 0, 8)  # type: ignore[arg-type]
    whole = list(run_answers(work, frozenset()))
    assert [one.said for one in whole] == list(range(CHUNK + 20)) and [len(some) for some in asked] == [CHUNK, 20]
    asked.clear()
    rest = list(run_answers(work, frozenset(range(CHUNK + 5))))
    assert rest == whole[CHUNK + 5 :] and [len(some) for some in asked] == [20]


def test_a_number_that_is_none_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(answer_trials, "numbers", lambda *_: np.array([1.0, np.nan]))
    model: Any = type("Model", (), {"name": "broken"})
    with pytest.raises(BadInput, match="broken answers some of the texts with no finite number"):
        answer_trials.said_numbers(model, [("a",), ("b",)], 8)
