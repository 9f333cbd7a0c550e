"""Maps of sentences: texts, their synonym versions and contrast sentences, as near as a model sees them."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np

from unfooled.report.chapter import Chapter
from unfooled.report.charts.scatter import Scatter, scattered
from unfooled.report.charts.tsne import LARGEST, tsne
from unfooled.report.markup import Markup, join, tag
from unfooled.report.told import Told
from unfooled.trials.kept.shifts import ShiftRecord, Vector

MAPS = 8  # as many models as a chart has marks for; t-SNE takes seconds each
SHOWN = 120  # characters of a sentence
GROUPS = ("as it is", "with synonyms", "contrast")
# Where contrast sentences come from: how one says so many of them, and whether this tool made them.
ORIGINS = {
    "revision": ("{} from the contrast set, with another label", False),
    "antonyms": ("{} with one word exchanged for its antonym", True),
    "negation": ("{} negated, or with a negation taken out", True),
}


def content(told: Told) -> Markup:
    """The maps side by side, and how they are read."""
    planes = maps(told)
    if not planes:
        return Markup()
    figures = [tag("figure", tag("h3", plane.title), scattered(plane)) for plane in planes]
    says = dict.fromkeys(plane.says for plane in planes)
    return join([*(tag("p", said) for said in says), tag("div", *figures, class_="figures")])


def maps(told: Told) -> list[Scatter]:
    """Each column's map, where its representations were looked at; of several seeds, the first's."""
    models = {one.model: one.briefs for one in told.of(ShiftRecord)}
    known = [(group.name, models.get(group.members[0])) for group in told.groups[:MAPS]]
    planes = [sentence_map(name, records) for name, records in known if records is not None]
    return [plane for plane in planes if plane.points]


def sentence_map(name: str, records: Sequence[ShiftRecord]) -> Scatter:
    """One model's map: every text that has a version, and its versions, each joined to it by a line."""
    with_version = (one for one in records if one.moved is not None or one.contrast is not None)
    own = list(islice(with_version, LARGEST // len(GROUPS)))
    count = len(own) + sum(1 for _ in with_version)
    vectors: list[Vector] = []
    said: list[tuple[int, str]] = []
    links: list[tuple[int, int]] = []
    for record in own:
        first, text = len(vectors), shown(record.texts)
        vectors.append(record.vector)
        said.append((0, text))
        versions = [] if record.moved is None else [(1, text, record.moved)]
        versions += [] if record.contrast is None else [(2, shown(record.contrast.texts), record.contrast.vector)]
        for group, words, vector in versions:
            links.append((first, len(vectors)))
            vectors.append(vector)
            said.append((group, words))
    places = tsne(np.array(vectors)) if vectors else np.zeros((0, 2))
    points = tuple((float(x), float(y), *one) for (x, y), one in zip(places, said, strict=True))
    groups = GROUPS if any(group == 2 for group, _ in said) else GROUPS[:2]
    return Scatter(name, groups, points, caption(own, count), tuple(links))


def shown(texts: Sequence[str]) -> str:
    """A sentence as a point says it."""
    return " / ".join(texts)[:SHOWN]


def caption(own: Sequence[ShiftRecord], count: int) -> str:
    """How to read a map of some of so many texts, and where its contrast sentences come from."""
    kinds = Counter(record.contrast.kind for record in own if record.contrast is not None)
    contrary = ", a dashed one with its contrast sentence" if kinds else ""
    told = (
        "Sentences placed by t-SNE of the features the last layer reads: near on the map means near to the model. "
        f"A line joins each text with its version with synonyms{contrary}; where it is long, the change moved the text "
        "far. Distances between far groups mean nothing."
    )
    if len(own) < count:
        told += f" Here are the first {len(own):,} of the {count:,} texts that have a version."
    if not kinds:
        return told
    known = {kind: ORIGINS.get(kind, (f"{{}} by {kind}", True)) for kind in kinds}
    counted = ", ".join(known[kind][0].format(count) for kind, count in kinds.most_common())
    told += f" Contrast sentences are like their text but mean something else: {counted}."
    if any(made for _, made in known.values()):
        told += (
            " Antonyms and negations were put in by unfooled and checked by nobody: the label may have stayed the same."
        )
    return told


CHAPTER = Chapter("Map", content, "Map of sentences")
