"""Ori, Rev and both consistencies, against hand-made groups and definitions written out."""

import numpy as np
import pytest
from trial_ground import by_part, only_asked, ran

from unfooled.data.contrast_sets import Member
from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.trials.contrast import CONTRAST, ContrastRecord, con_group, con_pair, ori, rev, unmoved
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import NoSettings, Question
from unfooled.types import Texts


def members(*labels: tuple[int, ...]) -> list[Member]:
    """Groups by their labels, the original's first."""
    return [
        Member(f"g{group}", place == 0, (f"{group}/{place}",), label)
        for group, own in enumerate(labels)
        for place, label in enumerate(own)
    ]


def answered(some: list[Member], predictions: list[int]) -> list[ContrastRecord]:
    says = {member.texts: prediction for member, prediction in zip(some, predictions, strict=True)}
    return list(ran(CONTRAST, only_asked(lambda texts: np.eye(3)[[says[text] for text in texts]]), some))


def contrast_scores(records: list[ContrastRecord]) -> dict[str, Score]:
    return {metric: row.score for (metric, _), row in by_part(CONTRAST.scores(records)).items()}


def values(records: list[ContrastRecord]) -> tuple[float, ...]:
    return tuple(score.value for score in contrast_scores(records).values())


PAIRS = members(*[(place % 2, 1 - place % 2) for place in range(10)])


def test_a_perfect_predictor_is_right_everywhere() -> None:
    assert values(answered(PAIRS, [member.label for member in PAIRS])) == (1, 1, 1, 1, 0)


@pytest.mark.parametrize("said", [0, 1])
def test_a_constant_predictor_on_flipping_pairs(said: int) -> None:
    found = contrast_scores(answered(PAIRS, [said] * len(PAIRS)))
    assert found["ori"].value + found["rev"].value == 1
    assert found["con_pair"].value == found["con_group"].value == 0
    assert found["unmoved"].value == 1 and found["unmoved"].n == 5  # of the originals it gets right


def test_three_groups_tell_pairs_from_groups() -> None:
    some = members((0, 1), (1, 0, 0, 0), (0, 1, 1))
    records = answered(some, [0, 1, 1, 0, 0, 1, 1, 1, 1])  # group 1 fails in its last revision, group 2 in its original
    assert (ori(records).value, ori(records).n) == (2 / 3, 3)
    assert (rev(records).value, rev(records).n) == (5 / 6, 6)
    assert (con_pair(records).value, con_pair(records).n) == (3 / 6, 6)
    assert (con_group(records).value, con_group(records).n) == (1 / 3, 3)


def test_every_score_stands_under_its_own_name() -> None:
    records = answered(members((0, 1), (1, 0, 0, 0), (0, 1, 1)), [0, 1, 1, 0, 0, 1, 1, 1, 1])
    found = {name: score.value for name, score in contrast_scores(records).items()}
    assert found == {"ori": 2 / 3, "rev": 5 / 6, "con_pair": 3 / 6, "con_group": 1 / 3, "unmoved": 1 / 4}


def test_definitions_hold_on_random_answers() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        some = members(*[tuple(random.integers(0, 3, random.integers(1, 6)).tolist()) for _ in range(12)], (0, 1))
        said = random.integers(0, 3, len(some)).tolist()
        records = answered(some, said)
        right = {member.texts[0]: member.label == prediction for member, prediction in zip(some, said, strict=True)}
        by_name = dict(zip((member.texts[0] for member in some), zip(some, said, strict=True), strict=True))
        pairs = [(name, f"{name.split('/')[0]}/0") for name in right if not name.endswith("/0")]
        moved = [
            by_name[one][1] == by_name[first][0].label
            for one, first in pairs
            if right[first] and by_name[one][0].label != by_name[first][0].label
        ]
        groups = {name.split("/")[0] for name in right}
        whole = [all(ok for name, ok in right.items() if name.split("/")[0] == group) for group in groups]
        assert con_pair(records).value == pytest.approx(np.mean([right[one] and right[two] for one, two in pairs]))
        assert con_group(records).value == pytest.approx(np.mean(whole))
        assert ori(records).value == pytest.approx(np.mean([ok for name, ok in right.items() if name.endswith("/0")]))
        assert rev(records).value == pytest.approx(np.mean([right[one] for one, _ in pairs]))
        found = unmoved(records)
        assert found.n == len(moved) and (not moved or found.value == pytest.approx(np.mean(moved)))


