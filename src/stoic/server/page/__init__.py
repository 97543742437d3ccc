"""The live page: what people watch of a study, rendered by the server and kept up to date."""
