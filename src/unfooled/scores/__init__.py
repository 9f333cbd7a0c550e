"""Numbers that know what they count, how sure they are and how they are printed; no torch."""
