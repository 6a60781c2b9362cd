"""Kinds of files, one in each module: what :mod:`indistinct.sources.file_kind` finds here."""
