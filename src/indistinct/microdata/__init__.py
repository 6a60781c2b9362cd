"""The private table, as_policy: roles, codes, and the frequency table that the search sees."""
