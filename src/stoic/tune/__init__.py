"""``stoic tune``: run a program with suggested parameters, read its value, show progress."""
