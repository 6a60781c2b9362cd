"""What a release is still good for, held against its table: figures, queries, analyses."""
