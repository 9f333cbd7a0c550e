"""Words that behavioural tests exchange for one another: names, places, contractions, harmless sentences.

Names that are also common words (Will, Mark, Grace, May) and places that are also names (Victoria, Florence) are left
out, so that what is found is what it looks like even in texts without capitals.
"""


def words(listed: str) -> tuple[str, ...]:
    """A list written as one text, commas between its entries."""
    return tuple(entry.strip() for entry in listed.split(","))


WOMEN = words(
    "Alice, Amanda, Amy, Andrea, Angela, Anna, Barbara, Brenda, Caroline, Catherine, Christina, Cynthia, Deborah, "
    "Diana, Donna, Dorothy, Elizabeth, Emily, Emma, Hannah, Helen, Jennifer, Jessica, Julia, Karen, Kimberly, Laura, "
    "Linda, Lisa, Margaret, Maria, Martha, Melissa, Michelle, Monica, Nancy, Nicole, Olivia, Pamela, Patricia, Rachel, "
    "Rebecca, Samantha, Sandra, Sarah, Sharon, Sophia, Stephanie, Susan, Teresa"
)
MEN = words(
    "Aaron, Adam, Alan, Andrew, Anthony, Benjamin, Brian, Charles, Christopher, Daniel, David, Dennis, Edward, Eric, "
    "Gary, George, Gregory, Harold, Henry, Jacob, James, Jason, Jeffrey, Jeremy, John, Jonathan, Joseph, Joshua, "
    "Keith, Kenneth, Kevin, Larry, Matthew, Michael, Nathan, Nicholas, Patrick, Paul, Peter, Philip, Raymond, "
    "Richard, Robert, Ronald, Samuel, Scott, Stephen, Steven, Thomas, Timothy, Tyler, Walter, William"
)
CITIES = words(
    "Amsterdam, Athens, Atlanta, Bangkok, Barcelona, Beijing, Berlin, Boston, Brussels, Budapest, Cairo, Chicago, "
    "Copenhagen, Dallas, Denver, Detroit, Dublin, Hamburg, Helsinki, Houston, Istanbul, Jakarta, Johannesburg, Lagos, "
    "Lisbon, London, Los Angeles, Madrid, Manchester, Manila, Melbourne, Miami, Milan, Montreal, Moscow, Mumbai, "
    "Munich, Nairobi, New York, Oslo, Philadelphia, Prague, Rome, San Francisco, Seattle, Seoul, Shanghai, Singapore, "
    "Stockholm, Sydney, Tokyo, Toronto, Vancouver, Vienna, Warsaw, Zurich"
)
COUNTRIES = words(
    "Argentina, Australia, Austria, Belgium, Brazil, Bulgaria, Canada, Colombia, Croatia, Denmark, Egypt, Ethiopia, "
    "Finland, France, Germany, Ghana, Greece, Hungary, Iceland, India, Indonesia, Ireland, Italy, Japan, Kenya, "
    "Malaysia, Mexico, Morocco, Nepal, Netherlands, New Zealand, Nigeria, Norway, Pakistan, Peru, Poland, Portugal, "
    "Romania, Russia, Scotland, Slovakia, South Africa, South Korea, Spain, Sweden, Switzerland, Thailand, Ukraine, "
    "Uruguay, Vietnam"
)

# What stands before n't, and what it is without it. "ain't" may be several things and is left alone.
NEGATED = {
    "ca": "can", "wo": "will", "sha": "shall",
    **{one: one for one in (
        "are", "could", "did", "do", "does", "had", "has", "have", "is", "might", "must", "need", "should", "was",
        "were", "would",
    )},
}  # fmt: skip
# Endings that mean one thing whatever they hang on; 's and 'd mean two.
ENDINGS = {"'re": "are", "'ve": "have", "'ll": "will", "'m": "am"}
CONTRACTED = {full: short for short, full in ENDINGS.items()} | {"is": "'s"}
PRONOUNS = {
    "am": ("i",),
    "are": ("you", "we", "they"),
    "have": ("i", "you", "we", "they"),
    "will": ("i", "you", "he", "she", "it", "we", "they"),
    "is": ("he", "she", "it", "that", "there"),
}

# Sentences that say nothing of whatever stands before them.
NEUTRAL = (
    "This was written on a Tuesday.",
    "That is all there is to it for now.",
    "This note ends here.",
    "There may be more at a later time.",
    "It was typed on a keyboard.",
    "This is the last line of the text.",
    "The date was added afterwards.",
    "This text was saved in the afternoon.",
    "Somebody else may have a copy of this.",
    "The next page is blank.",
)