def test_one_revision_each_makes_pairs_groups() -> None:
    records = answered(PAIRS, [0, 1, 1, 1, 0, 0] + [0] * 14)
    pair, group = con_pair(records), con_group(records)
    assert (pair.value, pair.low, pair.high, pair.n) == (group.value, group.low, group.high, group.n)
    assert rev(records) == proportion(round(rev(records).value * 10), 10, rev(records).definition)
    assert pair.value <= min(ori(records).value, rev(records).value)


def test_revisions_with_the_originals_label_cannot_be_unmoved() -> None:
    records = answered(members((0, 0), (1, 0)), [0, 0, 1, 0])
    assert unmoved(records).n == 1 and unmoved(records).value == 0


def test_done_members_are_left_out_and_confidence_is_the_labels() -> None:
    def answer(texts: list[Texts]) -> np.ndarray:
        return np.array([[0.7, 0.3]] * len(texts))

    found = list(ran(CONTRAST, only_asked(answer), PAIRS, done={0, 2, 19}))
    assert [record.index for record in found] == [1, *range(3, 19)]
    assert {(record.label, record.confidence) for record in found} == {(0, 0.7), (1, 0.3)}


@pytest.mark.parametrize(
    ("some", "message"),
    [
        ([Member("a", True, ("x",), 0)], "originals alone"),
        ([Member("a", False, ("x",), 0)], "group a of the contrast set has no original"),
        ([Member("a", True, ("x",), 0), Member("a", True, ("y",), 1)], "group a of the contrast set has two originals"),
        ([], "originals alone"),
    ],
)
def test_sets_that_are_no_contrast_are_refused(some: list[Member], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        CONTRAST.units(Inputs([], [], {}, contrast=some), NoSettings(), 0)


def test_the_units_are_the_members_and_without_a_set_there_is_no_trial() -> None:
    assert CONTRAST.units(Inputs([], [], {}, contrast=PAIRS), NoSettings(), 0) is PAIRS
    with pytest.raises(BadInput, match="needs a contrast set with pair or group ids; name one with contrast="):
        CONTRAST.units(Inputs([("a",)], [0], {}), NoSettings(), 0)


def test_revisions_answer_alone_and_with_their_original_and_groups_are_families() -> None:
    records = answered(members((0, 1), (1, 0, 0)), [0, 0, 0, 0, 1])
    assert CONTRAST.questions(records) == {
        Question("rev"): {1: False, 3: True, 4: False},
        Question("con_pair"): {1: False, 3: False, 4: False},
    }
    assert {question.metric: question.tested for question in CONTRAST.questions(records)} == {
        "rev": False,
        "con_pair": True,
    }
    assert CONTRAST.families(records) == {0: "g0", 1: "g0", 2: "g1", 3: "g1", 4: "g1"}
    assert CONTRAST.good is not None and [CONTRAST.good(record) for record in records] == [
        True,
        *[False] * 2,
        True,
        False,
    ]


def test_the_verdict_counts_answers_that_another_meaning_does_not_move() -> None:
    records = answered(PAIRS, [0] * len(PAIRS))
    (part,) = CONTRAST.verdict
    assert (part.axis, part.name) == ("obstinacy", "contrast set")
    assert part.score({"contrast": records}) == unmoved(records) == part.score({"a": records[:10], "b": records[10:]})


def test_numbers_are_titled_and_being_unmoved_is_better_the_less() -> None:
    rows = CONTRAST.scores(answered(PAIRS, [0] * len(PAIRS)))
    assert [row.score.better for row in rows] == ["more"] * 4 + ["less"]
    assert all(row.score.title and row.score.definition and row.score.low <= row.score.high for row in rows)
