"""The lexicon, the tagger and the inflector, opened once before processes are forked."""

from unfooled.text.english import brill, candidates, inflection, lexicon

lexicon.lexicon()
candidates.random_words()
inflection.inflected("run", "VBD")
brill.brill_tags(["They", "ran", "quickly"])
