"""What a person calls to search for hyper-parameters: the same number of trainings for every method, by validation."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tomli_w

from unfooled.commands.cells import least_bytes, refuse_in_memory
from unfooled.commands.compare import check
from unfooled.commands.tuning.bounds import Bounds, has, meant, recipe_of
from unfooled.commands.tuning.search import Search, imported, train_one
from unfooled.errors import BadInput, Diverged, option
from unfooled.files import LOCK, SUMMARY, held, versions, write_whole
from unfooled.parsing import object_in
from unfooled.progress import Part, overall
from unfooled.recipe.config import recipe_from
from unfooled.recipe.file import overlaid
from unfooled.workers.choice import alone, do_all, staffed
from unfooled.workers.chores import Chore

KIND, SCHEMA = "unfooled search", 1


@dataclass(frozen=True)
class BestTraining:
    """The best of a method's trainings: its validation score, its settings, and the recipe to train with."""

    method: str
    score: float
    trials: int
    settings: Mapping[str, Any]
    recipe: Path


def tune(
    base: Mapping[str, Any],
    methods: Sequence[str],
    bounds: Bounds,
    out: str | Path,
    trials: int = 10,
    seed: int = 0,
    wait: bool = False,
    *,
    workers: int | None = None,
    ray: str | None = None,
) -> list[BestTraining]:
    """Search for each method within the bounds; ``trials`` trainings each, resumed where an earlier call stopped.

    ``base`` is a recipe without what is searched. Bounds that a method has no setting for are left out for it. Calls
    at the same time share the trainings; what another one is training when all else is done is waited for with
    ``wait``, else refused. ``workers`` processes, or actors of the Ray cluster at the address ``ray``, train:
    docs/scale.md.
    """
    check(methods, 1, base.get("plan") or {}, least=1)
    if trials < 1:
        raise BadInput(f"{option('trials')} {trials} trains nothing; give at least 1")
    imported()
    folder, by_others = Path(out), not alone(workers, ray)
    searches = [Search(base, name, own_bounds(base, name, bounds), folder / name, trials, seed) for name in methods]
    recipes = [recipe_from(overlaid(base, {"method": {"name": name}})) for name in methods]
    if by_others:
        refuse_in_memory(recipes)
    begin_search(folder, base, bounds, seed)
    chores, label = Searches(searches), f"search for {', '.join(methods)}"
    with staffed(workers, ray, least_bytes(recipes) if by_others else 0) as staff:
        if staff is None or not staff.most:  # every training has a bar of its own
            do_all(None, chores, label, None, wait)
        else:
            with overall() as whole:
                whole.foretell([Part(label, "search")])
                do_all(staff, chores, label, whole, wait)
    best, nowhere = [], []
    for search in searches:
        try:
            best.append(found(search))
        except Diverged as error:  # of one method: what the others have found is written down first
            nowhere.append(error)
    facts = [{**vars(one), "recipe": str(one.recipe), "settings": dict(one.settings)} for one in best]
    whole_summary = {"kind": KIND, "schema": SCHEMA, "versions": versions(), "found": facts}
    with held(folder / LOCK, wait=True):
        write_whole(folder / SUMMARY, json.dumps(whole_summary, indent=2) + "\n")
    if nowhere:
        raise Diverged("; ".join(map(str, nowhere)))
    return best


class Searches:
    """The trainings of all methods as chores, one method after the other; who has nothing to do begins the next."""

    def __init__(self, searches: Sequence[Search]) -> None:
        self.searches = searches
        self.mine: dict[Chore, tuple[Search, int]] = {}

    @property
    def total(self) -> int:
        """How many trainings there are to be."""
        return sum(max(search.trials, search.done) for search in self.searches)

    @property
    def done(self) -> int:
        """How many of them are scored."""
        return sum(search.done for search in self.searches)

    def take(self) -> Chore | None:
        """The next training that nobody is at."""
        for search in self.searches:
            taken = None if search.complete else search.take()
            if taken is not None:
                number, recipe = taken
                values = {"recipe": recipe.to_mapping(), "run": str(search.run(number))}
                here = partial(train_one, recipe, search.run(number))
                label = f"{search.method}, training {number}"
                chore = Chore(label, "unfooled.commands.tuning.search:train_trial", values, here)
                self.mine[chore] = search, number
                return chore
        return None

    def give_back(self, chore: Chore) -> None:
        """Another process is at it, or whoever was at it is lost."""
        search, number = self.mine.pop(chore)
        search.mine.discard(number)

    def finish(self, chore: Chore, answer: Any) -> None:
        """It is trained; the study is told how well."""
        search, number = self.mine.pop(chore)
        search.finish(number)

    def elsewhere(self) -> str:
        """The folders that other processes are training."""
        return ", ".join(str(search.run(number)) for search in self.searches for number in search.others)


def own_bounds(base: Mapping[str, Any], method: str, bounds: Bounds) -> Bounds:
    """The bounds of settings that a method has."""
    own = {name: bound for name, bound in bounds.items() if has(base, method, name)}
    if not own:
        raise BadInput(f"{method} has none of the settings {', '.join(bounds)}; give bounds of its own")
    return own


def begin_search(folder: Path, base: Mapping[str, Any], bounds: Bounds, seed: int) -> None:
    """Take a folder for a search, or refuse and say why."""
    plan = {
        "bounds": {name: bound.model_dump(mode="json") for name, bound in bounds.items()},
        "base": dict(base),
        "seed": seed,
    }
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another {option('out')}")
    with held(folder / LOCK, wait=True):  # for the moment that it takes
        refuse_other(folder, plan)


def found(search: Search) -> BestTraining:
    """The best of a method's trainings, written down as a recipe."""
    value, trials, drawn = search.best()
    recipe = recipe_of(search.base, search.method, search.bounds, drawn, search.seed)
    path = search.folder / "best.toml"
    with held(search.folder / LOCK, wait=True):
        write_whole(path, tomli_w.dumps(recipe.to_mapping()))
    return BestTraining(search.method, value, trials, meant(search.bounds, drawn), path)


def refuse_other(folder: Path, plan: Mapping[str, Any]) -> None:
    """Refuse a folder with a search of other bounds; write down these otherwise."""
    path, now = folder / "search.json", json.loads(json.dumps(plan))
    if path.is_file():
        before = object_in(path, f"choose another {option('out')}")
        differing = [name for name in now if before.get(name) != now[name]]
        if differing:
            raise BadInput(
                f"{folder} holds a search with another {' and '.join(differing)}; choose another {option('out')}"
            )
        return
    write_whole(path, json.dumps(now, indent=2) + "\n")
