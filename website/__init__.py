"""The site of the documentation: what mkdocs does not do itself, and checks of the result."""
