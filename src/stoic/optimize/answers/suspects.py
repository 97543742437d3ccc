"""Find the measurements that are corrupt, each with the reason."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from stoic.checks import Array
from stoic.numbers import rounded
from stoic.optimize.answers.records import Suspect

if TYPE_CHECKING:
    from stoic.optimize.knowledge import Knowledge

__all__ = ["outlying", "suspects"]


@dataclass(frozen=True)
class SuspectRule:
    """When a measurement is a suspect; chosen on the develop set of benchmarks/robust.

    ``side_errors``, ``side_share`` and ``far_if_many`` were chosen with
    benchmarks/core/quotable.py on seeds 0–34. With ``many`` at an eighth, a third of the outliers
    of ``small15`` (15% of 2 to 5 spreads) are found, with a quarter two thirds.

    The errors above the median error and those below are compared with the least third of their
    own side: the tail of skewed noise is no outlier. A normal error of 6 deviations is as far.
    Where many would be suspects, those within the range of the values are noise: delays in four of
    ten runs, for example. ``clumped`` to ``farthest`` were chosen on seeds 100-124: where most
    errors are nearly zero, the others are the tail of a skewed noise unless a gap separates them.
    Those on both sides of the median error are no such tail.
    """

    max_weight: float = 1.0 / 25.0  # that of an error of five times the ordinary deviation
    median_errors: float = 5.0  # the least error; however small the noise, half are not far
    side_errors: float = 14.0  # the least error in errors of its side: see above
    side_share: float = 1.0 / 3.0  # of the errors of a side, which are less than that error
    many: float = 1.0 / 4.0  # share of all measurements: of more suspects, errors must exceed
    far_if_many: float = 4.0  # so many spreads of all values
    clumped: float = 2.5  # upper quartile of all errors, in medians: of more, many are nearly zero
    clumped_of: int = 20  # measurements; of fewer, that is chance
    gap: float = 3.0  # by which errors must then exceed all those nearer to the median,
    farthest: float = 20.0  # or this many upper quartiles
    apart: float = 1.5  # spreads of all values: a gap below the upper quartile ends farther off
    both_sides: float = 1.0 / 5.0  # of the suspects: with so many on either side, they are no tail
    min_measurements: int = 4  # of fewer, none is a suspect
    max_quoted: float = 100.0  # standard deviations that a reason quotes


_RULE = SuspectRule()


def suspects(known: Knowledge) -> tuple[Suspect, ...]:
    """Measurements that the others contradict and no replicate confirms, or out of bounds."""
    history, model = known.history, known.model
    if history.successes < _RULE.min_measurements:
        return ()
    errors = np.abs(model.fits[0].z - model.gp.left_out[0])
    corrupt = outlying(known) & ~known.agreement.agreeing[model.rows]
    outside = np.array([not history.aim.allows(history.sign * y) for y in history.values()])
    if not outside.all():
        corrupt |= outside[model.rows]
    return tuple(_suspect(known, int(i), float(errors[i])) for i in np.flatnonzero(corrupt))


def outlying(known: Knowledge) -> npt.NDArray[np.bool_]:
    """Which measurements of the model the others contradict, also if replicates confirm them.

    Their errors are compared on a scale that is not compressed.
    """
    scaling, model = known.model.scaling, known.model
    errors = np.abs(model.fits[0].z - model.gp.left_out[0])
    expected = np.array([scaling.y(mean) for mean in model.gp.left_out[0].tolist()])
    away = scaling.units(known.history.values()[model.rows]) - scaling.units(expected)
    far = (errors > _RULE.median_errors * np.median(errors)) & _beyond_its_side(away)
    found: npt.NDArray[np.bool_] = (model.gp.usualness < _RULE.max_weight) & far
    if np.count_nonzero(found) > _RULE.many * len(found):
        found &= np.abs(away) > _RULE.far_if_many
    return found if _on_both_sides(away, found) else found & _beyond_a_gap(away)


def _on_both_sides(errors: Array, found: npt.NDArray[np.bool_]) -> bool:
    """Whether a fair share of the errors ``found`` is on either side of the median error."""
    above = np.count_nonzero(errors[found] > np.median(errors))
    fewer = min(above, np.count_nonzero(found) - above)
    return bool(fewer >= max(_RULE.both_sides * np.count_nonzero(found), 1))


def _beyond_a_gap(errors: Array) -> npt.NDArray[np.bool_]:
    """Which errors a gap separates from the others, where many are zero; else all.

    Of over a quarter of outliers, the nearest is nearer than the upper quartile. A gap counts there
    as well if all that is beyond it is farther than `SuspectRule.apart`.
    """
    sizes = np.abs(errors - np.median(errors))
    middle, upper = np.quantile(sizes, [0.5, 0.75]).tolist()
    if upper <= _RULE.clumped * middle or len(errors) < _RULE.clumped_of:
        return np.ones(len(errors), dtype=bool)
    ordered = np.sort(sizes[sizes <= _RULE.farthest * upper])
    below, above = ordered[:-1], ordered[1:]
    counts = (below >= upper) | (above > _RULE.apart)
    gaps = np.flatnonzero(counts & (above > _RULE.gap * below))
    largest = ordered[gaps[0] if len(gaps) else -1]
    beyond: npt.NDArray[np.bool_] = sizes > largest
    return beyond


def _beyond_its_side(errors: Array) -> npt.NDArray[np.bool_]:
    """Which errors are far off for their side of the median error."""
    away = errors - np.median(errors)
    far = np.zeros(len(errors), dtype=bool)
    for side in (away > 0.0, away < 0.0):
        if side.any():
            usual = float(np.quantile(np.abs(away[side]), _RULE.side_share))
            far |= side & (np.abs(away) > _RULE.side_errors * usual)
    return far


def _suspect(known: Knowledge, i: int, error: float) -> Suspect:
    """The i-th measurement of the model, which is off by ``error`` in z, as a suspect."""
    history, model = known.history, known.model
    trial = history.trials[history.numbers()[int(model.rows[i])]]
    assert trial.value is not None
    mean, variance = (float(part[i]) for part in model.gp.left_out)
    predicted = model.scaling.y(mean)
    std = math.sqrt(variance + model.gp.hyper.noise)
    expected = history.sign * predicted
    if not history.aim.allows(trial.value):
        low, high = history.aim.range
        reason = f"measured {rounded(trial.value)}, outside of the bounds {low:g} to {high:g}"
        return Suspect(trial.number, trial.params, trial.value, expected, reason)
    off = error / std
    side = "above" if trial.value > expected else "below"
    times = f"{off:.0f}" if off < _RULE.max_quoted else f"over {_RULE.max_quoted:.0f}"
    usual = abs(model.scaling.y(mean + std) - predicted)
    reason = (
        f"measured {rounded(trial.value)} where the other measurements predict "
        f"{rounded(expected, usual)}: "
        f"{times} standard deviations {side}"
    )
    return Suspect(trial.number, trial.params, trial.value, expected, reason)
