from unfooled.text.changes import CHANGES, perturbed
from unfooled.trials.behaviour.cases import (
    CAPABILITIES,
    directional_cases,
    in_order,
    invariance_cases,
    template_cases,
    turns_over,
)

TEXTS = [("The film is good, John.",), ("A bad story in Rome!",), ("It was 14 days long and good.",)]


def test_every_change_is_a_case_with_its_original_first() -> None:
    found = invariance_cases(TEXTS, seed=4)
    assert {(case.kind, case.rule) for case in found} == {("INV", "same")}
    variants = {(one.kind, TEXTS[one.index], one.texts) for one in perturbed(TEXTS, seed=4)}
    assert {(case.test, *case.texts) for case in found} == variants and len(found) == len(variants)
    tests = [case.test for case in found]
    assert tests == sorted(tests, key=list(CHANGES).index)  # test by test


def test_turned_texts_must_lower_the_probability_of_their_label() -> None:
    found = directional_cases(TEXTS, [1, 0, 1], ("negative", "positive"))
    assert {(case.kind, case.rule) for case in found} == {("DIR", "falls")}
    labels = {TEXTS[row]: label for row, label in enumerate([1, 0, 1])}
    assert all(case.classes == (labels[case.texts[0]],) for case in found)
    assert (("The film is good, John.",), ("The film is not good, John.",)) in [case.texts for case in found]


def test_long_texts_and_labels_in_between_are_not_turned() -> None:
    assert directional_cases(TEXTS, [0, 0, 0], ("Neutral", "positive")) == []
    assert {case.texts[0] for case in directional_cases(TEXTS, [1, 0, 1], ("negative", "positive"), longest=5)} == {
        TEXTS[0],
        TEXTS[1],
    }


def test_labels_say_whether_a_negation_turns_them_over() -> None:
    for labels in (("negative", "neutral", "positive"), ("SUPPORT", "UNDERMINE"), ("false", "true")):
        assert turns_over(labels)
    for labels in (("World", "Sports"), ("neutral", "positive"), ("0", "1"), ("positive", "Sports", "negative")):
        assert not turns_over(labels)


def test_templates_expect_the_models_own_numbers_of_the_labels() -> None:
    found = template_cases(("Positive", "Negative"), 1)
    one = next(case for case in found if case.texts == (("The film was good.",),))
    assert (one.kind, one.rule, one.classes) == ("MFT", "is", (0,))
    three = template_cases(("negative", "neutral", "positive"), 1)
    assert {case.classes for case in three if case.test == "praise denied"} == {(0, 1)}
    assert template_cases(("sport", "politics"), 1) == []


def test_every_kind_has_a_capability_and_order_is_by_test() -> None:
    assert set(CAPABILITIES) == set(CHANGES)
    cases = invariance_cases(TEXTS)
    assert in_order(cases[::-1], ["typos"]) == [case for case in cases[::-1] if case.test == "typos"]
