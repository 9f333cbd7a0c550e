"""What a person calls to publish a model: ``push`` sends it and its card to the Hugging Face hub.

What goes there is what training wrote and nothing else: weights as safetensors, JSON, the card, and a picture.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.commands.push_card import PICTURE, evaluated, finished_card
from unfooled.errors import BadInput, either
from unfooled.files import RECIPE, SUMMARY
from unfooled.hub import check_own_name, send
from unfooled.parsing import object_in, recipe_in
from unfooled.recipe.card import Published
from unfooled.recipe.metadata import hub_name

CARD = "README.md"
# What training writes; and what some tokenizers write besides, though tokenizer.json holds it already.
OURS = re.compile(
    r"README\.md|.*\.safetensors|(.*config|tokenizer|special_tokens_map|added_tokens|vocab|model\.safetensors\.index)\.json"
)
SPARE = {"vocab.txt", "merges.txt", "chat_template.jinja"}
ADAPTER = "adapter"  # the folder of what was trained beside frozen weights
FOLDERS = (ADAPTER, "target_tokenizer")  # the second is a translator's


@dataclass(frozen=True)
class Pushed:
    """Where a model can be seen, and which files went there."""

    url: str
    files: tuple[str, ...]


def push(
    run: str | Path,
    name: str,
    results: str | Path | None = None,
    private: bool = False,
    licence: str | None = None,
) -> Pushed:
    """Send the model of a finished run to the Hugging Face hub as ``name``, which is owner/name, with its card.

    ``results`` is a folder of an evaluation of this very model: its numbers and the picture of both axes go into the
    card. ``licence`` is what you put the model under, as apache-2.0; without one the card names none. The login is the
    one that the hub's own library has.
    """
    check_own_name(name)
    folder, facts, recipe = finished_run(Path(run))
    files: dict[str, Path | bytes] = {
        path.relative_to(folder).as_posix(): path for path in model_files(folder, facts["base"])
    }
    said = None if results is None else evaluated(Path(results), facts, name)
    card = finished_card(folder / CARD, facts, recipe, None if said is None else said.card, Published(name, licence))
    files[CARD] = card.encode()
    if said is not None and said.picture is not None:
        files[PICTURE] = said.picture.encode()
    url = send(name, files, private, f"{facts['method']} by unfooled")
    return Pushed(url, tuple(files))


def finished_run(folder: Path) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """The model folder of a run, the summary and the recipe; a run's folder or the model's in it will do."""
    if folder.name == "model" and (folder.parent / RECIPE).is_file():
        folder = folder.parent
    if not (folder / RECIPE).is_file():
        raise BadInput(f"{folder} is no run of unfooled: it has no {RECIPE}; give a folder that training has made")
    if not (folder / SUMMARY).is_file() or not (folder / "model").is_dir():
        goes_on = either("unfooled train --resume", "uf.train with resume=True")
        raise BadInput(f"the run in {folder} is not finished; {goes_on} goes on with it")
    facts = object_in(folder / SUMMARY, "train the run again")
    lacking = [key for key in ("base", "data", "method", "task", "scores", "model_hash") if key not in facts]
    if lacking:
        raise BadInput(f"{folder / SUMMARY} does not say its {lacking[0]}; is it the summary of a training?")
    return folder / "model", facts, recipe_in(folder / RECIPE)


def model_files(folder: Path, base: str) -> Iterator[Path]:
    """What training wrote into a model folder; anything else there is refused, for everybody could read it.

    An adapter goes along where others can have its base.
    """
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_symlink() or not is_ours(place, path.is_dir()):
            raise BadInput(f"{path} is nothing that training wrote, and would be sent too; take it out of the folder")
        left_out = place.name in SPARE or (place.parts[0] == ADAPTER and hub_name(base) is None)
        if path.is_file() and not left_out:
            yield path


def is_ours(place: Path, folder: bool) -> bool:
    """Whether a place in a model folder is one that training writes to."""
    if folder:
        return str(place) in FOLDERS
    return place.name in SPARE or OURS.fullmatch(place.name) is not None
