"""Where studies are kept: SQLite files and PostgreSQL databases, every row with its digest."""
