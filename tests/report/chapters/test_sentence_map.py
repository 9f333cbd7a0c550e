"""Maps hold every text that has a version, joined to its versions, and say where contrast sentences come from."""

import json
from collections import Counter
from pathlib import Path

from results_ground import finished, save_trial, shifted
from stories import told_of

from unfooled.report.chapters.sentence_map import content, maps, sentence_map
from unfooled.report.charts.tsne import LARGEST
from unfooled.results.open import open_results


def test_texts_are_joined_to_their_versions_and_those_without_are_left_out() -> None:
    found = sentence_map(
        "plain", shifted(15, "antonyms")
    )  # of 15, 14 has neither; 4 and 9 no synonyms; 2, 5, 8, 11 no contrast
    groups = [group for _, _, group, _ in found.points]
    assert Counter(groups) == {0: 14, 1: 12, 2: 10} and len(found.links) == 22
    words = [said for *_, said in found.points]
    joined = {(words[one], words[two], groups[two]) for one, two in found.links}
    assert ("text 0", "text 0", 1) in joined and ("text 4", "no 4", 2) in joined and "text 14" not in words
    assert all(groups[one] == 0 and words[two].split()[-1] == words[one].split()[-1] for one, two in found.links)
    assert found.groups == ("as it is", "with synonyms", "contrast")


def test_the_caption_says_where_contrast_sentences_come_from() -> None:
    made = sentence_map("plain", shifted(9, "antonyms")).says
    assert "6 with one word exchanged for its antonym" in made and "put in by unfooled and checked by nobody" in made
    given = sentence_map("plain", shifted(9, "revision")).says
    assert "6 from the contrast set, with another label" in given and "checked by nobody" not in given
    both = sentence_map("plain", [*shifted(9, "revision"), *shifted(3, "negation")]).says
    assert "6 from the contrast set, with another label, 2 negated" in both and "checked by nobody" in both
    assert "contrast" not in sentence_map("plain", shifted(9)).says


def test_results_from_before_there_were_contrast_sentences_are_read(tmp_path: Path) -> None:
    path = save_trial(tmp_path / "old", "plain", "shift", shifted(10))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:]:
        del line["contrast"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = told_of(*open_results([tmp_path / "old"]).trials)
    (found,) = maps(told)
    assert len(found.points) == 16 and found.groups == ("as it is", "with synonyms")
    assert "Sentences placed by t-SNE" in content(told)


def test_old_and_new_results_stand_on_one_page() -> None:
    trials = finished("plain", "shift", shifted(10)), finished("robust", "shift", shifted(10, "negation"))
    assert [len(one.groups) for one in maps(told_of(*trials))] == [2, 3]


def test_many_texts_fit_and_none_is_no_map() -> None:
    many = sentence_map("plain", shifted(LARGEST, "antonyms"))  # one in fifteen has no version
    assert len(many.points) <= LARGEST and "Here are the first 200 of the 560 texts that have a version." in many.says
    assert "Here are the first" not in sentence_map("plain", shifted(200, "antonyms")).says
    alone = [record for record in shifted(20) if record.moved is None]
    assert content(told_of(finished("plain", "shift", alone))) == ""
