"""Finals of a study: marks in its log, and how they are written."""
