"""Export and import of a study's trials as CSV, JSON and Parquet."""
