"""The algorithms: from a frequency table and promises to a plan."""
