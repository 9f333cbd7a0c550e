"""What a person calls to have the claims of attacks checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from unfooled.errors import BadInput, measuring
from unfooled.files import SUMMARY
from unfooled.hub import only_typed
from unfooled.journal import same
from unfooled.models.locate import locate
from unfooled.results.folder import logs, open_folder, read_summary, summary
from unfooled.results.log import Header, read_header
from unfooled.results.open import results_in
from unfooled.results.records import open_log
from unfooled.trials.trial import AXES
from unfooled.victims import Victim, open_victim

AT_ONCE = 10_000  # records whose claims are asked about before the next are read
FILES = (".onnx", ".skops")  # models in one file, which a log may name: opening them asks nobody


@dataclass(frozen=True)
class Verified:
    """What became of a folder's claims: examples by number, and what a summary says otherwise than the records.

    ``disagreeing`` are adversaries that do not fool the model; ``otherwise`` fool it, but into another class or with
    other probabilities than the log says; ``missing`` counts examples that no record tells of yet. ``trials`` has what
    became of each trial, by model and trial, and these are all of them together.
    """

    checked: int
    disagreeing: tuple[int, ...]
    otherwise: tuple[int, ...] = ()
    missing: int = 0
    summary: tuple[str, ...] = ()
    trials: Mapping[str, "Verified"] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether everything that the folder says is so; what is missing it does not say."""
        return not (self.disagreeing or self.otherwise or self.summary)


def verify(folder: str | Path, model: Any = None) -> Verified:
    """Ask models again about every adversary that a folder claims, and add its summary up again.

    The folder is what attack, evaluate or compare has written. ``model`` is needed where the attacked one was a
    callable; a named model must be the very one of a log, and only its trials are asked about.
    """
    results = results_in(Path(folder))
    claiming = [path for path in logs(results) if claims(path)]
    if not claiming:
        raise BadInput(f"{folder} holds no attack; run: {measuring('attack', folder)}")
    opened: dict[str, Victim] = {}
    by_trial: dict[str, Verified] = {}
    missing = 0
    for path in claiming:
        header, records = open_log(path) or (read_header(path), [])
        assert header is not None
        missing += header.examples - len(records)
        key = "" if model is not None else header.model_hash
        with only_typed(model if isinstance(model, str) else None):  # a log may name anything
            if key not in opened:
                opened[key] = victim_of(path, header, model)
            if opened[key].hash == header.model_hash:
                by_trial[f"{path.parent.parent.name}, {path.parent.name}"] = verified(header, records, opened[key])
        if opened[key].hash != header.model_hash and model is None:
            raise BadInput(
                f"{header.model} is not the model of {path} any more: its hash is {opened[key].hash[:12]}, there it is "
                f"{header.model_hash[:12]}; name the one that was measured"
            )
    if not by_trial:
        raise BadInput(f"{opened[''].name} is none of the models of {folder}; name one that was measured into it")
    return Verified(
        checked=sum(one.checked for one in by_trial.values()),
        disagreeing=tuple(sorted({index for one in by_trial.values() for index in one.disagreeing})),
        otherwise=tuple(sorted({index for one in by_trial.values() for index in one.otherwise})),
        missing=missing,
        summary=() if missing else tuple(misstated(results)),
        trials=by_trial,
    )


def claims(path: Path) -> bool:
    """Whether a log is of a trial that claims something a model can be asked again."""
    header = read_header(path)
    return header is not None and header.form.again is not None


def victim_of(path: Path, header: Header, model: Any) -> Victim:
    """The model of a log, or the one that is said to be it."""
    if model is None and not header.model_hash:
        raise BadInput(
            f"{path} is of a model that cannot be hashed ({header.model}: a callable, an object or a server), so "
            "nobody can say that it is still the same; to have it asked again, give it as the model"
        )
    if model is None and not (header.model.endswith(FILES) and Path(header.model).is_file()):
        locate(header.model)  # refused, where it must be, before torch is waited for; an address or a chat is nowhere
    return open_victim(header.model if model is None else model, header.labels)


def verified(header: Header, records: Sequence[Any], victim: Victim) -> Verified:
    """What became of one trial's claims; so many records are in memory at a time."""
    found = Verified(0, (), (), header.examples - len(records))
    for start in range(0, len(records) if header.form.again is not None else 0, AT_ONCE):
        some = records[start : start + AT_ONCE]
        assert header.form.again is not None
        asked = header.form.again(some, header.settings, victim.calibrated(header.temperature))
        found = replace(
            found,
            checked=found.checked + len(asked.claims),
            disagreeing=found.disagreeing + asked.disagreeing,
            otherwise=found.otherwise + asked.otherwise,
        )
    return found


def misstated(folder: Path) -> Iterator[str]:
    """What the summary says otherwise than the records, by name; itself where it is not there or cannot be read."""
    try:
        stored = read_summary(folder)
    except (BadInput, OSError, ValueError):
        yield f"{SUMMARY} is not there or cannot be read"
        return
    here, there = numbers(stored), numbers(summary(open_folder(folder)))
    for name in dict.fromkeys([*there, *here]):
        if not same(here.get(name), there.get(name)):
            yield name


def numbers(whole: Mapping[str, Any]) -> dict[str, JsonValue]:
    """The numbers of a summary by name: value and n of every score, and both coordinates of every verdict."""
    named: dict[str, JsonValue] = {}
    for slug, model in mapping(whole.get("models")).items():
        for trial, own in mapping(mapping(model).get("trials")).items():
            scores = mapping(own).get("scores")
            for score in scores if isinstance(scores, list) else ():
                parts = [str(score[name]) for name in ("metric", "eps", "part") if mapping(score).get(name) is not None]
                named[f"{slug}, {trial}: {' '.join(parts)}"] = [mapping(score).get(name) for name in ("value", "n")]
    for model, verdict in mapping(whole.get("verdict")).items():
        for axis in AXES:
            score = mapping(mapping(verdict).get(axis)).get("score")
            named[f"{model}: {axis}"] = mapping(score).get("value")
    return named


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, an empty one elsewhere."""
    return value if isinstance(value, Mapping) else {}
