"""Every policy against its literal transcription, in lockstep, at every round.

The reference is told the arms that the package plays. Mean, std and width must agree to 1e-8
(relative where they exceed one), and each ask must be the reference's argmax up to 1e-9.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.soak import pairwise
from helpers.worlds import NOISES, WORLDS, Array, World, linear
from reference import ALL, Constants
from reference.base import Reference
from reference.rgppe import RGPPE as ReferenceRGPPE
from stoic.features import RandomFourierMap
from stoic.policies import Policy, by_name
from stoic.randomness import uniform

T = 300
TOLERANCE = 1e-8
TIE = 1e-9

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("gp-ucb", "gpucb", {}),
    ("gp-ucb", "gpucb", {"schedule": "srinivas-thm1"}),
    ("gp-ucb", "gpucb", {"schedule": "srinivas-thm3"}),
    ("tgp-ucb", "tgpucb", {}),
    ("ata-gp-ucb", "atagpucb", {"features": "nystrom"}),
    ("ata-gp-ucb", "atagpucb", {"features": "qff", "nodes": 16}),
    ("ata-gp-ucb", "atagpucb", {"features": "rff", "frequencies": 20}),
    ("ata-gp-ucb", "atagpucb", {"features": "linear"}),
    ("ca-tgp-ucb", "catgpucb", {}),
    ("mom-gp-ucb", "momgpucb", {}),
    ("mom-gp-ucb", "momgpucb", {"delta_prime": 0.9}),
    ("bkb", "bkb", {}),
    ("bbkb", "bbkb", {}),
    ("rgp-ucb", "rgpucb", {}),
    ("rgp-pe", "rgppe", {}),
    ("fast-slow-gp-ucb", "fastslowgpucb", {"budget": 1.0}),
    ("fast-slow-gp-ucb", "fastslowgpucb", {"budget": 12.0}),
    ("fast-slow-gp-ucb", "fastslowgpucb", {"budget": None}),
    ("rcgp-ucb", "rcgpucb", {}),
]
SURE = 1e12  # an inclusion factor that makes every probability one


def everything(probabilities: Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Include every play."""
    assert (probabilities >= 1.0).all()
    return np.ones(len(probabilities), dtype=bool)


def pair(
    name: str, twin: str, own: dict[str, Any], world: World, schedule: str, lam: float
) -> tuple[Policy, Reference]:
    """The package's policy and its reference, set up alike."""
    horizon = 2 * T if name == "mom-gp-ucb" else T
    constants = Constants(
        norm_bound=1.5,
        moment_order=0.7,
        raw_moment=2.5,
        central_moment=1.2,
        noise_std=0.8,
        budget=3.0,
        delta=0.1,
    )
    theirs = dict(own)
    if theirs.get("features") == "qff":
        X = world.domain.X
        side = np.ptp(X)
        theirs |= {"X": (X - X.min()) / side, "lengthscale": 0.3 / side}
    elif theirs.get("features") == "rff":
        X, m = world.domain.X, theirs.pop("frequencies")
        theirs |= {"X": X, "omega": RandomFourierMap(world.kernel, X.shape[1], m, seed=0).omega}
    elif theirs.get("features") == "linear":
        theirs |= {"X": world.domain.X}
    elif name in ("ata-gp-ucb", "bkb", "bbkb"):
        theirs |= {"include": everything, "q": SURE}
        own = {**own, "q": SURE}
    assumed = stoic.Assumptions(**constants.__dict__)
    if name == "fast-slow-gp-ucb":
        theirs["variate"] = partial(uniform, 0)
        assumed, own = replace(assumed, **own), {}
    policy = by_name(name)(
        world.domain,
        world.kernel,
        lam=lam,
        horizon=horizon,
        schedule=schedule,
        assumptions=assumed,
        **own,
    )
    literal: Any = ALL[twin]
    reference: Reference = literal(
        world.K, lam=lam, horizon=horizon, schedule=schedule, constants=constants, **theirs
    )
    return policy, reference


