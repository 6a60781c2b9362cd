"""What columns give away, in bits: alone, together, through others, before a release and after."""
