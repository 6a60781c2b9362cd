"""The private table, encoded: roles, codes, and the frequency table that the search sees."""
