import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import unfooled as uf
from attack_ground import save_ground, tiny_model
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import LOG
from unfooled.models import save


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = save_ground(tmp_path_factory.mktemp("verifying"))
    uf.attack(str(folder / "model"), str(folder / "reviews.csv"), "random", folder / "attack", similarity=None)
    return folder


def rewritten(ground: Path, out: Path, change: dict[str, object]) -> int:
    """A copy of the log whose first claim is changed; the example's number."""
    lines = (ground / "attack" / LOG).read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if json.loads(line).get("outcome") == "fooled")
    record = json.loads(lines[place])
    lines[place] = json.dumps({**record, **change})
    (out / LOG).write_text("\n".join(lines) + "\n")
    return int(record["index"])


def test_every_claim_of_a_true_log_is_agreed_to(ground: Path) -> None:
    found = uf.verify(ground / "attack")
    claims = sum('"fooled"' in line for line in (ground / "attack" / LOG).read_text().splitlines())
    assert found.checked == claims > 3 and found.disagreeing == ()


def test_a_false_claim_is_named(ground: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (ground / "attack" / LOG).read_text().splitlines()]
    first = next(line for line in lines if line.get("outcome") == "fooled")
    index = rewritten(ground, tmp_path, {"adversary": first["texts"]})
    assert uf.verify(tmp_path).disagreeing == (index,)
    rewritten(ground, tmp_path, {"label": 1 - first["label"]})
    assert uf.verify(tmp_path).disagreeing == (index,)


def test_another_model_and_what_is_no_attack_are_refused(ground: Path, tmp_path: Path) -> None:
    save(tiny_model(ground, seed=5), tmp_path / "other", "# other")
    with pytest.raises(BadInput, match="is not the model of"):
        uf.verify(ground / "attack", str(tmp_path / "other"))
    with pytest.raises(BadInput, match="holds no attack"):
        uf.verify(tmp_path)


def test_a_callable_has_to_be_given_again(tmp_path: Path) -> None:
    def victim(texts: list[str]) -> np.ndarray:
        return np.array([[0.1, 0.9] if "good" in text else [0.9, 0.1] for text in texts])

    uf.attack(victim, Split([("a good film",)], [1]), "pwws", tmp_path, similarity=None)
    with pytest.raises(BadInput, match="is of a callable"):
        uf.verify(tmp_path)
    assert uf.verify(tmp_path, victim) == uf.verify(tmp_path, victim)
    assert uf.verify(tmp_path, victim).checked == 1 and not uf.verify(tmp_path, victim).disagreeing
    assert uf.verify(tmp_path, lambda texts: np.tile([0.1, 0.9], (len(texts), 1))).disagreeing == (0,)


@pytest.mark.parametrize(
    "change", [{"adversary": None}, {"outcome": "held"}, {"label": 7}, {"label": -1}, {"adversary": ["a", "b"]}]
)
def test_a_claim_that_cannot_be_true_is_named(ground: Path, tmp_path: Path, change: dict[str, object]) -> None:
    index = rewritten(ground, tmp_path, change)
    found = uf.verify(tmp_path)
    assert found.disagreeing == (index,) and found.checked == uf.verify(ground / "attack").checked


@pytest.mark.parametrize("key", ["fooled_into", "after", "before", "prediction"])
def test_a_claim_with_another_answer_than_logged_is_named(ground: Path, tmp_path: Path, key: str) -> None:
    lines = [json.loads(line) for line in (ground / "attack" / LOG).read_text().splitlines()]
    value = next(line for line in lines if line.get("outcome") == "fooled")[key]
    other = 1 - value if isinstance(value, int) else [value[0] + 0.01, value[1] - 0.01]
    index = rewritten(ground, tmp_path, {key: other})
    found = uf.verify(tmp_path)
    assert found.otherwise == (index,) and not found.disagreeing and not found.holds
    if isinstance(value, list):  # what rounding may do is no other answer
        rewritten(ground, tmp_path, {key: [value[0] + 1e-4, value[1] - 1e-4]})
        assert not uf.verify(tmp_path).otherwise


def test_a_summary_that_is_not_what_the_records_give_is_named(ground: Path, tmp_path: Path) -> None:
    assert uf.verify(ground / "attack").holds
    shutil.copy(ground / "attack" / LOG, tmp_path / LOG)
    assert uf.verify(tmp_path).summary == ("summary.json is not there or cannot be read",)
    stored = json.loads((ground / "attack" / "summary.json").read_text())
    stored["scores"]["attack_success"]["value"] += 0.01
    stored["outcomes"]["held"] += 1
    (tmp_path / "summary.json").write_text(json.dumps({**stored, "model": "elsewhere", "versions": {}}))
    found = uf.verify(tmp_path)
    assert found.summary == ("outcomes", "attack_success") and not found.holds


def test_an_unfinished_log_says_how_many_examples_are_missing(ground: Path, tmp_path: Path) -> None:
    lines = (ground / "attack" / LOG).read_bytes().splitlines(keepends=True)
    (tmp_path / LOG).write_bytes(b"".join(lines[:31]) + b'{"index"')
    found = uf.verify(tmp_path)
    assert found.missing == 10 and found.holds and 0 < found.checked <= 30
    (tmp_path / LOG).write_bytes(lines[0])
    assert uf.verify(tmp_path).missing == 40 and uf.verify(tmp_path).checked == 0
