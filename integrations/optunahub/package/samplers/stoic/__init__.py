"""Stoic's sampler for Optuna; the code is in the package stoic on PyPI."""

try:
    from stoic.integrations.optuna import StoicSampler
    from stoic.integrations.optuna import recommend
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "expected package stoic for StoicSampler, got none; pip install -U 'stoic[optuna]'"
    ) from missing


__all__ = ["StoicSampler", "recommend"]
