"""What is read off each trial's records, and that nobody has to wait for torch to read it."""

import subprocess
import sys
from dataclasses import asdict

import numpy as np
import pytest
from sklearn.metrics import matthews_corrcoef

from unfooled.attacks.records import AttackRecord
from unfooled.errors import BadInput
from unfooled.evaluation.behaviour import CaseRecord
from unfooled.evaluation.contrast import ContrastRecord
from unfooled.evaluation.hit_scores import HitRecord
from unfooled.evaluation.measures import MEASURES, Measured, reader_of
from unfooled.evaluation.records import Attack, Record
from unfooled.evaluation.shift_scores import Move, Shift, ShiftRecord
from unfooled.evaluation.transfer import TransferRecord

SAID = ((0.1, 0.9), (0.8, 0.2))
NEAR = ((0.9, 0.1), (0.2, 0.3))
ATTACKED = AttackRecord(
    index=0, label=1, texts=("a b",), outcome="held", prediction=1, before=(0.1, 0.9), adversary=None, fooled_into=None,
    after=(), changes=(), words=2, candidates=1, asked=3, from_cache=0, similarity=None, error=None,
)  # fmt: skip
RECORDS = {
    "clean": Record(0, 1, 1, 0.9, 0.1),
    "pgd": Record(0, 1, 1, 0.9, 0.1, 0.5, (Attack(0.1, 0, 0.4, 0.9, (0.1, 0.9), 0.8, 0.3, 0.1, 0),)),
    "pwws": ATTACKED, "textfooler": ATTACKED, "deepwordbug": ATTACKED, "random": ATTACKED,
    "transfer": TransferRecord(0, 1, ("a",), ("b",), 1, 0.9, 0, 0.2),
    "contrast": ContrastRecord(0, "g", True, ("a",), 1, 1, 0.9),
    "invariance": CaseRecord(0, "typos", "INV", "R", (("a",), ("b",)), "same", (), (1, 0), SAID, (1,)),
    "hits": HitRecord(0, 0, "o", "s", "a", NEAR, NEAR, NEAR),
    "shift": ShiftRecord(0, 1, ("a",), (Shift("typos", (Move(0.9, 1.0, 0.8, 2.0),), 0.5, 3.0),), (1.0, 0.0), None),
}  # fmt: skip


def parts(trial: str) -> dict[tuple[str, str | None], Measured]:
    return {(one.metric, one.part): one for one in MEASURES[trial].scores([RECORDS[trial]])}


@pytest.mark.parametrize("trial", MEASURES)
def test_every_number_has_a_definition_an_n_and_an_interval(trial: str) -> None:
    found = MEASURES[trial].scores([RECORDS[trial]])
    assert found
    for one in found:
        assert one.score.definition and one.score.low <= one.score.high
        assert np.isnan(one.score.value) or one.score.low <= one.score.value <= one.score.high


@pytest.mark.parametrize("trial", MEASURES)
def test_records_come_back_from_json_as_they_were(trial: str) -> None:
    plain = asdict(RECORDS[trial])
    assert reader_of(trial).validate_json(reader_of(trial).dump_json(RECORDS[trial])) == RECORDS[trial]
    assert plain["index"] == 0


def test_numbers_of_tests_layers_and_causes_are_named_by_their_part() -> None:
    assert parts("invariance")["failure_rate", "INV"].score.value == 1.0
    assert parts("invariance")["failure_rate", "INV typos"].score.n == 1
    assert parts("hits")["hits", "cls"].score.value == 1.0
    assert "by cls of layer 1, the best of 2 layers" in parts("hits")["hits", "cls"].score.definition
    assert parts("hits")["hits_by_layer", "mean, layer 2"].detail
    assert parts("shift")["distance", "typos"].score.value == 3.0
    assert parts("shift")["cosine", "typos, mean of layer 1"].score.value == 0.8
    assert parts("shift")["uniformity", None].score.n == 1
    assert parts("transfer")["attack_success", None].score.value == 1.0
    assert {one.eps for one in parts("pgd").values()} == {0.1}


def test_clean_says_matthews_correlation_as_scikit_learn_does() -> None:
    draw = np.random.default_rng(3)
    truth, said = draw.choice(4, 60, p=[0.7, 0.2, 0.1, 0]), draw.choice(4, 60, p=[0.6, 0.1, 0.2, 0.1])
    records = [
        Record(row, int(true), int(own), 0.5, 0.1) for row, (true, own) in enumerate(zip(truth, said, strict=True))
    ]
    (found,) = [one for one in MEASURES["clean"].scores(records) if one.metric == "matthews"]
    assert found.score.value == pytest.approx(matthews_corrcoef(truth, said)) and found.score.n == 60
    assert not found.detail and found.score.low < found.score.value < found.score.high


def test_an_unknown_trial_is_one_sentence() -> None:
    with pytest.raises(BadInput, match="a trial called telepathy"):
        reader_of("telepathy")


def test_reading_results_does_not_load_torch() -> None:
    code = (
        "import sys, unfooled.evaluation.results, unfooled.evaluation.verdict, unfooled.evaluation.measures;"
        "sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
