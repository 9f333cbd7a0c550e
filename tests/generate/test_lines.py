"""Lines are strict JSON, count what they say, and are the same bytes through every engine."""

import io
import json
import os
import signal
from typing import Any

import pytest
from village import TEXTS

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.generate.lines import LINES, TRIPLET, VersionLines, line, lines, serve
from unfooled.text.versions import VersionSettings, versions

MIXED = [*TEXTS[:12], "", "   ", "It is 😀", "Ein Mann fährt mit dem Fahrrad durch die Straße", *TEXTS[12:24]]
SEED = 7


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines put another mapping in the place of os.environ, and whoever holds the old one sees no change any more."""
    monkeypatch.setattr(os, "environ", os.environ)


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return lines(enumerate(MIXED), VersionSettings(), SEED)[1]


def test_the_function_for_engines_is_public():
    assert uf.VersionLines is VersionLines


def test_a_line_says_what_was_made():
    made = versions(TEXTS[3], VersionSettings(), SEED, 41)
    found = json.loads(line(41, made))
    assert (found["index"], found["original"]) == (41, TEXTS[3])
    for name, version in (("synonym", made.synonym), ("antonym", made.antonym)):
        assert found[name]["text"] == version.text
        logged = [
            tuple(tuple(v) if isinstance(v, list) else v for v in one.values()) for one in found[name]["replacements"]
        ]
        assert logged == [tuple(one) for one in version.replacements] and logged
    named = {part for name in LINES for part in name.split(", ")}
    as_json = json.dumps(found, ensure_ascii=False)
    assert as_json == line(41, made)  # by hand as by the library
    assert named == set(found) | set(found["synonym"]) | set(found["synonym"]["replacements"][0])


def test_half_characters_are_written_as_json_has_them():
    text = "Good \ud83d films"
    found = line(0, versions(text, VersionSettings(), 0, 0))
    assert json.loads(found.encode())["original"] == text
    assert "é" in line(0, versions("Good é films", VersionSettings(), 0, 0))  # everything else stays readable


def test_a_row_without_a_text_is_empty_and_a_number_is_refused():
    assert VersionLines()({"text": [None, TEXTS[0], ""]}, [0, 1, 2])["index"] == [1]
    with pytest.raises(BadInput, match="row 2, text: 5 is no text"):
        VersionLines()({"text": [TEXTS[0], 5]}, [0, 1])


def test_counts_are_those_of_the_lines(expected: list[str]):
    numbers, made, counts = lines(enumerate(MIXED), VersionSettings(), SEED)
    assert made == expected and numbers == [json.loads(one)["index"] for one in made]
    assert (counts["texts"], counts["empty"], counts["not_english"], counts["unreplaceable"]) == (26, 2, 1, 1)
    for name in ("synonym", "antonym"):
        logged = [one["kind"] for found in made for one in json.loads(found)[name]["replacements"]]
        assert counts[f"{name}_replaced"] == len(logged)
        for kind in set(logged):
            assert counts[f"{name}_replaced.{kind}"] == logged.count(kind)
    words = sum(len(text.split()) for number, text in enumerate(MIXED) if number != 15) - 1  # 😀 is no word
    assert counts["words"] == words


def test_a_worker_answers_with_the_same_lines(expected: list[str]):
    rows = list(enumerate(MIXED))
    head = {"settings": VersionSettings().model_dump(mode="json"), "seed": SEED}
    questions = io.BytesIO("".join(json.dumps(one) + "\n" for one in (head, rows[:10], rows[10:])).encode())
    answers = io.BytesIO()
    serve(questions, answers)
    answers.seek(0)
    bodies = b""
    while first := answers.readline():
        bodies += answers.read(json.loads(first)["bytes"])
    assert bodies.decode() == "".join(f"{one}\n" for one in expected)


def test_rows_without_the_columns_are_refused():
    with pytest.raises(BadInput, match="no column index; they have text"):
        VersionLines()({"text": ["a"]})
    with pytest.raises(BadInput, match="no column text; they have said"):
        VersionLines()({"said": ["a"]}, [0])


def test_datasets_map_gives_the_same_bytes(expected: list[str]):
    datasets: Any = pytest.importorskip("datasets", reason="needs datasets: pip install 'unfooled[hub]'")
    source = datasets.Dataset.from_dict({"text": MIXED})
    for processes in (1, 3):
        made = source.map(
            VersionLines(seed=SEED),
            batched=True,
            batch_size=5,
            with_indices=True,
            num_proc=processes,
            remove_columns=["text"],
            load_from_cache_file=False,
        )
        assert list(made["line"]) == expected
    with_numbers = source.add_column("index", list(range(len(MIXED))))
    again = with_numbers.map(VersionLines(seed=SEED), batched=True, remove_columns=["text"])
    assert list(again["line"]) == expected


@pytest.mark.filterwarnings("ignore")
def test_ray_data_gives_the_same_bytes(expected: list[str]):
    pytest.importorskip("ray", reason="needs Ray: pip install 'unfooled[ray]'")
    import ray

    before = signal.getsignal(signal.SIGTERM)
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, log_to_driver=False)
    try:
        rows = [{"index": number, "text": text} for number, text in enumerate(MIXED)]
        made = ray.data.from_items(rows, override_num_blocks=4).map_batches(VersionLines(seed=SEED), batch_size=6)
        found = {row["index"]: row["line"] for row in made.take_all()}  # in whatever order Ray has finished them
        assert [found[index] for index in sorted(found)] == expected
    finally:
        ray.shutdown()
        signal.signal(signal.SIGTERM, before)  # Ray leaves its own


def test_a_triplet_is_the_text_and_its_versions_and_none_where_one_is_the_text_itself():
    kept, made, counts = lines(enumerate(MIXED), VersionSettings(), SEED, "triplets")
    whole = {one["index"]: one for one in map(json.loads, lines(enumerate(MIXED), VersionSettings(), SEED)[1])}
    triplets = dict(zip(kept, map(json.loads, made), strict=True))
    assert all(list(one) == list(TRIPLET) == ["anchor", "positive", "negative"] for one in triplets.values())
    for number, one in triplets.items():
        texts = [whole[number]["original"], whole[number]["synonym"]["text"], whole[number]["antonym"]["text"]]
        assert list(one.values()) == texts and texts[0] not in texts[1:]
    assert counts["left_out"] == len(whole) - len(triplets) == 2 and counts["texts"] == len(whole)  # 😀 and German
