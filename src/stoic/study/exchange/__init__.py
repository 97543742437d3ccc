"""A study's trials as CSV, JSON and Parquet, out and in, and as data frames."""
