"""What comes in: an opened source, values transformed, and the private table understood.

Every verb that looks at a private table begins here.
"""
