"""Stoic inside the loops of other libraries: one file and one optional extra per host."""
