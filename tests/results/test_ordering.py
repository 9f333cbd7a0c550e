"""All combinations ≤ every attack ≤ the texts as they are: on a real run of every attack, example by example."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attack_ground import LABELS, tiny_model
from tiny import reviews

import unfooled as uf
from unfooled.attacks.attack import Parts
from unfooled.attacks.records import SAFE
from unfooled.attacks.table import ATTACKS
from unfooled.journal import JOURNAL
from unfooled.models import probabilities, save
from unfooled.results.contradictions import IMPOSSIBLE
from unfooled.results.folder import Results, open_folder

EXAMPLES, WRONG = 16, 3


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, short texts of which it gets three wrong, and the results of every attack on them."""
    folder = tmp_path_factory.mktemp("ordering")
    model = tiny_model(folder)
    save(model, folder / "model", "# tiny")
    texts = [" ".join(text.split()[:5]) for text, _ in reviews(EXAMPLES, seed=2)]
    answers = probabilities(model, texts).argmax(axis=1).tolist()
    labels = [LABELS[1 - answer if place < WRONG else answer] for place, answer in enumerate(answers)]
    rows = [f"{text},{label}" for text, label in zip(texts, labels, strict=True)]
    (folder / "reviews.csv").write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    similar = {"similarity": str(folder / "encoder")}
    settings = dict.fromkeys(ATTACKS, similar) | {"exhaustive": {"combinations": 3000}}
    trials = ["clean", *ATTACKS, "exhaustive"]
    uf.evaluate(str(folder / "model"), str(folder / "reviews.csv"), folder / "results", trials, settings=settings)
    return folder


def records(results: Results, trial: str) -> dict[int, object]:
    [own] = [one for one in results.trials if one.trial == trial]
    return {record.index: record for record in own.records}


def test_all_combinations_are_worse_than_any_attack_and_that_than_the_texts_as_they_are(
    ground: Path, record_property: Callable[[str, object], None]
) -> None:
    results = open_folder(ground / "results")
    assert not [warning for warning in results.warnings if warning.startswith(IMPOSSIBLE)]
    clean = {index: one.prediction == one.label for index, one in records(results, "clean").items()}
    bottom = {
        index: one.last.outcome in SAFE for index, one in records(results, "exhaustive").items() if not one.left_out
    }
    assert sum(clean.values()) == EXAMPLES - WRONG and len(bottom) > EXAMPLES / 2
    for name in ATTACKS:
        held = {index: one.outcome in SAFE for index, one in records(results, name).items()}
        assert all(held[index] <= clean[index] for index in clean) and len(held) == EXAMPLES
        [own] = [one for one in results.rows if (one.trial, one.metric) == (name, "accuracy_under_attack")]
        assert own.score.value == pytest.approx(sum(held.values()) / EXAMPLES)
        if (
            ATTACKS[name]().choices(Parts()) is not None
        ):  # it chooses from the lists of all combinations, or parts of them
            assert all(bottom[index] <= held[index] for index in bottom)
    record_property("attacks", len(ATTACKS))
    record_property("examples", EXAMPLES)


def test_a_run_that_breaks_the_order_is_said_to_be_impossible(ground: Path) -> None:
    """A log in which an example that was wrong as it is was attacked, and held."""
    [path] = (ground / "results").glob(f"*/pwws/{JOURNAL}")
    kept = path.read_bytes()
    lines = kept.decode().splitlines()
    place = next(at for at, line in enumerate(lines) if json.loads(line).get("outcome") == "already wrong")
    wrong = json.loads(lines[place])
    turned = {**wrong, "outcome": "held", "prediction": wrong["label"], "before": wrong["before"][::-1]}
    try:
        path.write_text("\n".join([*lines[:place], json.dumps(turned), *lines[place + 1 :]]) + "\n")
        said = [warning for warning in open_folder(ground / "results").warnings if warning.startswith(IMPOSSIBLE)]
        assert len(said) == 1 and "pwws and clean" in said[0] and "1 case" in said[0]
    finally:
        path.write_bytes(kept)
