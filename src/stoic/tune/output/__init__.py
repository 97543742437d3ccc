"""The output of a program: its last part, and the numbers in it."""
