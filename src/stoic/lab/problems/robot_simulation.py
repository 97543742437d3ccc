"""A hand that pushes a disc over a table, in Box2D.

The set-up of Wang, Jegelka, *Max-value entropy search for efficient Bayesian optimization*,
ICML 2017, without noise. Needs the extra ``robot``.
"""

from __future__ import annotations

import math
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from stoic.checks import Array
from stoic.errors import MissingExtra

__all__ = ["push"]

_STEP = 0.01  # seconds
_ITERATIONS = 10  # of the solvers of velocity and of position, per step
_SPEED = 5.0  # of the hand, towards the disc
_GAIN = 30.0  # force per missing momentum of the hand
_STEPS_PER_DURATION = 10  # t_r = 1 is a tenth of a second
_FINAL_STEPS = 100  # without force, at the end


def push(points: Array) -> Array:
    """Where the disc comes to rest, for each row (r_x, r_y, t_r).

    A disc of radius 1 is at the origin. A hand of half-sizes 0.3 × 1 stands at (r_x, r_y),
    pushes towards the disc for int(10·t_r) steps of 0.01 s, then exerts no force for 100 steps.
    Both have friction with the table; there is no gravity in the plane.

    Cost: a few milliseconds a point.
    """
    box2d = _box2d()
    return np.array([_push(box2d, rx, ry, tr) for rx, ry, tr in points.tolist()])


def _box2d() -> Any:
    try:
        with warnings.catch_warnings():
            # Its C code warns while it loads, and crashes if warnings are errors.
            warnings.simplefilter("ignore", DeprecationWarning)
            return import_module("Box2D")
    except ImportError as cause:
        raise MissingExtra.of("Box2D", "the Robot3D simulation", "robot") from cause


def _push(box2d: Any, rx: float, ry: float, tr: float) -> tuple[float, float]:
    world = box2d.b2World(gravity=(0.0, 0.0), doSleep=True)
    table = world.CreateStaticBody(position=(0.0, 0.0))
    table.CreatePolygonFixture(box=(500.0, 500.0))
    disc = world.CreateDynamicBody(position=(0.0, 0.0))
    disc.CreateCircleFixture(radius=1.0, density=0.05, friction=0.01)
    _add_friction(world, table, disc, force=5.0)
    hand = world.CreateDynamicBody(position=(rx, ry), angle=math.atan(ry / rx))
    hand.CreatePolygonFixture(box=(0.3, 1.0), density=0.1, friction=0.1)
    _add_friction(world, table, hand, force=2.0)

    away = np.array([rx, ry])
    wanted = box2d.b2Vec2((-_SPEED * (away / np.linalg.norm(away))).tolist())
    for _ in range(int(_STEPS_PER_DURATION * tr)):
        # Box2D's vectors are of single precision, so the order of the factors matters.
        hand.ApplyForce(hand.mass * (wanted - hand.linearVelocity) * _GAIN, hand.position, True)
        hand.ApplyTorque(-hand.mass * hand.angularVelocity * _GAIN, True)
        world.Step(_STEP, _ITERATIONS, _ITERATIONS)
    for _ in range(_FINAL_STEPS):
        world.Step(_STEP, _ITERATIONS, _ITERATIONS)
    return float(disc.position[0]), float(disc.position[1])


def _add_friction(world: Any, table: Any, body: Any, force: float) -> None:
    """Add friction between a body and the table."""
    world.CreateFrictionJoint(bodyA=table, bodyB=body, maxForce=force, maxTorque=2.0)
