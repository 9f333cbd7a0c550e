"""The examples of the help are calls that the command line takes."""

import shlex

import click
import pytest
import typer.main
from typer.testing import CliRunner

from unfooled.cli.examples import EXAMPLES
from unfooled.cli.main import app

GROUP = typer.main.get_command(app)
NAMES = GROUP.list_commands(click.Context(GROUP))


def test_every_command_has_two_examples() -> None:
    assert sorted(EXAMPLES) == sorted(NAMES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_shown_as_they_are_and_can_be_parsed(name: str) -> None:
    command = GROUP.get_command(click.Context(GROUP), name)
    shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "80"}).output
    for example in EXAMPLES[name]:
        assert f"  {example}\n" in shown
        program, called, *arguments = shlex.split(example.partition(" > ")[0])
        assert (program, called) == ("unfooled", name)
        command.parse_args(click.Context(command, info_name=name), arguments)


TABLES = ["attack", "compare", "evaluate", "gate", "list", "train", "tune", "verify"]


@pytest.mark.parametrize("name", TABLES)
def test_every_command_that_prints_a_table_has_json(name: str) -> None:
    command = GROUP.get_command(click.Context(GROUP), name)
    assert any("--json" in parameter.opts for parameter in command.params)


def test_every_command_that_asks_a_model_has_a_device_and_a_quiet() -> None:
    for name in ("train", "evaluate", "attack", "verify", "predict", "compare", "tune", "demo", "generate"):
        options = {one for own in GROUP.get_command(click.Context(GROUP), name).params for one in own.opts}
        assert {"--device", "--quiet"} <= options, name
