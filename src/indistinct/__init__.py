"""Find who is at risk in a table about people, release it safely, and prove it."""

__version__ = "0.1.0"
