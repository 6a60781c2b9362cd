"""Pictures for people: charts of figures, and trees of searches and hierarchies."""
