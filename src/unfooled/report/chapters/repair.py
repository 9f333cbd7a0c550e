"""The commands that train a sturdier model, measure it and show it beside this one."""

import shlex

from unfooled.files import RECIPE
from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.runs import recipe_of, run_at
from unfooled.report.told import Told
from unfooled.tasks import TASKS

# Where no comparison has shown a better one: the cheapest method that helps everywhere, one for its own models, and one
# for models that are not asked text by text.
REPAIR, OTHER, WRITING = "freelb", "carl", "atcl"


def content(told: Told) -> Markup:
    """The commands, and what they are for."""
    lines = commands(told)
    if not lines:
        return Markup()
    says = "To train against what was found here, measure again, and see both on one page:"
    return join([tag("p", says), tag("pre", tag("code", join([*lines], "\n")), tabindex="0")])


def commands(told: Told) -> tuple[str, ...]:
    """To be run one after another; none where nothing better is known than what the model was trained by."""
    header = told.header(told.groups[0].members[0])
    run, weights, data = run_at(header.model), shlex.quote(header.model), shlex.quote(header.data)
    recipe = recipe_of(run)
    own, method, asked = recipe.get("method", {}).get("name"), best_method(told), ""
    if TASKS[header.task].kind != "text":
        trials = list(dict.fromkeys(row.trial for row in told.results.rows))
        if run is None or own == WRITING or not trials:
            return ()
        method, asked = WRITING, f"{columns(recipe.get('data', {}))} --trials {','.join(trials)}"
    elif own == method:
        method = OTHER
    base = f"--data {data} --model {weights}" if run is None else f"--recipe {shlex.quote(str(run / RECIPE))}"
    return (
        f"unfooled train {base} --method {method} --out repaired",
        f"unfooled evaluate {weights} repaired/model --data {data}{asked} --out repaired-results",
        "unfooled report repaired-results --out repaired.html",
    )


def best_method(told: Told) -> str:
    """The method that a comparison has shown to gain most."""
    better = [one for one in told.differences if one.clear and one.difference.value > 0]
    compared = any(group.seconds for group in told.groups)
    return max(better, key=lambda one: one.difference.value).second if compared and better else REPAIR


def columns(data: dict[str, object]) -> str:
    """The columns that a recipe reads, as options."""
    known = {name: value for name in ("text", "label") if isinstance(value := data.get(name), str)}
    return "".join(f" --{name} {shlex.quote(value)}" for name, value in known.items())


CHAPTER = Chapter("Repair", content)
