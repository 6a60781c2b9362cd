"""The methods, a file for each; :func:`indistinct.recoding.method.methods` finds them."""
