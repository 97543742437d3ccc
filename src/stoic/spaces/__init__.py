"""Where a policy may play: finite arms or a continuous box."""

from stoic.spaces.arms import Arms
from stoic.spaces.box import Box

__all__ = ["Arms", "Box", "Domain"]

Domain = Arms | Box
