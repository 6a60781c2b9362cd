"""What several releases of the same people say together."""
