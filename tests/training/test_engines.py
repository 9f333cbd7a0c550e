from typing import get_args

from unfooled.recipe.plan import Plan
from unfooled.training.engine import Engine
from unfooled.training.engines import ENGINES


def test_the_plan_knows_the_engines_there_are() -> None:
    assert get_args(Plan.model_fields["engine"].annotation) == tuple(ENGINES)
    assert ENGINES[Plan().engine] is Engine


def test_each_line_is_the_first_of_its_docstring() -> None:
    for name, line in ENGINES.lines.items():
        assert (ENGINES[name].__doc__ or "").splitlines()[0] == line


def test_only_what_shares_a_network_out_writes_from_every_process() -> None:
    assert {name: ENGINES[name].shares for name in ENGINES} == {"replicas": False, "fsdp": True}
