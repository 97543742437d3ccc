"""The store behind the server: one thread that writes, two that read."""
