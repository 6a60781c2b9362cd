"""Pictures for people: charts of figures, and graphs."""
