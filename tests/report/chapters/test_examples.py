"""Three sentences that tell most: few words changed, like the original, spread over attacks; fair ones alone."""

import re
from collections.abc import Sequence
from dataclasses import replace

from results_ground import finished, plain, word_attack
from stories import HOSTILE, fooled, told_of, usual_told, words

from unfooled.attacks.records import AttackRecord, Change
from unfooled.report.chapters.examples import AROUND, MOST, content, most_telling, shown
from unfooled.results.folder import Finished


def of(
    records: Sequence[AttackRecord], trial: str = "pwws", model: str = "plain", ticked: Sequence[int] = ()
) -> Finished:
    return replace(finished(model, trial, records), ticked=frozenset(ticked))


def told(place: int, similarity: float | None, changes: int = 1) -> AttackRecord:
    own = tuple(Change(number, "a", "b") for number in range(changes))
    return replace(fooled(place), similarity=similarity, changes=own)


def indices(*attacks: Finished) -> list[tuple[str, int]]:
    return [(one.attack.trial, one.record.index) for one in most_telling(attacks)]


def test_the_fewest_changes_come_first_and_then_the_likest() -> None:
    records = [told(0, 0.99, 3), told(1, 0.8), told(2, 0.9), told(3, None), told(4, 0.95, 2)]
    assert indices(of(records)) == [("pwws", 2), ("pwws", 1), ("pwws", 3)]


def test_of_equal_ones_those_come_first_on_which_another_model_held() -> None:
    held = replace(word_attack(1, 0, 0)[0], index=2)
    assert indices(of([told(0, 0.9), told(2, 0.9)]), of([held], model="robust"))[0] == ("pwws", 2)


def test_of_equal_ones_those_come_first_that_are_no_rare_case() -> None:
    rare = of([told(0, 0.9), replace(word_attack(1, 0, 0)[0], index=5)])
    often = of([replace(word_attack(1, 0, 0)[0], index=0), told(5, 0.9), told(6, 0.9)], model="robust")
    first = most_telling([rare, often])[0]
    assert (first.attack.model, first.record.index, first.held) == ("robust", 5, ("plain",))


def test_every_attack_has_one_before_any_has_two() -> None:
    words_ = of([told(0, 0.9), told(1, 0.9), told(2, 0.9)])
    letters = of([told(7, 0.1, 5)], "deepwordbug")
    assert indices(words_, letters) == [("pwws", 0), ("deepwordbug", 7), ("pwws", 1)]


def test_one_text_is_not_shown_twice_where_there_are_others() -> None:
    both = [of([told(0, 0.9), told(1, 0.2)], model=name) for name in ("plain", "robust")]
    assert indices(*both) == [("pwws", 0), ("pwws", 1), ("pwws", 0)]


def test_what_a_reader_has_ticked_is_no_example() -> None:
    records = [told(place, 0.9) for place in range(5)]
    assert indices(of(records, ticked=(0, 2))) == [("pwws", 1), ("pwws", 3), ("pwws", 4)]
    every = of(records, ticked=range(5))
    assert "was ticked by a reader" in content(told_of(every))


def test_a_card_has_both_answers_the_words_and_who_held() -> None:
    trials = [of([fooled(3), *word_attack(2, 0, 0)]), of([replace(word_attack(1, 0, 0)[0], index=3)], model="robust")]
    found = content(told_of(*trials))
    assert "<b>positive → negative</b> · plain under pwws · 1 word changed · similarity 0.90 of 1" in found
    assert "robust held on the same text" in found
    assert "a <del>good</del> <mark>decent</mark> film about river number 3" in found


def test_nothing_fooled_is_said_and_nothing_attacked_is_no_chapter() -> None:
    assert words(content(told_of(of(word_attack(6, 0, 2))))) == (
        "No sentence fooled a model: 6 attacks on rightly answered texts, and no answer turned wrong."
    )
    assert content(told_of(finished("plain", "clean", plain(9, {}, 10)[0]))) == ""


def test_hostile_texts_are_inert_and_there_are_never_more_than_three() -> None:
    found = content(usual_told([fooled(8, HOSTILE, HOSTILE + " a good film {}")]))
    assert "<script" not in found and "<img" not in found and "\u202e" not in found
    assert len(re.findall('class="case"', content(usual_told()))) == MOST == 3


def test_long_texts_are_cut_far_from_their_changes() -> None:
    long = "so many words " * 60
    found = words(shown((long, ("good", "bad"), long, ("a", "")))).replace("  ", " ")
    assert found.startswith("…") and "good bad so many" in found and found.endswith("a ∅") and found.count("…") == 2
    assert len(found) < 4 * AROUND
    assert words(shown((long,))).startswith("so many") and words(shown(("short", ("x", "y")))) == "short x y"
