"""Simpson's index (1949): the chance that two people drawn at random have the same value."""
