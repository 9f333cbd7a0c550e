"""A gate holds models to the far end of the interval."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from language_ground import near, perplexities, translated
from results_ground import save_results, save_trial, word_attack

from unfooled.commands.gate import gate, write_junit
from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two models on 100 examples: plain 90 and robust 80 right; under attack at 0.1, 30 and 60."""
    save_results(tmp_path / "plain", "plain", right=90, left={0.05: 70, 0.1: 30})
    save_results(tmp_path / "robust", "robust", right=80, left={0.05: 75, 0.1: 60}, into=tmp_path / "plain")
    return tmp_path / "plain"


def test_the_bound_decides_not_the_value(folder: Path) -> None:
    low = proportion(80, 100, "").low
    assert [ruling.passed for ruling in gate(folder, ["accuracy.clean >= 0.8"])] == [True, False]
    assert [ruling.passed for ruling in gate(folder, [f"accuracy.clean >= {low - 1e-6}"])] == [True, True]
    high = proportion(40, 100, "").high
    rulings = gate(folder, [f"attack_success.pgd.0.1 <= {high}"])
    assert [ruling.model for ruling in rulings] == ["plain", "robust"]


def test_without_a_radius_every_radius_must_hold(folder: Path) -> None:
    found = gate(folder, ["accuracy_under_attack.pgd >= 0.5"], model="robust")
    assert [(ruling.name, ruling.passed) for ruling in found] == [
        ("accuracy_under_attack.pgd.0.05", True),
        ("accuracy_under_attack.pgd.0.1", proportion(60, 100, "").low >= 0.5),
    ]


def test_what_was_not_measured_does_not_pass(folder: Path) -> None:
    (folder / "robust" / "pgd" / "examples.jsonl").unlink()
    found = gate(folder, ["accuracy_under_attack.pgd.0.1 >= 0"])
    assert [(ruling.model, ruling.passed) for ruling in found] == [("plain", True), ("robust", False)]
    assert "was not measured" in found[1].says()


def test_language_models_and_translators_are_held_to_theirs(tmp_path: Path) -> None:
    for name, clean in (("runs/plain/model", 20.0), ("runs/atcl/model", 18.0)):
        moved = {0.03: clean + 1, 30.0: 2 * clean}
        save_trial(tmp_path / "lm", name, "perplexity", perplexities(clean, moved, lines=400))
        save_trial(tmp_path / "lm", name, "neighbours", near(dog=[("cat", 1.0)]))
    found = gate(tmp_path / "lm", ["perplexity <= 20", "perplexity_under_attack.perplexity.30 <= 50"])
    assert [(one.model, one.name, one.passed) for one in found] == [
        ("atcl", "perplexity.perplexity", True),
        ("plain", "perplexity.perplexity", False),  # 20, but more at its upper end
        ("atcl", "perplexity_under_attack.perplexity.30", True),
        ("plain", "perplexity_under_attack.perplexity.30", True),
    ]
    texts = [(f"source {number}", f"das ist satz {number}", f"das ist satz {number % 9}") for number in range(40)]
    save_trial(tmp_path / "de", "runs/de/model", "quality", translated(texts))
    (ruling,) = gate(tmp_path / "de", ["BLEU.quality >= 0"])
    assert ruling.passed and ruling.score is not None
    for bar, passed in ((ruling.score.low - 0.01, True), (ruling.score.low + 0.01, False)):
        assert gate(tmp_path / "de", [f"BLEU >= {bar}"])[0].passed is passed
    with pytest.raises(BadInput, match="did you mean BLEU.quality"):
        gate(tmp_path / "de", ["BLUE.quality >= 18"])


def test_an_attack_is_held_as_any_trial(tmp_path: Path) -> None:
    save_trial(tmp_path, "plain", "pwws", word_attack(30, 5, 2))
    found = gate(tmp_path, ["accuracy_under_attack.pwws >= 0.6", "fickleness <= 0.1"])
    assert [(one.name, one.passed) for one in found] == [("accuracy_under_attack.pwws", True), ("fickleness", False)]


@pytest.mark.parametrize(
    ("requirements", "model", "words"),
    [
        ([], None, "nothing is required"),
        (["accuracy_under_atack.pgd.0.1 >= 0"], None, "did you mean accuracy_under_attack.pgd.0.1"),
        (["accuracy.clean >= 0"], "plane", "no model called plane; did you mean plain?"),
    ],
)
def test_bad_input_is_one_sentence(folder: Path, requirements: list[str], model: str | None, words: str) -> None:
    with pytest.raises(BadInput, match=words.replace("?", r"\?")):
        gate(folder, requirements, model)


def test_junit_tells_what_failed(folder: Path, tmp_path: Path) -> None:
    found = gate(folder, ["accuracy.clean >= 0.8"])
    write_junit(tmp_path / "gate.xml", found)
    suite = ElementTree.parse(tmp_path / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    cases = {case.get("classname"): case.find("failure") for case in suite}
    assert cases["plain"] is None
    failure = cases["robust"]
    assert failure is not None and "lower bound 0.7112 >= 0.8 does not hold" in failure.get("message", "")


def test_junit_holds_hostile_names(tmp_path: Path) -> None:
    save_results(tmp_path / "r", '"><x>\x00&', right=5, left={0.1: 5})
    write_junit(tmp_path / "gate.xml", gate(tmp_path / "r", ["accuracy.clean >= 0.1"]))
    assert ElementTree.parse(tmp_path / "gate.xml").getroot()[0][0].get("classname") == '"><x>�&'
