"""Finite feature maps that approximate or reproduce a kernel."""

from stoic.features.base import Features
from stoic.features.growing import GrowingMap, SpannedGrowingMap
from stoic.features.nystrom import NystromMap, draw_dictionary
from stoic.features.quadrature import QuadratureMap
from stoic.features.sampling import DictionarySampler, Inclusion
from stoic.features.spanning import SpanningMap

__all__ = [
    "DictionarySampler",
    "Features",
    "GrowingMap",
    "Inclusion",
    "NystromMap",
    "QuadratureMap",
    "SpannedGrowingMap",
    "SpanningMap",
    "draw_dictionary",
]
