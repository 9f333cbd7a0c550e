"""The page in a few sentences, the words it uses, and what makes numbers doubtful."""

from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, join, tag
from unfooled.report.tested import GroupDifference
from unfooled.report.told import Number, Told

OF_LANGUAGE = ("perplexity", "perplexity_under_attack", "BLEU", "changed")  # metrics that the headline tells


def content(told: Told) -> Markup:
    """The headline, what its words mean, and the warnings."""
    warnings = [tag("li", warning) for warning in told.results.warnings]
    return join(
        [
            *(tag("p", held(said), class_="lead" if not place else None) for place, said in enumerate(headline(told))),
            *(term(told, name) for name in named(told)),
            tag("aside", tag("h3", "Read with care"), tag("ul", *warnings), class_="warnings") if warnings else None,
        ]
    )


def held(sentence: str) -> str:
    """The sentence with no line break between a number and its per cent sign."""
    return sentence.replace(" %", "\u00a0%")


def term(told: Told, trial: str) -> Markup:
    """What a trial does, where it is first named."""
    return tag("p", tag("dfn", trial), f" {told.terms[trial]}.", class_="term")


def named(told: Told) -> list[str]:
    """The trials that the headline names."""
    hardest = [told.hardest.row.trial] if told.hardest is not None and told.all_of("accuracy") else []
    of_language = [one.row.trial for metric in OF_LANGUAGE for one in told.numbers if one.row.metric == metric]
    names = dict.fromkeys([*hardest, *of_language, *(one.trial for one in largest(told).values())])
    return [name for name in names if told.terms[name]]


def headline(told: Told) -> list[str]:
    """What is left of each model under the hardest attack, and what is shown to differ."""
    return [*of_answers(told), *of_language(told), *of_differences(told)]


def listed(told: Told, number: Number) -> str:
    """Each column with its number."""
    pairs = zip(told.names, number.scores, strict=True)
    return ", ".join(f"{name} {score.text}" for name, score in pairs if score is not None)


def of_answers(told: Told) -> list[str]:
    """How many texts are answered rightly, as they are and under the hardest attack."""
    clean = told.all_of("accuracy")[:1]
    sentences = [f"Texts as they are: {listed(told, number)} right." for number in clean]
    if clean and told.hardest is not None:
        sentences.append(f"Under {told.hardest.trial}: {listed(told, told.hardest)}.")
    return [" ".join(sentences)] if sentences else []


def of_language(told: Told) -> list[str]:
    """How surprised language models are, how well translators translate, and what one moved word changes."""
    known = {name: [one for one in told.numbers if one.row.metric == name] for name in OF_LANGUAGE}
    sentences = []
    if known["perplexity"]:
        surprise = f"Perplexity of the texts as they are: {listed(told, known['perplexity'][0])}."
        if known["perplexity_under_attack"]:
            most = max(known["perplexity_under_attack"], key=lambda one: one.row.eps or 0.0)
            surprise += f" With one word a segment moved by {most.row.eps:g}: {listed(told, most)}."
        sentences.append(f"{surprise} Lower is better.")
    sentences += [f"BLEU of the translations: {listed(told, one)}." for one in known["BLEU"]]
    return sentences + [
        f"One moved word changes what is written ({one.row.trial.replace('_', ' ')}): {listed(told, one)}."
        for one in known["changed"]
    ]


def largest(told: Told) -> dict[str, GroupDifference]:
    """The largest difference that is shown, of each unit."""
    clear = [one for one in told.differences if one.clear]
    return {
        unit: max((one for one in clear if one.unit == unit), key=lambda one: abs(one.difference.value))
        for unit in dict.fromkeys(one.unit for one in clear)
    }


def of_differences(told: Told) -> list[str]:
    """The largest differences that are shown; or that there is none."""
    if told.differences and not largest(told):
        return ["These data show no difference between them."]
    return [
        f"The largest difference that these data show{f' in {unit}' if unit else ''}: {one.title}, {one.text} from "
        f"{one.first} to {one.second}."
        for unit, one in largest(told).items()
    ]


CHAPTER = Chapter("Verdict", content)
