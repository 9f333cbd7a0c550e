"""What the kinds of labels share; their own tests are in test_numbers, test_label_sets and test_questions."""

from unfooled.data.assembly import cut_together
from unfooled.data.splits import Split


def test_units_are_cut_off_whole_and_by_the_seed() -> None:
    split = Split([(f"text {number}", f"unit {number // 5}") for number in range(50)], list(range(50)))
    kept, away = cut_together(split, 0.2, 0, lambda texts: texts[1])
    assert len(away) == 10 and len(kept) == 40
    assert not {texts[1] for texts in kept.texts} & {texts[1] for texts in away.texts}
    assert all(int(texts[0].split()[1]) == label for texts, label in zip(away.texts, away.labels, strict=True))
    assert cut_together(split, 0.2, 0, lambda texts: texts[1]) == (kept, away)
    assert cut_together(split, 0.2, 1, lambda texts: texts[1]) != (kept, away)


def test_a_lone_unit_stays() -> None:
    split = Split([(str(number), "same") for number in range(10)], list(range(10)))
    kept, away = cut_together(split, 0.5, 0, lambda texts: texts[1])
    assert len(kept) == 10 and len(away) == 0
