"""A real Ray of two processors on this machine: the records of one process, though an actor be killed."""

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attack_ground import save_ground
from kills import same_bytes, same_results

import unfooled as uf
from unfooled.commands.cells import Cell, Cells
from unfooled.errors import BadInput
from unfooled.files import versions
from unfooled.progress import Whole, overall
from unfooled.recipe.config import recipe_from
from unfooled.workers import processes
from unfooled.workers.choice import Staff, do_all, staffed
from unfooled.workers.cluster import Actor, Cluster, actor_kind, cluster, refuse_other_version

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder, before = save_ground(tmp_path_factory.mktemp("ground"), 12), Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


def attack(ground: Path, out: str, **how: Any) -> Path:
    uf.attack("model", "reviews.csv", "pwws", out, similarity=None, seed=3, **how)
    return ground / out


def train(ground: Path, out: str, staff: Staff | None, whole: Whole | None) -> None:
    """Two trainings of a comparison."""
    raw = {"data": {"source": "reviews.csv"}, "model": {"name": "encoder"}, "plan": {"max_steps": 2, "batch_size": 4}}
    methods = ("finetune", "fgm")
    recipes = {name: recipe_from({**raw, "method": {"name": name}}) for name in methods}
    do_all(staff, Cells(Cell(name, 0, recipes[name], Path(out, name)) for name in methods), "all", whole, False)


def test_two_actors_of_which_one_is_killed_make_the_records_of_one_process(
    ground: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, given, lacking = Actor.work, [0], ground / "lacking"
    (lacking / "unfooled").mkdir(parents=True)
    (lacking / "unfooled" / "__init__.py").write_text("raise ModuleNotFoundError('No module named unfooled')\n")
    told: dict[str, str] = {}

    def watched(self: Actor, piece: Any) -> Iterator[dict[str, Any]]:
        for answer in real(self, piece):
            given[0] += "record" in answer
            yield answer
            if given[0] == 4:  # once, in the midst of the work; and meanwhile a machine without the package
                given[0] += 1000
                self.end()
                env = {"env_vars": {"PYTHONPATH": str(lacking)}}
                odd = actor_kind(self.ray).options(runtime_env=env).remote()
                told.update(self.ray.get(odd.about.remote(), timeout=200))
                self.ray.kill(odd)

    monkeypatch.setattr(Actor, "work", watched)
    handler = signal.getsignal(signal.SIGTERM)
    one = attack(ground, "whole")
    with staffed(2, "local") as staff, overall(show=False) as whole:  # one cluster, whose actors train and then attack
        train(ground, "actors", staff, whole)
        two = attack(ground, "parted", ray="local", workers=2)
    train(ground, "here", None, None)
    same_bytes("*/model/model.safetensors", "*/recipe.toml")(ground / "here", ground / "actors")
    same_results(one, two)
    lines = next(two.glob("*/*/examples.jsonl")).read_text().splitlines()[1:]
    assert sorted(json.loads(line)["index"] for line in lines) == list(range(12))
    assert given[0] > 1000 and not ray.is_initialized() and signal.getsignal(signal.SIGTERM) == handler
    with pytest.raises(
        BadInput, match=r"machine \S+ of the Ray cluster cannot import unfooled \(ModuleNotFound.*insta"
    ):
        refuse_other_version(told)


def test_another_version_is_named_with_its_machine() -> None:
    refuse_other_version({"machine": "node-7", **versions()})
    with pytest.raises(
        BadInput, match=r"machine node-7 of the Ray cluster has torch 1\.0, and this one .*the same eve"
    ):
        refuse_other_version({"machine": "node-7", **versions(), "torch": "1.0"})


def test_a_ray_of_this_machine_has_as_many_actors_as_fit_into_its_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ray, "init", lambda **how: None)
    monkeypatch.setattr(processes, "own_bytes", lambda: 10**9)
    monkeypatch.setattr(processes, "free_bytes", lambda: 3 * 10**9)
    for least, used in ((0, 2), (2 * 10**9, 0)):
        with staffed(4, "local", least) as staff:
            assert staff is not None and staff.most == used
        assert "there is no memory for 4 workers" in capsys.readouterr().err
    assert Cluster(ray, "10.0.0.1:6379").room(4) == 4  # machines that this one knows nothing of


@pytest.mark.parametrize("address", ["127.0.0.1:{}", "nobody.invalid:6379", "a:b"])
def test_an_address_at_which_nobody_answers_is_refused_at_once(address: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # taken, and nobody listens
        told = address.format(free.getsockname()[1])
        with pytest.raises(BadInput, match="nobody answers there"), cluster(told, None):
            pass


@pytest.mark.parametrize(
    ("address", "variable"),
    [("ray://127.0.0.1:10001", ""), ("ray://", ""), ("auto", "ray://127.0.0.1:10001"), ("json://127.0.0.1:1", "")],
)
def test_a_ray_client_is_refused_before_anybody_is_asked(
    address: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", variable)
    monkeypatch.setattr(ray, "init", lambda **how: pytest.fail("Ray was begun"))
    with (
        pytest.raises(BadInput, match=r"\w+://\S*: Ray Client cannot .*; give a head node as in 10\.0\.0\.1:6379, au"),
        cluster(address, None),
    ):
        pass


def test_without_ray_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"needs Ray; run: pip install 'unfooled\[ray\]'"), cluster("local", 2):
        pass
