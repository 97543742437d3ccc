"""What the operator of a server sees: the access log, and metrics."""
