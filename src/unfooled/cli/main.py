"""The app of all commands; what a command does is imported when it is run, so that --help is quick."""

import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from unfooled import __version__
from unfooled.cli.attack import attack
from unfooled.cli.compare import compare
from unfooled.cli.demo import demo
from unfooled.cli.evaluate import evaluate
from unfooled.cli.gate import gate
from unfooled.cli.generate import generate
from unfooled.cli.list import list_
from unfooled.cli.report import report
from unfooled.cli.train import train
from unfooled.cli.translate import translate
from unfooled.cli.tune import tune
from unfooled.cli.verify import verify
from unfooled.errors import BadInput, Stopped
from unfooled.terminal import forgiving, say

LONGEST = 1000  # letters of a sentence; a name in it may be as long as a file

app = typer.Typer(
    name="unfooled",
    help="Train, attack and measure text models that small changes cannot fool.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        say(__version__)
        raise typer.Exit


@app.callback()
def top(
    _: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Train, attack and measure text models that small changes cannot fool."""


for command in (demo, train, evaluate, generate, attack, verify, translate, list_, compare, tune, report, gate):
    app.command(command.__name__.rstrip("_"))(command)


def main() -> None:
    """Run a command; what a person can mend is one sentence and exit code 2."""
    signal.signal(signal.SIGINT, interrupted)
    forgiving()
    try:
        refuse_undecodable(sys.argv[1:])
        app()
    except BadInput as error:
        leave(str(error), 2)
    except OSError as error:
        reason = error.strerror or error
        leave(f"{error.filename or 'a file'} cannot be read or written ({reason}); what was finished is kept", 2)
    except Stopped as error:
        leave(str(error), 130)


def refuse_undecodable(arguments: Sequence[str]) -> None:
    """Refuse names whose bytes are no text: no recipe, log or page could hold them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{argument} is no text in UTF-8; rename the file or folder, or mend the option") from None


def interrupted(number: int, frame: object) -> None:
    """Ctrl-C outside the training loop, which has its own answer to it."""
    raise Stopped("stopped; the same command goes on from what was finished (train: with --resume)")


def leave(message: str, code: int) -> None:
    """Say one sentence, once however many processes there are, and end."""
    if os.environ.get("RANK", "0") == "0":
        say(f"unfooled: {message if len(message) <= LONGEST else message[:LONGEST] + ' …'}", error=True)
    sys.exit(code)
