import pytest

from unfooled.text.english.inflection import cased, inflected


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        ("movie", "NNS", "movies"),
        ("child", "NNS", "children"),
        ("motion picture", "NNS", "motion pictures"),
        ("by-product", "NNS", "by-products"),
        ("Smith", "NNPS", "Smiths"),
        ("go", "VBD", "went"),
        ("take", "VBN", "taken"),
        ("run", "VBG", "running"),
        ("watch", "VBZ", "watches"),
        ("give up", "VBD", "gave up"),
        ("put on", "VBG", "putting on"),
        ("be", "VBP", "are"),
        ("be", "VBZ", "is"),
        ("blorf", "VBD", "blorfed"),
        ("good", "JJR", "better"),
        ("happy", "JJS", "happiest"),
        ("beautiful", "JJR", "more beautiful"),
        ("beautiful", "JJS", "most beautiful"),
        ("quickly", "RBR", "more quickly"),
        ("quicker", "RBR", "quicker"),
        ("best", "JJR", "better"),
        ("worse", "JJS", "worst"),
        ("more", "RBR", "more"),
        ("well", "RBR", "better"),
        ("film", "NN", "film"),
        ("shoot", "VBP", "shoot"),
        ("the", "DT", "the"),
        ("", "NNS", ""),
        ("24/7", "NNS", "24/7"),
    ],
)
def test_the_form_is_the_one_the_tag_asks_for(lemma: str, tag: str, form: str):
    assert inflected(lemma, tag) == form


@pytest.mark.parametrize(
    ("word", "like", "wanted"),
    [
        ("movie", "film", "movie"),
        ("movie", "Film", "Movie"),
        ("movie", "FILM", "MOVIE"),
        ("motion picture", "Film", "Motion picture"),
        ("one", "A", "One"),
        ("Paris", "film", "Paris"),
        ("movie", "iPhone", "movie"),
        ("movie", "3D", "movie"),
        ("movie", "McDonald", "Movie"),
        ("", "Film", ""),
        ("movie", "", "movie"),
    ],
)
def test_letter_case_follows_the_replaced_word(word: str, like: str, wanted: str):
    assert cased(word, like) == wanted
