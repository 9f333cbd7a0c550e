"""Originals and versions are scored apart, each part of versions beside its own originals."""

from collections.abc import Sequence

import pytest
from scipy import stats
from trial_ground import by_part

from unfooled.results.log import reader_of
from unfooled.scores.score import Score
from unfooled.text.changes import KEEPING
from unfooled.trials import require_trial
from unfooled.trials.answers import ANSWERS, ANSWERS_TO_VERSIONS, CHANGES, AnswerRecord, parts

RIGHT = [1.0, 2.0, 3.0, 4.0, 5.0]
SAID = {
    None: [1.1, 2.3, 2.9, 4.4, 4.8],
    "synonyms": [1.5, 2.2, None, 3.0, 4.1],
    "typos": [0.5, None, 3.5, 3.9, 4.9],
    "names": [None, 2.5, None, 5.0, 1.0],
}


def records() -> list[AnswerRecord]:
    found = []
    for change, answers in SAID.items():
        for original, said in enumerate(answers):
            if said is not None:
                own = RIGHT[original], said, "regression"
                found.append(AnswerRecord(len(found), original, change, ("a", "b"), *own))
    return found


def scored(some: Sequence[AnswerRecord]) -> dict[str, Score]:
    """The scores of texts as they are."""
    return {row.metric: row.score for row in ANSWERS.scores(some)}


def test_the_changes_are_those_that_texts_know() -> None:
    assert set(CHANGES) <= set(KEEPING)


def test_texts_as_they_are_have_no_parts() -> None:
    own = [one for one in records() if one.change is None]
    (part,) = parts(own)
    assert part.name is None and list(part.records) == own
    assert scored(own)["squared_error"].definition == "mean squared difference of answers and labels"


def test_versions_stand_beside_their_originals() -> None:
    found = {part.name: part for part in parts(records())}
    assert list(found) == [
        "original", "synonyms", "before synonyms", "checklist", "before checklist", "typos", "before typos", "names",
        "before names",
    ]  # fmt: skip
    assert [one.said for one in found["before synonyms"].records] == [1.1, 2.3, 4.4, 4.8]
    assert [one.original for one in found["before checklist"].records] == [0, 2, 3, 4, 1, 3, 4]
    assert {part.name for part in found.values() if part.detail} == {"typos", "before typos", "names", "before names"}


def test_every_part_has_the_tasks_own_scores() -> None:
    measured = by_part(ANSWERS_TO_VERSIONS.scores(records()))
    names = ("pearson", "spearman", "squared_error")
    assert {metric for metric, _ in measured} == set(names) and len(measured) == 3 * 9
    synonyms = [(1.0, 1.5), (2.0, 2.2), (4.0, 3.0), (5.0, 4.1)]
    assert measured["pearson", "synonyms"].score.value == pytest.approx(stats.pearsonr(*zip(*synonyms, strict=True))[0])
    before = [(1.0, 1.1), (2.0, 2.3), (4.0, 4.4), (5.0, 4.8)]
    score = measured["spearman", "before synonyms"].score
    assert score.value == pytest.approx(stats.spearmanr(*zip(*before, strict=True))[0]) and score.n == 4
    both = [(1, 0.5), (3, 3.5), (4, 3.9), (5, 4.9), (2, 2.5), (4, 5), (5, 1)]
    score = measured["squared_error", "checklist"].score
    assert score.value == pytest.approx(sum((one - two) ** 2 for one, two in both) / 7) and score.n == 7
    assert "bootstrap draws over original texts; of versions by typos, names" in score.definition
    assert "bootstrap" not in measured["squared_error", "typos"].score.definition
    for one in measured.values():
        assert one.score.low <= one.score.value <= one.score.high and one.score.definition and one.score.title
        assert one.score.better == ("less" if one.metric == "squared_error" else "more")


SET = AnswerRecord(0, 0, None, ("a",), ("good", "unanswerable"), ("good",), "multilabel")
SPAN = AnswerRecord(0, 0, None, ("who?", "The navy."), ("navy", "the navy"), "navy", "span")
NUMBER = AnswerRecord(0, 0, "typos", ("a",), 3.0, -1.5, "regression")


@pytest.mark.parametrize("record", [NUMBER, SET, SPAN], ids=lambda record: record.task)
def test_records_come_back_from_json_as_they_were(record: AnswerRecord) -> None:
    for trial, form in (("clean", ANSWERS), ("invariance", ANSWERS_TO_VERSIONS)):
        assert require_trial(trial, record.task) is form
        reader = reader_of(form.record)
        assert reader.validate_json(reader.dump_json(record)) == record


def test_sets_and_answers_are_scored_by_name() -> None:
    other = AnswerRecord(1, 1, None, ("b",), (), ("bad",), "multilabel")
    found = scored([SET, other])
    assert found["f1"].value == pytest.approx(2 / 3) and "but unanswerable" in found["f1"].definition
    assert found["exact_match"].value == 0
    nothing = AnswerRecord(0, 0, None, ("b",), (), (), "multilabel")
    assert scored([nothing])["exact_match"].value == 1  # and no class to count
    assert scored([SPAN])["f1"].value == 1 and scored([]) == {}
