"""The constants of the search for the next measurement."""

from __future__ import annotations

from dataclasses import dataclass

from stoic.spaces import Space

__all__ = ["Tactics", "has_many_parameters"]

_MANY_PARAMETERS = 16


def has_many_parameters(space: Space) -> bool:
    """Whether there are so many parameters that hardly any point is near another.

    Then replicates and a rough covariance show nothing of most parameters. Without them, and with
    local searches of the expected improvement, the mean regret of bowl-100 and product-100 of
    benchmarks/robust/worlds.py (``knobs``) after 60 evaluations falls from 0.34 to 0.18 (seeds
    50–52, on which this was chosen).
    """
    return int(space.groups.max(initial=-1)) + 1 > _MANY_PARAMETERS


@dataclass(frozen=True)
class Tactics:
    """How the next measurement is searched for.

    Chosen once for all problems, on ``benchmarks/robust/run.py --set develop``. Values are in z,
    in spreads of all values.
    """

    # The committee of surrogates
    variant_weight: float = 0.2  # of the short-length-scale variant of the first surrogate
    variant_lengthscales: float = 0.35  # of the variant, as a factor on those of the first
    variant_amplitude: float = 2.0  # of the variant, as a factor on a² of the first
    variant_patience: float = 18.0  # nats of evidence against the variant that cost it no weight
    second_weight: float = 0.2  # the least weight of another smooth mode, for any evidence
    min_weight: float = 0.01  # a member of less weight is left out

    # What a measurement is worth
    quantiles: int = 15  # that stand for the outcome of the measurement
    cost_of_worse: float = 0.001  # of a configuration one spread below the best; decides ties
    cost_of_worse_finite: float = 0.0001  # the same without floats
    cost_of_failure: float = 3.0  # in spreads below the best; 0 without floats
    success_power: float = 4.0  # of the chance of success, which the gain is multiplied by
    success_power_finite: float = 2.0  # the same without floats: good ones are beside invalid ones

    # Measurements that are repeated in case they are outliers
    outlier_chance: float = 0.05  # of a configuration's only measurement
    repeated: int = 5  # candidates for a repetition, those that would hide the most
    repeated_weight: float = 0.2  # the least weight of such a measurement
    repeated_until: int = 300  # measurements; later, others are always near

    settled_error: float = 0.05  # a point whose own measurements leave less is not repeated
    max_repeats: float = 1 / 5  # of all measurements, where no parameter is a float
    settled_from: float = 60.0  # measurements; of more, that error falls with their root

    # Steps from good points, where no parameter is a float
    step_every: int = 4  # measurements, of which one changes one parameter of a good point
    step_chance: float = 0.3  # of success, the least of such a step
    step_top: int = 8  # points of the highest mean, from which such steps start

    # Candidates
    spread: int = 300  # that fill the space
    spread_finite: int = 4000  # the same, where no parameter is a float
    spread_many: int = 30  # the same, where most candidates differ from good points in a few
    near: int = 25  # around each of the top points
    top: int = 4  # evaluated points of the highest mean, whose surroundings are searched
    best: int = 10  # evaluated points of the highest mean, which are candidates themselves
    climbs: int = 4  # local searches of the expected improvement, by each surrogate
    mean_climbs: int = 2  # local searches of the mean from evaluated points, and from others
    kept: int = 8  # best candidates of each ranking
    optimism: float = 2.0  # standard deviations above the mean, in the optimistic ranking
