"""The commands that train a sturdier model, measure it and show it beside this one."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.files import RECIPE
from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.runs import recipe_of, run_at
from unfooled.report.told import Told
from unfooled.results.log import Header
from unfooled.tasks import TASKS
from unfooled.text.spoken import spoken
from unfooled.types import Texts

# What was measured to help: classifiers (docs/papers/worst_words.md), and models that write (docs/papers/atcl.md).
REPAIR, WRITING = "worst_words", "atcl"
AVERAGED = ("plan.average=0.99", "plan.choose_by=robust")  # how weights came about where words were measured to help
OF_PAIRS, TURNS = "method.of_pairs", "method.turns"
OF_STANCE = (f"{OF_PAIRS}=both",)  # as stance was measured; of entailment the defaults heard less
OF_ENTAILMENT = (f"{OF_PAIRS}=last", "method.sisters=true", "method.turned=0.3")  # with its turns told
WITHOUT_WORDS = "freelb"  # of other languages there are no lists (docs/which.md)
LETTERS = 400  # of each of them: a text may be without end
SAMPLE = 50  # records of a trial, by which it is seen what texts are like
COLUMNS = ("text", "label")
TRAINING = "YOUR-TRAINING-DATA"  # for who has measured a model that somebody else has trained
UNSEEN = "YOUR-UNSEEN-DATA"  # for who has measured a model on the very file that it learnt from
TO_BE_TOLD = (
    "These are pairs of texts: what a turned one becomes is never guessed and must be told, as "
    """--set 'method.turns={SUPPORT = "UNDERMINE", UNDERMINE = "SUPPORT"}' does of stances, """
    "or else the model may become deaf to changes of meaning."
)
TOLD = (
    "These are pairs of texts: method.turns tells what a turned text becomes, here an entailment a contradiction; "
    "change it where that is not so of your data."
)
ONLY_ASKED = (".onnx", ".skops")  # files of models that can be asked and not trained


def content(told: Told) -> Markup:
    """The commands, and what they are for."""
    lines = commands(told)
    if not lines:
        return Markup()
    says = "To train against what was found here, measure again, and see both on one page:"
    remark = [tag("p", TOLD if TURNS in lines[0] else TO_BE_TOLD)] if OF_PAIRS in lines[0] else []
    return join([tag("p", says), tag("pre", tag("code", join([*lines], "\n")), tabindex="0"), *remark])


def commands(told: Told) -> tuple[str, ...]:
    """To be run one after another; none where nothing better is known than what the model was trained by.

    What is trained on is what the model's own run was trained on, never what it was measured on. A callable and a file
    that can only be asked have no weights to go on from.
    """
    header = told.header(told.groups[0].members[0])
    run, weights = run_at(header.model), shlex.quote(header.model)
    if not header.model_hash or header.model.endswith(ONLY_ASKED):
        return ()
    recipe = recipe_of(run)
    data, ways = measured_on(header, recipe.get("data", {}))
    own = recipe.get("method", {}).get("name")
    known = {name: value for name, value in recipe.get("data", {}).items() if name in COLUMNS} | header.asked
    asked = options(known, ways)
    method = repaired_by(told, header.task, run is not None)
    if method is None or method == own:
        return ()
    if TASKS[header.task].kind != "text":
        asked += f" --trials {','.join(dict.fromkeys(row.trial for row in told.results.rows))}"
    named = f"--data {TRAINING}{options(known, COLUMNS)} --model {weights}"
    base = named if run is None else f"--recipe {shlex.quote(str(run / RECIPE))}"
    chosen = as_measured(told, header, known) if method == REPAIR else ()
    how = "".join(f" --set {shlex.quote(one)}" for one in chosen)
    return (
        f"unfooled train {base} --method {method}{how} --out repaired",
        f"unfooled evaluate {weights} repaired/model --data {shlex.quote(data)}{asked} --out repaired-results",
        "unfooled report repaired-results --out repaired.html",
    )


def measured_on(header: Header, learnt: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """What is to be measured on, and which options it is read by: other data than what taught or chose the weights.

    ``learnt`` is the data of the recipe that they were trained by.
    """
    if not was_learnt(header, learnt):
        return header.data, (*COLUMNS, "subset", "split", "labels")
    test = learnt.get("test")
    return UNSEEN if test is None or same(test, header.data) else test, (*COLUMNS, "labels")


def was_learnt(header: Header, learnt: Mapping[str, Any]) -> bool:
    """Whether the log says that its texts are those learnt from, or its data are, by their name, what the recipe reads.

    The validation file chose the weights. Data with splits are learnt from where the training split was asked for.
    """
    if header.learnt_from or same(learnt.get("validation"), header.data):
        return True
    is_file = bool(Path(header.data).suffix) and not os.path.isdir(header.data)
    of_train = header.asked.get("split") == "train" and header.asked.get("subset") == learnt.get("subset")
    return same(learnt.get("source"), header.data) and (is_file or of_train)


def same(one: str | None, other: str) -> bool:
    """Whether two names lead to one place, however they are spelt."""
    try:
        return one is not None and place(one) == place(other)
    except ValueError:  # no name that a file can have
        return one == other


def place(name: str) -> str:
    """Where a name leads to, from the folder that commands are run in."""
    return os.path.realpath(os.path.expanduser(name))


def repaired_by(told: Told, task: str, is_run: bool) -> str | None:
    """What helps models of a task: what a comparison has shown here, or else what was measured elsewhere."""
    shown = best_method(told)
    if shown is not None:
        return shown
    if TASKS[task].kind != "text":
        return WRITING if is_run and told.results.rows else None
    if not TASKS[task].confusion:
        return None
    return REPAIR if mostly_english(told) else WITHOUT_WORDS


def as_measured(told: Told, header: Header, known: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings with which the words were measured to help, on texts of this kind."""
    turns, some = entailment_turned(header.labels), texts_of(told)
    of_pairs = any(len(text) > 1 for text in some) if some else turns or "," in (known.get("text") or "")
    if not of_pairs:
        return AVERAGED
    return (*AVERAGED, *OF_ENTAILMENT, turns) if turns else (*AVERAGED, *OF_STANCE)


