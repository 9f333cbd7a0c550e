"""English contractions written out, and written short."""

import re

from unfooled.text.english.inflection import cased
from unfooled.text.english.word_lists import CONTRACTED, ENDINGS, NEGATED, PRONOUNS

APOSTROPHE = "['’]"
# Corpora that were split into tokens have a space before the ending ("does n't", "it 's").
NOT = re.compile(rf"\b({'|'.join(NEGATED)}) ?n{APOSTROPHE}t\b", re.IGNORECASE)
ENDING = re.compile(rf"\b(i|you|he|she|it|we|they|that|there|who|what)( ?{APOSTROPHE})(re|ve|ll|m)\b", re.IGNORECASE)
# 's is "has" before a participle and may belong to a noun, so it is written out after these words alone, and only
# before words that no participle is.
IS = re.compile(
    rf"\b(he|she|it|that|there|here|what|where|who) ?{APOSTROPHE}s(?= (?:a|an|the|not|no|so|too|very|just|all|my|your|"
    r"his|her|their|our|this|that|what|how|why|still|also|really|only|always|never|in|on|at|about|like|as|hard|easy)\b)",
    re.IGNORECASE,
)
LONG_NOT = re.compile(
    r"\b(are|could|did|do|does|had|has|have|is|should|was|were|would|will|can)( ?)not\b(?! only)", re.IGNORECASE
)
LONG_VERB = re.compile(r"\b([A-Za-z]+) (am|are|have|will|is)(?= [A-Za-z])", re.IGNORECASE)
SHORT_NOT = {"will": "won't", "can": "can't"}


def contractions(text: str) -> str:
    """The contractions of a text written out; where it has none, what can be contracted is.

    >>> contractions("I'm sure it doesn't."), contractions("I am sure it does not.")
    ('I am sure it does not.', "I'm sure it doesn't.")
    """
    written = written_out(text)
    return written if written != text else written_short(text)


def written_out(text: str) -> str:
    """All contractions that mean one thing, as whole words."""
    text = NOT.sub(lambda match: f"{cased(NEGATED[match[1].lower()], match[1])} not", text)
    text = ENDING.sub(lambda match: f"{match[1]} {ENDINGS[chr(39) + match[3].lower()]}", text)
    return IS.sub(lambda match: f"{match[1]} is", text)


def written_short(text: str) -> str:
    """Verbs with not, and pronouns with their verbs, as contractions."""
    short = LONG_NOT.sub(negative, text)
    return LONG_VERB.sub(contracted, short)


def negative(match: re.Match[str]) -> str:
    """The contraction of a verb and not; what is written in capitals stays."""
    verb, space = match[1], match[2]
    if verb.isupper() or (not space and verb.lower() != "can"):  # only can and not are ever one word
        return match[0]
    return cased(SHORT_NOT.get(verb.lower(), f"{verb.lower()}n't"), verb)


def contracted(match: re.Match[str]) -> str:
    """The contraction of a pronoun and its verb, or the words as they are."""
    pronoun, verb = match[1], match[2].lower()
    if pronoun.lower() not in PRONOUNS[verb] or match[2].isupper():
        return match[0]
    return f"{pronoun}{CONTRACTED[verb]}"
