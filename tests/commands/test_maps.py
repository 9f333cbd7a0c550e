"""Maps hold every text that has a version, joined to its versions, and say where contrast sentences come from."""

import json
from collections import Counter
from pathlib import Path

from results_ground import save_trial, shifted

from unfooled.commands.gathering import gathered
from unfooled.commands.maps import cloud, clouds
from unfooled.commands.report import report
from unfooled.commands.telling import Group
from unfooled.report.neighbour_map import LARGEST

PLAIN = Group("plain", ("plain",))


def test_texts_are_joined_to_their_versions_and_those_without_are_left_out() -> None:
    found = cloud(
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
    made = cloud("plain", shifted(9, "antonyms")).says
    assert "6 with one word exchanged for its antonym" in made and "put in by unfooled and checked by nobody" in made
    given = cloud("plain", shifted(9, "revision")).says
    assert "6 from the contrast set, with another label" in given and "checked by nobody" not in given
    both = cloud("plain", [*shifted(9, "revision"), *shifted(3, "negation")]).says
    assert "6 from the contrast set, with another label, 2 negated" in both and "checked by nobody" in both
    assert "contrast" not in cloud("plain", shifted(9)).says


def test_results_from_before_there_were_contrast_sentences_are_read(tmp_path: Path) -> None:
    path = save_trial(tmp_path / "old", "plain", "shift", shifted(10))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines[1:]:
        del line["contrast"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (found,) = clouds(gathered([tmp_path / "old"]), [PLAIN])
    assert len(found.points) == 16 and found.groups == ("as it is", "with synonyms")
    assert "Map of sentences" in report(tmp_path / "old", tmp_path / "report.html").read_text()


def test_old_and_new_results_stand_on_one_page(tmp_path: Path) -> None:
    save_trial(tmp_path / "old", "plain", "shift", shifted(10))
    save_trial(tmp_path / "new", "robust", "shift", shifted(10, "negation"))
    found = clouds(gathered([tmp_path / "old", tmp_path / "new"]), [PLAIN, Group("robust", ("robust",))])
    assert [len(one.groups) for one in found] == [2, 3]


def test_many_texts_fit_and_none_is_no_map(tmp_path: Path) -> None:
    assert len(cloud("plain", shifted(LARGEST, "antonyms")).points) <= LARGEST
    alone = [record for record in shifted(20) if record.moved is None]
    save_trial(
        tmp_path, "plain", "shift", [type(one)(**{**vars(one), "index": place}) for place, one in enumerate(alone)]
    )
    assert clouds(gathered([tmp_path]), [PLAIN]) == ()
