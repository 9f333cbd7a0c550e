"""The app of all commands; what a command does is imported when it is run, so that --help is quick."""

import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Annotated, TextIO

import typer

from unfooled import __version__
from unfooled.cli.attack import attack
from unfooled.cli.compare import compare
from unfooled.cli.demo import demo
from unfooled.cli.evaluate import evaluate
from unfooled.cli.examples import epilog
from unfooled.cli.gate import gate
from unfooled.cli.generate import generate
from unfooled.cli.list import list_
from unfooled.cli.merge import merge
from unfooled.cli.play import play
from unfooled.cli.predict import predict
from unfooled.cli.push import push
from unfooled.cli.report import report
from unfooled.cli.train import train
from unfooled.cli.translate import translate
from unfooled.cli.tune import tune
from unfooled.cli.verify import verify
from unfooled.errors import BadInput, Stopped, on_the_command_line
from unfooled.stopping import SIGNALS, stoppable
from unfooled.terminal import forgiving, say, visible, write

LONGEST = 1000  # letters of a sentence; a name in it may be as long as a file

app = typer.Typer(
    name="unfooled",
    help="Train, attack and measure text models that small changes cannot fool.",
    no_args_is_help=True,
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
    context: typer.Context,
    _: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Train, attack and measure text models that small changes cannot fool."""
    context.with_resource(on_the_command_line())


COMMANDS = (
    *(demo, play, train, evaluate, predict, generate, attack, verify, translate),
    *(list_, compare, tune, merge, report, gate, push),
)
for command in COMMANDS:
    name = command.__name__.rstrip("_")
    app.command(name, epilog=epilog(name))(command)


def main() -> None:
    """Run a command; what a person can mend is one sentence and exit code 2."""
    forgiving()
    warnings.showwarning, sys.excepthook = tell_warning, tell_fault
    try:
        with stoppable():
            refuse_undecodable(sys.argv[1:])
            app()
    except BadInput as error:
        leave(str(error), 2)
    except OSError as error:
        reason = error.strerror or error
        leave(f"{error.filename or 'a file'} cannot be read or written ({reason}); what was finished is kept", 2)
    except Stopped as error:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)  # whoever asks twice gets no traceback
        tell(str(error))
        end(error.code)


def tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Say what a library warns of, which may quote a file."""
    say(f"{category.__name__}: {message}", error=True)


def tell_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show where a fault of ours came from; what it quotes may be out of a file."""
    write(visible("".join(traceback.format_exception(kind, error, trace)).rstrip()), sys.stderr)


def refuse_undecodable(arguments: Sequence[str]) -> None:
    """Refuse names whose bytes are no text: no recipe, log or page could hold them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{argument} is no text in UTF-8; rename the file or folder, or mend the option") from None


def leave(message: str, code: int) -> None:
    """Say one sentence and end."""
    tell(message)
    sys.exit(code)


def tell(message: str) -> None:
    """Say one sentence, once however many processes there are."""
    if os.environ.get("RANK", "0") == "0":
        say(f"unfooled: {message if len(message) <= LONGEST else message[:LONGEST] + ' …'}", error=True)


def end(code: int) -> None:
    """End this process now, all files being closed: Python would take another second to clear torch away."""
    with suppress(OSError):  # nobody listens
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
