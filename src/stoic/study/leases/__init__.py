"""Trials leased to workers: asked, renewed, released, and leased again where they were lost."""
