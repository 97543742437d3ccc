"""Finite feature maps that approximate or reproduce a kernel."""

from stoic.features.base import Features
from stoic.features.fixed import FixedMap
from stoic.features.growing import GrowingMap, SpannedGrowingMap
from stoic.features.linear import LinearMap
from stoic.features.nystrom import NystromMap, draw_dictionary
from stoic.features.quadrature import QuadratureMap
from stoic.features.random import RandomFourierMap
from stoic.features.sampling import DictionarySampler, Inclusion
from stoic.features.spanning import SpanningMap

__all__ = [
    "DictionarySampler",
    "Features",
    "FixedMap",
    "GrowingMap",
    "Inclusion",
    "LinearMap",
    "NystromMap",
    "QuadratureMap",
    "RandomFourierMap",
    "SpannedGrowingMap",
    "SpanningMap",
    "draw_dictionary",
]
