from unfooled.attacks import PWWS, PWWS_PEER, Parts, RandomWords
from unfooled.substitution.substitutes import neighbours, others, owning, parted, wordnet
from unfooled.text.document import read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.stop_words import STOP_WORDS

TEXT = read("The movies were surprisingly good, and the ACTORS told a dull story.")


def table(**settings: bool) -> dict[str, tuple[str, ...]]:
    return dict(zip(TEXT.words, wordnet(**settings)(TEXT), strict=True))


def test_synonyms_have_the_words_form_and_case() -> None:
    found = table()
    assert "films" in found["movies"] and "film" not in found["movies"]
    assert "PLAYERS" in found["ACTORS"] and all(word.isupper() for word in found["ACTORS"])
    assert "tale" in found["story"]


def test_stop_words_have_none_unless_asked() -> None:
    found = table()
    assert all(not found[word] for word in TEXT.words if word.lower() in STOP_WORDS)
    assert table(skip_stop_words=False)["were"]


def test_any_kind_and_no_form_is_what_the_lexicon_says() -> None:
    found = table(same_kind=False, reinflect=False, veto=False)
    single = [word for word in lexicon().synonyms("dull") if " " not in word]
    assert list(found["dull"]) == single and set(found["dull"]) > set(table(reinflect=False)["dull"])
    assert "movie" in found["movies"] and "film" in found["movies"]  # the base form is one of its synonyms then


def test_antonyms_are_vetoed() -> None:
    words = [word for word in ("good", "bright", "heavy", "rich", "hot", "light", "easy") if lexicon().antonyms(word)]
    assert words
    for word in words:
        near = {word: (*lexicon().antonyms(word), "something")}
        document = read(word)
        assert neighbours(near)(document) == [("something",)]


def test_neighbours_are_cut_cased_and_no_stop_words_have_any() -> None:
    near = {"film": ("movie", "picture", "Film", "show"), "the": ("a",)}
    assert neighbours(near, most=2)(read("Film the FILM")) == [("Movie", "Picture"), (), ("MOVIE", "PICTURE")]


def test_a_word_is_no_substitute_of_itself() -> None:
    assert others("Film", ["film", "movie", "FILM", "movie", ""]) == ("movie",)


def test_another_tagger_is_believed() -> None:
    document = read("films")
    assert "movies" in wordnet()(document)[0]
    verbs = wordnet(tagger=lambda words: ["VBZ"] * len(words))(document)[0]
    assert "shoots" in verbs and "movies" not in verbs
    for attack in (PWWS(), RandomWords()):
        search = attack.search(Parts(tag=lambda words: ["VBZ"] * len(words)))
        assert search.keywords["substitutes"](document)[0] == verbs  # type: ignore[attr-defined]


def test_the_noun_of_a_possessive_is_replaced_and_its_ending_kept() -> None:
    document = read("The film's heroes and the FILM’S story.")
    small, _, _, _, large = wordnet()(document)[1:6]
    plain = wordnet()(read("the film was"))[1]
    assert "movie's" in small and small == tuple(f"{word}'s" for word in plain)
    assert "MOVIE’S" in large
    assert not wordnet(possessives=False)(document)[1]
    near = {"film": ("movie", "picture")}
    assert neighbours(near)(read("Film's it's")) == [("Movie's", "Picture's"), ()]
    assert neighbours({**near, "film's": ("reel's",)})(read("film's")) == [("reel's",)]


def test_what_ends_like_a_possessive_again_and_again_is_none() -> None:
    near = {"film": ("movie",)}
    for times in (2, 3, 10_000):
        document = read("the film" + "'s" * times)
        assert wordnet()(document)[1] == neighbours(near)(document)[1] == ()


def test_possessives_are_nouns_in_their_right_form_and_no_contractions() -> None:
    found = dict(
        zip(["the", "children's", "toys", "let's", "go"], wordnet()(read("the children's toys let's go")), strict=True)
    )
    assert "kids'" in found["children's"] and not any(word.endswith("s's") for word in found["children's"])
    assert found["let's"] == ()
    verb = wordnet(tagger=lambda words: ["VBZ"] * len(words))
    assert verb(read("film's")) == [()]
    assert parted("'s") == ("", "") and parted("films") == ("", "") and owning("gas", "’s", "NN") == "gas’s"
    for attack in (PWWS(), RandomWords()):
        assert attack.search(Parts()).keywords["substitutes"](read("the film's"))[1]  # type: ignore[attr-defined]
    assert not PWWS_PEER.search(Parts()).keywords["substitutes"](read("the film's"))[1]  # type: ignore[attr-defined]
