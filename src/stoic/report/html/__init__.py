"""A result as one HTML page that needs nothing but a browser."""
