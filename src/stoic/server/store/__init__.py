"""The store behind the server: one thread that writes, one that reads."""
