"""Stoic inside Ray Tune: a searcher that gives the likely-best parameters, not the luckiest."""

from stoic.errors import MissingExtra

try:
    import ray.tune as _tune  # noqa: F401 - only whether it is there
except ImportError as missing:
    raise MissingExtra.of("ray[tune]", "StoicSearch", "ray") from missing

from stoic.integrations.ray.searcher import StoicSearch

__all__ = ["StoicSearch"]
