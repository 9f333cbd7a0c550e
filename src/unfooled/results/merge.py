"""Shards of one evaluation become the folder that one process would have written."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from math import isclose
from pathlib import Path
from typing import Any

from unfooled import journal
from unfooled.errors import BadInput
from unfooled.files import LOCK, half_written, held, owned, synchronise
from unfooled.results.folder import Results, log_path, logs, open_folder, refuse_strangers, write_summary
from unfooled.results.log import Header, read_header, refuse_different
from unfooled.results.open import results_in
from unfooled.results.records import open_log
from unfooled.results.shard import Share, share_of
from unfooled.trials.places import Places

SHOWN = 10  # shards that are missing, by name
SAME = 1e-5  # of a temperature: what machines of two kinds may make of it
Log = tuple[str, str]  # a model's folder and a trial


def merge(shards: Sequence[Path], out: Path) -> Results:
    """Join all shards of an evaluation; refuses those of others, one that is missing, and one that is not finished."""
    known = [(folder, headers_of(folder)) for folder in map(results_in, shards)]
    if not known:
        raise BadInput("no shards were named; give the folders of all of them")
    if any(out.resolve() == folder.resolve() for folder, _ in known):
        raise BadInput(f"{out} is one of the shards; choose another folder for the whole")
    refuse_incomplete(known)
    first, wanted = known[0]
    for folder, own in known[1:]:
        refuse_others(first, wanted, folder, own)
        wanted = {place: with_rules(header, own[place]) for place, header in wanted.items()}
    refuse_strangers(out, [(slug, whole(header)) for (slug, _), header in wanted.items()])
    with owned(out):
        for place, header in wanted.items():
            path = log_path(out, *place)
            with owned(path.parent):  # an evaluation under way holds the folder of each log that it writes
                write_log([log_path(folder, *place) for folder, _ in known], path, whole(header))
    with held(out / LOCK, wait=True):
        results = open_folder(out, list(dict.fromkeys(slug for slug, _ in wanted)))
        write_summary(out, results)
    return results


def headers_of(folder: Path) -> dict[Log, Header]:
    """What the logs of a shard say of themselves."""
    headers = {(path.parent.parent.name, path.parent.name): read_header(path) for path in logs(folder)}
    odd = next((place for place, header in headers.items() if header is None or header.shard is None), None)
    if odd is not None or not headers:
        what = f"{log_path(folder, *odd)} is" if odd is not None else f"{folder} holds"
        raise BadInput(f"{what} no shard of an evaluation; name folders that were written as shards")
    return {place: header for place, header in headers.items() if header is not None}


def share_in(headers: Mapping[Log, Header]) -> Share:
    """Which part of how many a folder is; all of its logs are of the same one."""
    share = share_of(next(iter(headers.values())).shard)
    assert share is not None
    return share


def refuse_incomplete(known: Sequence[tuple[Path, Mapping[Log, Header]]]) -> None:
    """Refuse parts of wholes of different sizes, one part twice, and a part that is not there."""
    found: dict[int, Path] = {}
    size = share_in(known[0][1]).of
    for folder, headers in known:
        share = share_in(headers)
        if share.of != size:
            raise BadInput(f"{folder} is shard {share}, and {known[0][0]} is one of {size}; join shards of one run")
        if share.number in found:
            raise BadInput(f"{folder} and {found[share.number]} are both shard {share}; give each once")
        found[share.number] = folder
    missing = size - len(found)
    if missing:  # of however many a file may speak
        some = islice((str(Share(number, size)) for number in range(1, size + 1) if number not in found), SHOWN)
        rest = f" and {missing - SHOWN} more" if missing > SHOWN else ""
        raise BadInput(f"missing: shard {', '.join(some)}{rest}; give the folders of all {size}")


def whole(header: Header) -> Header:
    """What one process would have written above its records."""
    return replace(header, shard=None, shard_examples=None, shard_hash=None)


def refuse_others(first: Path, wanted: Mapping[Log, Header], folder: Path, own: Mapping[Log, Header]) -> None:
    """Refuse a shard of another run: of other trials or models, or on anything else."""
    odd = sorted(set(wanted) ^ set(own))
    if odd:
        has, lacks = (first, folder) if odd[0] in wanted else (folder, first)
        slug, trial = odd[0]
        raise BadInput(f"{has} has {trial} of {slug} and {lacks} has not; finish both, or join shards of one run")
    for place, header in wanted.items():
        both = (with_rules(header, own[place]), with_rules(own[place], header))
        one, other = (plain(whole(each)) for each in both)
        names = journal.disagreements(one, other)
        close = isclose(header.temperature or 0.0, own[place].temperature or 0.0, rel_tol=SAME)
        if names or not close:
            told = "; ".join(names) or f"temperature ({header.temperature} there, {own[place].temperature} now)"
            raise BadInput(f"{folder} is a shard of another run than {first}: they differ in {told}")


def with_rules(header: Header, other: Header) -> Header:
    """A header with the rules that another one knows, where it is of before logs said them."""
    return replace(header, rules_hash=header.rules_hash or other.rules_hash)


def plain(header: Header) -> dict[str, Any]:
    """A header's values by their full names, but for the temperature, which is known up to rounding."""
    values = asdict(header)
    values.pop("temperature")
    return dict(journal.flat(values))


def write_log(parts: Sequence[Path], path: Path, header: Header) -> None:
    """Write one log from its parts, there whole or not at all; one record is in memory at a time."""
    if path.exists():
        refuse_different(path, header, same_model=True)
    beside = half_written(path)
    beside.unlink(missing_ok=True)
    try:
        journal.begin(beside, header)
        append_parts(parts, path, beside, header)
        synchronise(beside)
    except BaseException:
        beside.unlink(missing_ok=True)  # nothing of the whole is left behind
        raise
    os.replace(beside, path)


def append_parts(parts: Sequence[Path], path: Path, beside: Path, header: Header) -> None:
    """Append the records of all parts, refused where one is there twice or some are missing."""
    opened = [(part, open_log(part)) for part in parts]
    for part, log in opened:
        own, records = log if log is not None else (header, ())
        if len(records) < (own.shard_examples or 0):
            raise unfinished(part, len(records), own.shard_examples)
    count = sum(len(log[1]) for _, log in opened if log is not None)
    if count < header.examples:  # before anything is as large as a header says
        raise unfinished(path, count, header.examples)
    done = Places(header.examples)
    for part, log in opened:
        for index in [] if log is None else log[1].indices.tolist():
            if index in done:
                raise BadInput(f"example {index} of {part} is in another shard too; join shards of one run")
            done.add(index)
        for _ in journal.append(beside, () if log is None else log[1]):
            pass


def unfinished(part: Path, done: int, wanted: int | None) -> BadInput:
    """The sentence for a part that lacks records."""
    return BadInput(f"{part} is unfinished: {done} of {wanted} records are there; run that shard again, which goes on")
