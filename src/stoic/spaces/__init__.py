"""Domains: finite arms, a continuous box, or a search space of named parameters."""

from stoic.spaces.arms import Arms
from stoic.spaces.box import Box
from stoic.spaces.choices import Categorical, Grid
from stoic.spaces.parameters import Parameter
from stoic.spaces.ranges import Float, Int
from stoic.spaces.space import Space

__all__ = ["Arms", "Box", "Categorical", "Domain", "Float", "Grid", "Int", "Parameter", "Space"]

Domain = Arms | Box
"""What a policy plays on."""
