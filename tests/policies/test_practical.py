"""The practical defaults learn where it is hard to: absurd payoffs, ties, peaks, no noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stoic
from stoic.policies import by_name

X = np.linspace(0, 1, 50)
WAVE = np.sin(5 * X) + 0.5 * np.cos(13 * X)
WAVE = (WAVE - WAVE.min()) / np.ptp(WAVE)
PEAK = np.exp(-0.5 * ((X - 0.7) / 0.03) ** 2)
ROBUST = ["tgp-ucb", "ca-tgp-ucb", "mom-gp-ucb", "ata-gp-ucb", "rcgp-ucb", "huber-gp-ucb"]
Array = np.ndarray[Any, np.dtype[np.float64]]


def late_regret(
    name: str, f: Array, payoff: Callable[[int, int], float], rounds: int, lengthscale: float = 0.1
) -> float:
    """Mean regret over the second half."""
    policy: Any = by_name(name)(stoic.Arms(X), stoic.SquaredExponential(lengthscale))
    lost = np.zeros(rounds)
    for t in range(rounds):
        arm = policy.ask()
        lost[t] = f.max() - f[arm]
        policy.tell(arm, payoff(t, arm))
    return float(lost[rounds // 2 :].mean())


@pytest.mark.parametrize("name", ROBUST)
@pytest.mark.parametrize(
    ("when", "absurd"), [(0, 1e9), (0, -1e308), (2, 1e9), (40, 1e20), (41, 1e240)]
)
def test_one_absurd_payoff_changes_nothing_that_matters(
    name: str, when: int, absurd: float
) -> None:
    noise = 0.3 * np.random.default_rng(1).standard_normal(800)
    regret = late_regret(
        name, WAVE, lambda t, arm: absurd if t == when else float(WAVE[arm] + noise[t]), 800
    )
    assert regret < 0.06  # uniform play loses 0.47


def test_the_plain_policy_does_break() -> None:
    noise = 0.3 * np.random.default_rng(1).standard_normal(800)
    regret = late_regret(
        "gp-ucb", WAVE, lambda t, arm: 1e9 if t == 2 else float(WAVE[arm] + noise[t]), 800
    )
    assert regret > 0.3


@pytest.mark.parametrize("name", [*ROBUST, "gp-ucb", "bkb", "bbkb", "rgp-pe"])
def test_finds_the_best_arm_without_any_noise(name: str) -> None:
    assert late_regret(name, WAVE, lambda _, arm: float(WAVE[arm]), 600) < 0.02


@pytest.mark.parametrize("name", ROBUST[:-1])  # Huber-GP-UCB clips the peak, and for good
def test_believes_a_lonely_peak(name: str) -> None:
    rounds = 1500 if name == "mom-gp-ucb" else 600  # it plays everything five times
    regret = late_regret(name, PEAK, lambda _, arm: float(PEAK[arm]), rounds, lengthscale=0.05)
    assert regret < 0.1  # uniform play loses 0.92


@pytest.mark.parametrize("name", ROBUST)
def test_learns_from_coin_flips(name: str) -> None:
    # more than half of all payoffs may be equal, so that their median deviation is zero
    u = np.random.default_rng(2).random(3000)
    regret = late_regret(name, WAVE, lambda t, arm: float(u[t] < 0.9 * WAVE[arm]), 1200)
    assert regret < 0.08


@pytest.mark.parametrize("name", ROBUST)
def test_units_do_not_matter_over_thousands_of_rounds(name: str) -> None:
    noise = np.random.default_rng(3).standard_t(2, 2500)

    def arms(scale: float, shift: float) -> list[int]:
        policy: Any = by_name(name)(stoic.Arms(X), stoic.SquaredExponential(0.1))
        played = []
        for t in range(1200 if name == "ata-gp-ucb" else 2500):
            played.append(policy.ask())
            policy.tell(played[-1], shift + scale * float(WAVE[played[-1]] + noise[t]))
        return played

    assert arms(1.0, 0.0) == arms(1e6, 1e9)


def test_adaptive_truncation_folds_nothing_too_early() -> None:
    # b falls as the dictionary grows: a payoff that was inside must be able to fall outside
    policy = stoic.policies.ATAGPUCB(
        stoic.Arms.matrix(np.eye(30)),
        lam=1e-3,
        horizon=1000,
        schedule="theory",
        assumptions=stoic.Assumptions(raw_moment=1.0),
        q=1e9,
    )
    policy.tell(0, 0.29)
    for arm in range(1, 30):
        policy.tell(arm, 0.1)
    b = policy.schedule.truncation(30, 30)
    assert 0.29 / np.sqrt(1.001) > b
    assert policy.mean[0] == 0.0


@pytest.mark.parametrize("name", ["gp-ucb", "bkb", "ata-gp-ucb", "rcgp-ucb", "huber-gp-ucb"])
def test_batches_spread(name: str) -> None:
    policy: Any = by_name(name)(stoic.Arms(X), stoic.SquaredExponential(0.1))
    assert len(set(policy.ask(8))) == 8


def test_a_batch_of_bbkb_is_what_single_rounds_would_play() -> None:
    policy = stoic.policies.BBKB(stoic.Arms(X), stoic.SquaredExponential(0.1), growth=8.0)
    for t in range(60):
        policy.tell(policy.ask(), float(WAVE[policy.ask()] + np.sin(7 * t)))
    batch = policy.ask(4)
    single = []
    for _ in range(4):
        single.append(policy.ask())
        before = policy.belief.start
        policy.tell(single[-1], 0.3)
        if policy.belief.start is not before:
            break  # a new batch has begun
    assert single == batch[: len(single)]


def refusals() -> dict[str, Callable[[], Any]]:
    class OnlyWidth:
        def width(self, now: Any) -> float:
            return 1.0 + 0.0 * float(now.t)

    class NotANumber(OnlyWidth):
        def width(self, now: Any) -> float:
            return float("nan") * float(now.t)

    P, line = stoic.policies, stoic.Arms([0.0, 1.0])
    se = stoic.SquaredExponential(0.2)
    return {
        "no variance": lambda: P.GPUCB(stoic.Arms.matrix(np.zeros((3, 3)))),
        "matrix on a box": lambda: P.GPUCB(stoic.Box([0], [3]), stoic.MatrixKernel(np.eye(4))),
        "coordinates of a matrix": lambda: P.GPUCB(stoic.Arms.matrix(np.eye(3)), se),
        "huge seed": lambda: P.GPUCB(line, se, seed=2**64),
        "tiny ridge": lambda: P.GPUCB(line, se, lam=1e-20),
        "schedule without truncation": lambda: P.TGPUCB(line, se, schedule=OnlyWidth()),
        "schedule without scale": lambda: P.RCGPUCB(line, se, schedule=OnlyWidth()),
        "schedule without inclusion": lambda: P.BKB(line, se, schedule=OnlyWidth()),
        "schedule without plays": lambda: P.MoMGPUCB(line, se, schedule=OnlyWidth()),
        "schedule without psi": lambda: P.RGPPE(line, se, schedule=OnlyWidth()),
        "width of NaN": lambda: P.GPUCB(line, se, schedule=NotANumber()).ask(),
        "short horizon": lambda: P.MoMGPUCB(
            line,
            se,
            schedule="theory",
            horizon=5,
            assumptions=stoic.Assumptions(central_moment=1.0),
        ),
        "duration": lambda: P.GPUCB(line, se).tell(0, np.timedelta64(5, "s")),  # type: ignore[arg-type]
        "masked": lambda: P.GPUCB(line, se).tell(0, np.ma.masked),  # type: ignore[arg-type]
        "early recommendation": lambda: P.RGPPE(line, se).recommend(),
    }


@pytest.mark.parametrize("case", list(refusals()))
def test_refuses(case: str) -> None:
    with pytest.raises(stoic.StoicError, match="expected"):
        refusals()[case]()


def test_a_schedule_can_be_made_to_measure() -> None:
    from functools import partial

    from stoic.schedules.practical import Practical

    wide = stoic.policies.TGPUCB(
        stoic.Arms(X), stoic.SquaredExponential(0.1), schedule=partial(Practical, c=20.0)
    )
    usual = stoic.policies.TGPUCB(stoic.Arms(X), stoic.SquaredExponential(0.1))
    for t in range(40):
        for policy in (wide, usual):
            policy.tell(t % 50, float(np.sin(11 * t)))
    assert wide.width > 5 * usual.width