def entailment_turned(labels: Sequence[str]) -> str:
    """The setting that makes an entailment that is turned a contradiction; empty where labels are of another kind."""
    plain = [label for label in labels if label.isascii() and label.isalpha()]  # which TOML takes without quotes
    one, other = ([label for label in plain if label.lower().startswith(of)] for of in ("entail", "contradict"))
    return f'{TURNS}={{{one[0]} = "{other[0]}"}}' if len(one) == len(other) == 1 else ""


def texts_of(told: Told) -> list[Texts]:
    """Some of the texts that were measured, of versions the first; none where no trial keeps any."""
    some = [record for one in told.results.trials for record in one.records[:SAMPLE] if hasattr(record, "texts")]
    return [one if isinstance((one := record.texts)[0], str) else one[0] for record in some]


def mostly_english(told: Told) -> bool:
    """Whether the texts that were measured are of the language that the lists of words are of."""
    return not spoken(text[-1][:LETTERS] for text in texts_of(told)).mostly_strange


def best_method(told: Told) -> str | None:
    """The method that a comparison has shown to gain most."""
    better = [one for one in told.differences if one.clear and one.difference.value > 0]
    compared = any(group.seconds for group in told.groups)
    return max(better, key=lambda one: one.difference.value).second if compared and better else None


def options(asked: Mapping[str, object], names: Sequence[str]) -> str:
    """How data was read, as options of these names: as a log says, or else the recipe of the model's run."""
    known = {name: value for name in names if isinstance(value := asked.get(name), str)}
    return "".join(f" --{name} {shlex.quote(value)}" for name, value in known.items())


CHAPTER = Chapter("Repair", content)
