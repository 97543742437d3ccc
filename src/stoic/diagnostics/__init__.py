"""Diagnosis of repeated measurements: location, tail, outliers, and a suitable policy."""

from stoic.diagnostics.advice import Advice
from stoic.diagnostics.outliers import Outliers
from stoic.diagnostics.report import Diagnosis, diagnose
from stoic.diagnostics.tails import Tail

__all__ = ["Advice", "Diagnosis", "Outliers", "Tail", "diagnose"]
