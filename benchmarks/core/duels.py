"""Simulated duels with a look after every block: wrong winners, and blocks to a decision.

``python benchmarks/core/duels.py [DUELS] [SEED]`` prints the tables; 2,000 duels by default. The
yardstick is the size of a Wilcoxon signed-rank test (two-sided, 5 %) with a power of 90 % for the
same noise and effect, whose size is fixed in advance; it is found by simulation.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from stoic.checks import Array
from stoic.comparison.decision import DECISIONS, first_decisions, paths
from stoic.comparison.paired import gains_of

SPREAD = 0.05  # scale of the logarithm of one run
CONFIDENCE = 0.95
THRESHOLD = float(np.log(2.0 / (1.0 - CONFIDENCE)))
EFFECTS = (0.3, 0.5, 1.0, 2.0)  # in standard deviations of a Gaussian log-ratio
NULL_BLOCKS = 400  # looks at contenders that are alike
_MAX_TIMES = 6  # blocks of a duel, in sizes of the Wilcoxon test


def gaussian(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return rng.standard_normal(shape)


def lognormal(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Times with a floor and a heavy right tail."""
    return np.log1p(np.exp(1.5 * rng.standard_normal(shape)))


def student(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Two degrees of freedom: infinite variance."""
    return rng.standard_t(2.0, shape)


def outliers(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Each run is an outlier with a probability of 10 %: slower, or rarely faster, by far."""
    size = rng.exponential(20.0, shape) * rng.choice([1.0, 1.0, 1.0, -1.0], shape)
    return rng.standard_normal(shape) + np.where(rng.random(shape) < 0.1, size, 0.0)


def drift(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """A machine that becomes slower by a quarter of a standard deviation with every run."""
    return rng.standard_normal(shape) + 0.25 * np.arange(shape[1])


def autocorrelated(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """AR(1) with a correlation of 0.9 between runs, of which a part is measured anew."""
    made = np.empty(shape)
    state = rng.standard_normal(shape[0])
    for i in range(shape[1]):
        state = 0.9 * state + np.sqrt(1.0 - 0.81) * rng.standard_normal(shape[0])
        made[:, i] = state
    return made + 0.5 * rng.standard_normal(shape)


NOISES = {
    "Gaussian": gaussian,
    "lognormal, heavy": lognormal,
    "Student t, 2 d.f.": student,
    "10 % outliers": outliers,
    "drift": drift,
    "autocorrelated": autocorrelated,
}


@dataclass(frozen=True)
class Duels:
    """Draws blocks of duels: two runs in a random order, as the product does."""

    noise: str
    effect: float  # the challenger's gain, in standard deviations of a Gaussian log-ratio

    def gains(self, rng: np.random.Generator, duels: int, blocks: int) -> Array:
        """The gains of the challenger, by the product's own pairing; low values are good."""
        noise = NOISES[self.noise](rng, (duels, 2 * blocks)).reshape(duels, blocks, 2)
        swapped = rng.random((duels, blocks)) < 0.5
        old = np.where(swapped, noise[..., 1], noise[..., 0])
        new = np.where(swapped, noise[..., 0], noise[..., 1])
        shift = self.effect * np.sqrt(2.0)
        logs = np.clip(SPREAD * np.stack([old, new - shift]), -700.0, 700.0)  # finite values
        values = np.exp(logs)
        flat = gains_of(values[0].ravel(), values[1].ravel(), relative=True, sign=-1.0)
        return flat.reshape(duels, blocks)

    @property
    def scale(self) -> float:
        """One unit of ``effect`` as a gain."""
        return SPREAD * float(np.sqrt(2.0))


def wilcoxon_size(duels: Duels, rng: np.random.Generator, tests: int) -> int:
    """The smallest size with which the test rejects 90 % of the time."""
    low, high = 5, 8
    while _power(duels, rng, tests, high) < 0.9:
        low, high = high, int(1.5 * high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(duels, rng, tests, middle) >= 0.9 else (middle, high)
    return high


def _power(duels: Duels, rng: np.random.Generator, tests: int, size: int) -> float:
    gains = duels.gains(rng, tests, size)
    positive = (rankdata(np.abs(gains), axis=1) * (gains > 0)).sum(axis=1)
    smaller = np.minimum(positive, size * (size + 1) / 2 - positive)
    return float(np.mean(smaller <= _critical(size)))


def _critical(size: int) -> int:
    """The largest rank sum whose two-sided probability, exact, is at most 5 %."""
    ways = np.zeros(size * (size + 1) // 2 + 1)
    ways[0] = 1.0
    for rank in range(1, size + 1):
        ways[rank:] += ways[: len(ways) - rank].copy()
    tail = 2.0 * np.cumsum(ways / 2.0**size)
    return int(np.searchsorted(tail, 0.05, side="right")) - 1


@dataclass(frozen=True)
class Row:
    """One line of the tables."""

    noise: str
    effect: float
    wrong: float
    undecided: float
    median: float
    wilcoxon: int


def null_rate(noise: str, rng: np.random.Generator, duels: int, blocks: int) -> float:
    """How often alike contenders are called different at any of the looks."""
    gains = Duels(noise, 0.0).gains(rng, duels, blocks)
    code, _ = first_decisions(paths(gains, 0.0), THRESHOLD)
    return float(np.mean(code < 2))


def margin_rates(noise: str, rng: np.random.Generator, duels: int) -> tuple[float, float, float]:
    """With a margin of 0.7: errors at its border, shares shown equal at 0, and their median."""
    margin = 0.7 * Duels(noise, 0.0).scale
    at_border, _ = first_decisions(
        paths(Duels(noise, -0.7).gains(rng, duels, NULL_BLOCKS), margin), THRESHOLD
    )
    code, blocks = first_decisions(
        paths(Duels(noise, 0.0).gains(rng, duels, NULL_BLOCKS), margin), THRESHOLD
    )
    wrong = float(np.mean(at_border < 3))
    equal = code == DECISIONS.index("equal")
    return wrong, float(equal.mean()), float(np.median(np.where(blocks, blocks, np.inf)))


def row(noise: str, effect: float, rng: np.random.Generator, duels: int) -> Row:
    """Duels in which the challenger is better by ``effect``."""
    world = Duels(noise, effect)
    size = wilcoxon_size(world, rng, min(duels, 2000))
    gains = world.gains(rng, duels, max(_MAX_TIMES * size, 40))
    code, blocks = first_decisions(paths(gains, 0.0), THRESHOLD)
    median = float(np.median(np.where(blocks > 0, blocks, np.inf)))
    wrong = float(np.mean(code == DECISIONS.index("worse")))
    return Row(noise, effect, wrong, float(np.mean(blocks == 0)), median, size)


def main() -> None:
    """Print the tables."""
    duels = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    print(f"{duels} duels per line, a look after every block, confidence {CONFIDENCE:.0%}\n")
    print(f"contenders that are alike, {NULL_BLOCKS} looks; with a margin of 0.7 sd")
    print(f"{'noise':20} {'wrong winner':>12} {'at border':>10} {'equal':>7} {'blocks':>7}")
    worst = 0.0
    for noise in NOISES:
        null = null_rate(noise, rng, duels, NULL_BLOCKS)
        border, equal, blocks = margin_rates(noise, rng, duels)
        worst = max(worst, null, border)
        print(f"{noise:20} {null:12.2%} {border:10.2%} {equal:7.1%} {blocks:7.0f}")
    print("\nthe challenger is better by an effect in standard deviations of a Gaussian log-ratio")
    print(f"{'noise':20} {'effect':>6} {'wrong':>7} {'undecided':>9} {'blocks':>7} "
          f"{'Wilcoxon':>8} {'ratio':>6} {'to clean':>8}")  # fmt: skip
    clean: dict[float, float] = {}
    ratios, outlier_ratios = [], []
    for noise in NOISES:
        for effect in EFFECTS:
            found = row(noise, effect, rng, duels)
            clean.setdefault(effect, found.median)
            ratios.append(found.median / found.wilcoxon)
            to_clean = found.median / clean[effect]
            outlier_ratios += [to_clean] if noise == "10 % outliers" else []
            worst = max(worst, found.wrong)
            print(f"{noise:20} {effect:6.1f} {found.wrong:7.2%} {found.undecided:9.2%} "
                  f"{found.median:7.0f} {found.wilcoxon:8} {ratios[-1]:6.2f} {to_clean:8.2f}",
                  flush=True)  # fmt: skip
    print(f"\nwrong winners: at most {worst:.2%}")
    print(f"blocks, as a multiple of the Wilcoxon test's size: at most {max(ratios):.2f}")
    print(f"blocks under outliers, as a multiple of the clean: at most {max(outlier_ratios):.2f}")


if __name__ == "__main__":
    main()