def differ(ours: Any, theirs: Any) -> float:
    """The largest difference, relative where values exceed one."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.max(np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))))


def follow(
    name: str,
    twin: str,
    own: dict[str, Any],
    where: str,
    noise: str,
    schedule: str,
    lam: float = 1.0,
) -> Array:
    """Play in lockstep; the largest differences of mean, std and width at any round."""
    world = linear() if where == "linear" else WORLDS[where]()
    policy, reference = pair(name, twin, own, world, schedule, lam)
    rounds = 2 * T if name == "mom-gp-ucb" else T
    payoffs = NOISES[noise](np.random.default_rng(7), rounds)
    worst = np.zeros(3)
    for t in range(rounds):
        arm = policy.ask()
        if isinstance(reference, ReferenceRGPPE):
            assert arm == reference.plan[0]
        elif arm != getattr(policy, "_arm", None):  # within an episode there is no choice
            index = reference.index
            drawn = t == 0 and getattr(policy.schedule, "random_start", False)
            assert drawn or index[arm] >= index.max() - TIE * max(1.0, abs(index.max()))
        differences = [
            differ(policy.mean, reference.mean),
            differ(policy.std, reference.std),
            differ(policy.width, reference.width),
        ]
        worst = np.maximum(worst, differences)
        assert worst.max() < TOLERANCE, f"round {t}"
        payoff = float(world.f[arm] + payoffs[t])
        policy.tell(arm, payoff)
        reference.tell(arm, payoff)
    return worst


NAMES = {"-".join([case[0], *map(str, case[2].values())]): case for case in CASES}
GRID = pairwise(
    {
        "policy": list(NAMES),
        "world": list(WORLDS),
        "noise": list(NOISES),
        "schedule": ["theory", "paper"],
        "lam": [1.0, 0.3],
    }
)


@pytest.mark.parametrize(("policy", "where", "noise", "schedule", "lam"), GRID)
def test_lockstep(policy: str, where: str, noise: str, schedule: str, lam: float) -> None:
    name, twin, own = NAMES[policy]
    own = dict(own)
    schedule = own.pop("schedule", schedule)
    if schedule not in by_name(name).schedules:
        schedule = "practical"  # RCGP-UCB has no theory schedule
    features = own.get("features")
    if features == "qff" or (features == "rff" and where == "matrix"):
        where = "se"  # Fourier features need coordinates, and by quadrature this kernel
    elif features == "linear":
        where = "linear"
    assert follow(name, twin, own, where, noise, schedule, lam).max() < TOLERANCE


@pytest.mark.parametrize("lam", [1.0, 0.3])
def test_on_a_box_rgp_pe_has_the_width_of_corollary_7(lam: float) -> None:
    given = Constants(norm_bound=1.5, noise_std=0.8, budget=3.0, delta=0.1)
    assumed = stoic.Assumptions(norm_bound=1.5, noise_std=0.8, budget=3.0, delta=0.1)
    more: dict[str, Any] = {"schedule": "theory", "horizon": T, "assumptions": assumed, "lam": lam}
    kernel = stoic.SquaredExponential(0.3)
    policy: Any = by_name("rgp-pe")(stoic.Box([0.0], [1.0]), kernel, **more)
    points = policy.points
    finite = by_name("rgp-pe")(stoic.Arms(points), kernel, **more)
    K = np.exp(-((points - points.T) ** 2) / (2.0 * 0.3**2))
    reference = ReferenceRGPPE(K, lam=lam, horizon=T, constants=given, continuous=True)
    payoffs = NOISES["t3"](np.random.default_rng(7), T)
    for t in range(T):
        arm = reference.plan[0]
        point = policy.ask()
        np.testing.assert_array_equal(point, points[arm])
        payoff = float(np.sin(6.0 * point[0]) + payoffs[t])
        policy.tell(point, payoff)
        reference.tell(arm, payoff)
        if t < 2:  # the first epoch, alike on the same points as arms, but for the width
            finite.tell(finite.ask(), payoff)
        assert differ(policy.mean, reference.mean) < TOLERANCE
        assert differ(policy.std, reference.std) < TOLERANCE
        assert differ(policy.width, reference.width) < TOLERANCE
        if t == 1:
            assert 0.0 < finite.width != pytest.approx(policy.width, rel=1e-3)  # Corollary 5
    assert policy.epoch >= 3
