"""Experiments: their specification, runner, results, figures and reports."""

from stoic.lab.experiments.results import Results
from stoic.lab.experiments.runner import run
from stoic.lab.experiments.spec import Experiment, PolicySpec
from stoic.lab.experiments.toml import load

__all__ = ["Experiment", "PolicySpec", "Results", "load", "run"]
