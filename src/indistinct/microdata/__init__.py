"""The private table, understood: roles, codes, and the frequency table that the search sees."""
