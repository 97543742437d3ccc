"""Trials of a study in files of other formats: CSV, JSON, Parquet."""
