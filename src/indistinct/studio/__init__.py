"""The studio: a page on the user's own machine, in which a policy is written by clicking.

It holds no logic of its own: what it shows comes from the public functions of the package, and what
is clicked is an edit of one policy file, which the command line runs to the same bytes. The server
answers on the loopback interface alone, to holders of the token that was printed.
"""
