"""How likely somebody is found in a table, alone or in its population, and what standards ask."""
