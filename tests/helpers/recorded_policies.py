"""Plays of every policy on fixed worlds, whose payoffs depend on the world, round and arm alone."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stoic
from stoic.policies import by_name

__all__ = ["compare", "labels", "record"]

Array = NDArray[np.float64]
Run = dict[str, Any]

TIE = 1e-9  # relative to the larger bound: arms this close may be exchanged
TOLERANCE = 1e-9  # of means, standard deviations and widths, relative
NEAR = 1e-7  # of the points of a box
SNAPSHOTS = (20, 200, 1000)  # rounds after which all means and standard deviations are kept
BATCH_EVERY = 97  # rounds between two asks for a batch
ASSUMPTIONS = stoic.Assumptions(
    norm_bound=1.5,
    moment_order=0.7,
    raw_moment=2.5,
    central_moment=1.2,
    noise_std=0.8,
    budget=3.0,
    delta=0.1,
)
OPTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "gp-ucb": ("gp-ucb", {}),
    "tgp-ucb": ("tgp-ucb", {}),
    "ata-nystrom": ("ata-gp-ucb", {"features": "nystrom"}),
    "ata-qff": ("ata-gp-ucb", {"features": "qff"}),
    "ca-tgp-ucb": ("ca-tgp-ucb", {}),
    "mom-gp-ucb": ("mom-gp-ucb", {}),
    "bkb": ("bkb", {}),
    "bbkb": ("bbkb", {}),
    "rgp-ucb": ("rgp-ucb", {}),
    "rgp-pe": ("rgp-pe", {}),
    "uniform": ("uniform", {}),
}
SCHEDULES = ("practical", "paper", "theory")


@dataclass(frozen=True)
class World:
    """A domain, its kernel, and the payoff of a round and an arm (or a point)."""

    number: int
    domain: Any
    kernel: Any
    truth: Callable[[Any], float]
    noise: Callable[[np.random.Generator], float]
    rounds: int = 1000
    names: tuple[str, ...] = tuple(OPTIONS)
    schedules: tuple[str, ...] = SCHEDULES
    own: dict[str, Any] = field(default_factory=dict)

    def payoff(self, round: int, arm: Any) -> float:
        """The payoff, a function of world, round and arm alone."""
        key = [arm] if isinstance(arm, int) else []
        rng = np.random.default_rng([self.number, round, *key])
        return float(self.truth(arm) + self.noise(rng))


def _line() -> World:
    X = np.sort(np.random.default_rng(1).random(100))
    f = np.sin(7.0 * X) + 0.5 * np.cos(19.0 * X)
    kernel = stoic.SquaredExponential(0.15)
    return World(1, stoic.Arms(X), kernel, lambda arm: f[arm], lambda rng: rng.standard_t(2.5))


def _plane() -> World:
    X = np.random.default_rng(2).random((144, 2))
    f = 1e3 + np.cos(4.0 * X[:, 0]) * np.sin(5.0 * X[:, 1])
    names = tuple(name for name in OPTIONS if name != "ata-qff")  # for squared exponentials alone
    return World(
        2,
        stoic.Arms(X),
        stoic.Matern(2.5, 0.3),
        lambda arm: f[arm],
        lambda rng: 0.3 * (rng.pareto(1.8) - 1.25),
        names=names,
    )


def _outliers(rng: np.random.Generator) -> float:
    wild = rng.random()
    if wild < 0.05:
        return float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(1.0, 12.0))
    return float(0.2 * rng.standard_normal())


def _matrix() -> World:
    """Arms known by a covariance of low rank, a third of them twins of others."""
    rng = np.random.default_rng(3)
    factor = rng.standard_normal((60, 7))
    factor[40:] = factor[:20] + 1e-6 * rng.standard_normal((20, 7))
    K = factor @ factor.T / 7.0 + 1e-3 * np.eye(60)
    f = K @ rng.standard_normal(60) / 8.0
    names = tuple(name for name in OPTIONS if name != "ata-qff")
    domain = stoic.Arms.matrix(K)
    kernel = stoic.MatrixKernel(K)
    return World(3, domain, kernel, lambda arm: f[arm], _outliers, names=names, own={"lam": 0.3})


def _twins() -> World:
    """Points at distances down to 1e-7, for the one policy that a matrix does not suit."""
    rng = np.random.default_rng(4)
    x = rng.random(40)
    X = np.concatenate([x, np.clip(x[:20] + 10.0 ** rng.uniform(-7, -3, 20), 0.0, 1.0)])
    kernel = stoic.SquaredExponential(0.3)
    names = ("ata-qff", "ata-nystrom", "tgp-ucb")
    return World(4, stoic.Arms(X), kernel, lambda arm: np.sin(5 * X[arm]), _outliers, names=names)


def _linear() -> World:
    X = np.random.default_rng(5).standard_normal((80, 5))
    f = X @ np.array([0.5, -0.2, 0.1, 0.0, 0.3])
    names = ("gp-ucb", "tgp-ucb", "bkb", "bbkb", "rgp-ucb")
    return World(
        5, stoic.Arms(X), stoic.Linear(), lambda arm: f[arm], _outliers,
        rounds=400, names=names, own={"lam": 0.5},
    )  # fmt: skip


def _box() -> World:
    return World(
        6,
        stoic.Box([0.0, -1.0], [1.0, 2.0]),
        stoic.SquaredExponential([0.3, 0.8]),
        lambda x: float(np.cos(3.0 * x[0]) + np.sin(2.0 * x[1])),
        lambda rng: 0.3 * rng.standard_t(3),
        rounds=60,
        schedules=("practical", "theory"),
    )


def _many() -> World:
    X = np.random.default_rng(7).random((260_000, 2))
    return World(
        7,
        stoic.Arms(X),
        stoic.Matern(2.5, 0.2),
        lambda arm: float(np.cos(6.0 * X[arm, 0]) + np.sin(5.0 * X[arm, 1])),
        lambda rng: 0.3 * rng.standard_t(3),
        rounds=15,
        names=("gp-ucb", "tgp-ucb", "ca-tgp-ucb"),
        schedules=("practical", "theory"),
    )


WORLDS: dict[str, Callable[[], World]] = {
    "line": _line,
    "plane": _plane,
    "matrix": _matrix,
    "twins": _twins,
    "linear": _linear,
    "box": _box,
    "many": _many,
}


def labels() -> Iterator[tuple[str, str, str]]:
    """World, policy and schedule of every run."""
    for where, make in WORLDS.items():
        world = make()
        for name in world.names:
            for schedule in world.schedules:
                if name != "uniform" or schedule == "practical":
                    yield where, name, schedule


def record(where: str, name: str, schedule: str, rounds: int | None = None) -> Run:
    """One run: arms, their mean, std and width before each play, the gap to the next arm, ends."""
    world = WORLDS[where]()
    rounds = world.rounds if rounds is None else min(rounds, world.rounds)
    key, own = OPTIONS[name]
    policy = by_name(key)(
        world.domain,
        world.kernel,
        horizon=world.rounds,
        schedule=schedule,
        assumptions=ASSUMPTIONS,
        seed=world.number,
        **world.own,
        **own,
    )
    many = where == "many"  # where means of all arms take long
    run: Run = {"arms": [], "figures": [], "batches": []}
    for t in range(rounds):
        if t % BATCH_EVERY == BATCH_EVERY - 1 or (many and t == 10):
            run["batches"].append(np.asarray(policy.ask(8), dtype=float))
        arm = policy.ask()
        run["arms"].append(arm)
        finite = isinstance(arm, int)
        run["figures"].append(
            _figures(policy, arm) if finite and not many else [np.nan, np.nan, policy.width, np.nan]
        )
        policy.tell(arm, world.payoff(t, arm))
        if t + 1 in SNAPSHOTS or t + 1 == rounds:
            step = 1000 if many else 1
            run[f"mean@{t + 1}"] = policy.mean[::step].copy()
            run[f"std@{t + 1}"] = policy.std[::step].copy()
    answer = policy.recommend()
    run["answer"] = np.concatenate([np.ravel(answer.arm), [answer.value, *answer.interval]])
    run["names"] = hashlib.sha256("\n".join(sorted(policy.state())).encode()).hexdigest()
    run["arms"] = np.asarray(run["arms"])
    run["figures"] = np.asarray(run["figures"], dtype=float)
    batches = run.pop("batches")
    run["batches"] = np.concatenate([np.ravel(b) for b in batches]) if batches else np.zeros(0)
    return run


def _figures(policy: Any, arm: int) -> list[float]:
    """Mean and std of the arm, the width, and how far the next best bound is below the best."""
    mean, std, width = policy.mean, policy.std, policy.width
    bound = mean + width * std
    second, first = np.partition(bound, -2)[-2:] if len(bound) > 1 else (-np.inf, bound[0])
    return [float(mean[arm]), float(std[arm]), width, float(first - second)]


def compare(old: Run, new: Run) -> tuple[list[str], str]:
    """What differs, and a remark where the runs part at a tie."""
    wrong: list[str] = []
    if str(old["names"]) != str(new["names"]):
        wrong.append("the state has other names")
    rounds = min(len(old["arms"]), len(new["arms"]))
    before, after = old["arms"][:rounds], new["arms"][:rounds]
    box = before.ndim == 2
    differ = np.abs(before - after).max(axis=1) > NEAR if box else before != after
    parted = int(np.argmax(differ)) if differ.any() else rounds
    wrong += _figures_differ(old["figures"][:parted], new["figures"][:parted])
    if parted < rounds:
        gap, scale = old["figures"][parted, 3], _scale(old, parted)
        if not gap <= TIE * scale:
            wrong.append(f"round {parted}: {before[parted]} became {after[parted]}, gap {gap:.3g}")
        return wrong, "" if wrong else f"parts at a tie in round {parted}"
    for key in sorted(old.keys() & new.keys()):
        if key.startswith(("mean@", "std@")) and not _close(old[key], new[key], np.ptp(old[key])):
            wrong.append(f"{key} differs by {_largest(old[key], new[key]):.3g}")
    if len(old["arms"]) == len(new["arms"]):
        loose = NEAR if box else 0.0
        same = old["batches"].shape == new["batches"].shape
        if not same or (np.abs(old["batches"] - new["batches"]) > loose).any():
            wrong.append("batches differ")
        if not _close(old["answer"], new["answer"], 1e3 * loose):
            wrong.append(f"recommend: {old['answer']} became {new['answer']}")
    return wrong, ""


def _figures_differ(old: Array, new: Array) -> list[str]:
    wrong = []
    for column, name in enumerate(("mean", "std", "width")):
        off = ~np.isclose(new[:, column], old[:, column], rtol=TOLERANCE, atol=1e-9, equal_nan=True)
        if off.any():
            t = int(np.argmax(off))
            wrong.append(f"round {t}: {name} {old[t, column]!r} became {new[t, column]!r}")
    return wrong


def _scale(run: Run, t: int) -> float:
    mean, std, width, _ = run["figures"][t]
    return float(max(abs(mean), abs(width * std), 1e-300))


def _close(old: Any, new: Any, room: float = 0.0) -> bool:
    if np.shape(old) != np.shape(new):
        return False
    return bool(np.allclose(new, old, rtol=TOLERANCE, atol=TOLERANCE * (1.0 + float(room))))


def _largest(old: Any, new: Any) -> float:
    same = np.shape(old) == np.shape(new)
    return float(np.max(np.abs(np.subtract(old, new)), initial=0.0)) if same else np.inf
