"""Studies of a server, over HTTP: the verbs of `stoic.Study`, and requests that are repeated."""
