"""Word forms: a replacement takes the number, tense and letter case of the word it replaces."""

from functools import lru_cache

# Forms that are the base form itself.
AS_IT_IS = frozenset(["NN", "NNP", "VB", "VBP", "JJ", "RB"])
DEGREES = {"JJR": "more", "RBR": "more", "JJS": "most", "RBS": "most"}
REMEMBERED = 8192


@lru_cache(REMEMBERED)
def inflected(lemma: str, tag: str) -> str:
    """The base form in the form a Penn tag asks for; tags that ask for none give it back.

    Of several words the head changes: a verb's first, a noun's last. Where an adjective or adverb has no
    comparative of its own, more and most make one; WordNet also lists comparatives ("quicker"), which count as
    forms of what they compare.

    >>> inflected("movie", "NNS"), inflected("give up", "VBD"), inflected("beautiful", "JJR")
    ('movies', 'gave up', 'more beautiful')
    """
    if tag in AS_IT_IS:
        return "are" if (lemma, tag) == ("be", "VBP") else lemma
    if tag.startswith("VB"):
        head, space, rest = lemma.partition(" ")
        return one_word(head, tag) + space + rest
    if tag in ("NNS", "NNPS"):
        rest, space, head = lemma.rpartition(" ")
        return rest + space + one_word(head, "NNS")
    if tag in DEGREES:
        plain = positive(lemma, tag)
        listed = forms(plain, tag, guess=False)
        return listed[0] if listed else f"{DEGREES[tag]} {plain}"
    return lemma


def one_word(word: str, tag: str) -> str:
    """A single word's form; what follows no rule stays as it is."""
    inflected = forms(word, tag, guess=word.replace("-", "").isalpha())
    return inflected[0] if inflected else word


def forms(word: str, tag: str, guess: bool) -> tuple[str, ...]:
    """The forms the dictionary has, or by rule where it has none and a guess is wanted."""
    from lemminflect import getInflection  # not before it is needed: it reads its tables

    return getInflection(word, tag, inflect_oov=guess)


def positive(word: str, tag: str) -> str:
    """What a comparative or superlative compares; any other word is that itself.

    >>> positive("best", "JJR"), positive("clever", "JJR")
    ('good', 'clever')
    """
    from lemminflect import getLemma

    lemmas = getLemma(word, "ADJ" if tag.startswith("JJ") else "ADV", lemmatize_oov=False)
    return lemmas[0] if lemmas else word


def cased(word: str, like: str) -> str:
    """A word in the letter case of another: all capitals, a first capital, or as it is.

    >>> cased("movie", "Film"), cased("movie", "FILM"), cased("Paris", "film"), cased("one", "A")
    ('Movie', 'MOVIE', 'Paris', 'One')
    """
    if like.isupper() and sum(map(str.isupper, like)) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
