"""What a worker is told is what it opens: the same model, the same parts, the same examples, or a sentence."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from assigned_ground import job, no_parts
from attack_ground import read_otherwise, save_ground, tiny_model
from hypothesis import given
from hypothesis import strategies as st

from unfooled.attacks.attack import Parts
from unfooled.attacks.deepwordbug import DeepWordBug
from unfooled.commands.attack_parts import PARTS_FOR
from unfooled.data.adversaries import StoredAdversary
from unfooled.data.contrast_sets import Member
from unfooled.errors import BadInput
from unfooled.models import save
from unfooled.results.planned import Planned
from unfooled.trials.answers import TextVersion
from unfooled.trials.inputs import Example, hash_units
from unfooled.trials.side_by_side import MarkedSource
from unfooled.workers.assignment import ASSIGNMENT, Assignment, assigned, opened, plain_unit, units_of


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("ground"), 2)


def sent(one: Planned) -> Assignment:
    """An assignment as it arrives."""
    return ASSIGNMENT.validate_json(ASSIGNMENT.dump_json(assigned(one, PARTS_FOR)))


def test_a_worker_opens_what_was_planned(ground: Path) -> None:
    one = job(ground)
    trial, run = opened(sent(one), None, no_parts)
    assert trial is one.trial and run.settings == one.run.settings
    assert run.units == [] and run.first == one.run.units[0]  # the others come with the pieces they are in
    for name in ("seed", "batch_size", "in_flight", "task", "names", "temperature"):
        assert getattr(run, name) == getattr(one.run, name), name
    assert run.victim.hash == one.run.victim.hash and run.victim is not one.run.victim
    again = opened(sent(one), run.victim, no_parts)[1]
    assert again.victim.network is run.victim.network  # not opened twice


def test_labels_are_called_as_whoever_asks_calls_them(ground: Path) -> None:
    one = job(ground)
    renamed = replace(one, header=replace(one.header, labels=("bad", "good")))
    assert opened(sent(renamed), None, no_parts)[1].victim.labels == ("bad", "good")


def test_a_folder_that_holds_another_model_is_refused_by_name(ground: Path, tmp_path: Path) -> None:
    save(tiny_model(tmp_path, seed=9), tmp_path / "model", "# other")
    told = replace(sent(job(ground)), model=str(tmp_path / "model"))
    with pytest.raises(BadInput, match=rf"a worker finds another model at {tmp_path}/model \(\w+\) than \S+ \(\w+\)"):
        opened(told, None, no_parts)


@pytest.mark.parametrize("how", ["activation", "capitals"])
def test_a_folder_that_reads_or_computes_otherwise_is_refused(ground: Path, tmp_path: Path, how: str) -> None:
    shutil.copytree(ground / "model", tmp_path / "model")
    told = replace(sent(job(ground)), model=str(tmp_path / "model"))
    opened(told, None, no_parts)  # the same, elsewhere
    read_otherwise(tmp_path / "model", how)
    with pytest.raises(
        BadInput, match=rf"another tokenizer or configuration at {tmp_path}/model than \S+; give every ma"
    ):
        opened(told, None, no_parts)


def test_other_parts_and_other_examples_are_refused(ground: Path) -> None:
    told = sent(job(ground))
    noting = lambda attack, similarity: Parts(notes={"similarity_hash": "another"})  # noqa: E731
    with pytest.raises(BadInput, match="builds deepwordbug from other parts .*another"):
        opened(told, None, noting)
    everything = sent(job(ground, name="exhaustive"))
    assert opened(everything, None, no_parts)[1].units == job(ground).run.units
    with pytest.raises(BadInput, match="a worker has read other examples for exhaustive"):
        opened(replace(everything, units=everything.units[:1]), None, no_parts)


def test_an_attack_of_a_module_is_found_and_one_of_a_script_is_not(ground: Path) -> None:
    class Local(DeepWordBug):
        """Stands where no other process finds it."""

    one = replace(job(ground, DeepWordBug()), header=replace(job(ground).header, trial="own"))
    assert sent(one).attack == "unfooled.attacks.deepwordbug:DeepWordBug"
    assert opened(sent(one), one.run.victim, no_parts)[1].settings.attack == DeepWordBug()
    with pytest.raises(BadInput, match="Local stands in this script, where no worker finds it; put it into a module"):
        assigned(job(ground, Local()), PARTS_FOR)


texts = st.tuples(st.text(max_size=5)) | st.tuples(st.text(max_size=5), st.text(max_size=5))
units = st.one_of(
    st.builds(Example, texts, st.integers(0, 3) | st.tuples(st.integers(0, 3)) | st.floats(-1, 1)),
    st.builds(Member, st.text(max_size=3), st.booleans(), texts, st.integers(0, 3)),
    st.builds(StoredAdversary, texts, texts, st.integers(0, 3)),
    st.builds(TextVersion, st.integers(0, 3), st.none() | st.text(max_size=3), texts, st.floats(0, 1)),
    st.builds(MarkedSource, st.text(max_size=5), st.text(max_size=5), st.text(max_size=5)),
    st.text(max_size=5),
    texts,
)


@given(st.lists(units, max_size=6))
def test_units_of_every_kind_arrive_as_they_were(some: list[Any]) -> None:
    import json

    arrived = units_of(json.loads(json.dumps([plain_unit(unit) for unit in some])))
    assert arrived == some and hash_units(arrived) == hash_units(some)
