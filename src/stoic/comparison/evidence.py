r"""Evidence that paired differences are centred above a value: a bet on each sign.

Suppose that d_i is the difference of two contenders in block i. If both are alike and their order
in the block is random, then the sign of d_i is a fair coin, whatever the magnitudes |d_1|, …, |d_i|
and the earlier signs are: drift, outliers and autocorrelation do not matter. The evidence is the
capital of a gambler who bets on the signs at fair odds, a mixture of likelihood ratios of coins:

    E_n = Σ_k w_k Π_{i≤n} 2 / (1 + exp(−2 θ_k ψ_k(u_i) sign d_i)),    u_i = 0.6745 |d_i| / M_i,

with M_i the median of |d_1|, …, |d_i| (zeros left out) and bets θ_k. For two thirds of the weight,
ψ_k is the score of a t distribution with ν degrees of freedom,

    ψ(u) = (ν + 1) u / (ν + u²),

which decreases for outliers: they count less the farther away they are, of either sign. For one
third it is 1, as in a sign test, which narrows intervals where all outliers are on one side.

E_n is a test martingale with mean 1 under the null hypothesis, so by Ville's inequality the chance
that it ever exceeds c is at most 1/c, however often one looks. A failed run is a difference of ±∞,
and has the largest score: it counts as a clear loss. A difference of 0 is no evidence.

References
----------
Ville, *Étude critique de la notion de collectif*, 1939. Howard & Ramdas, *Sequential estimation of
quantiles with applications to A/B testing*, Bernoulli 2022. Waudby-Smith & Ramdas, *Estimating
means of bounded random variables by betting*, JRSS B 2024. Ramdas, Grünwald, Vovk & Shafer,
*Game-theoretic statistics and safe anytime-valid inference*, Statistical Science 2023.
"""

from __future__ import annotations

import numpy as np

from stoic.checks import Array
from stoic.diagnostics.location import MAD_OF_NORMAL

__all__ = ["log_evidence", "shifted"]

_LARGEST = float(np.finfo(float).max)

# Bets θ on the t score: the effect, in standard deviations of a difference, for which each one is
# the best bet. 0.05 decides in about 4,000 blocks, 4.0 in seven if one side wins them all. Chosen
# with benchmarks/core/duels.py, as were the weights, proportional to √θ (equal ones need a block
# more where the effect is large, and 10 % fewer where it is small), and ν (3 is better under
# outliers, 8 for Gaussian noise).
_BETS = np.geomspace(0.05, 4.0, 12)
_WEIGHTS = np.sqrt(_BETS) / np.sqrt(_BETS).sum()
_SIGN_BETS = np.geomspace(0.2, 2.0, 4)  # chosen in the same way; equal weights
_SIGN_SHARE = 1.0 / 3.0  # of the weight
_DEGREES_OF_FREEDOM = 5.0  # ν
_PEAK = (_DEGREES_OF_FREEDOM + 1.0) / (2.0 * np.sqrt(_DEGREES_OF_FREEDOM))  # the largest score
_MAX_UNITS = 1e9  # of u; beyond it the score is 0 in effect, and squares stay finite
_ALL_MEDIANS = 32  # blocks up to which M_i is computed anew for every block
_MEDIAN_STEP = 1.05  # then whenever the number of blocks has grown by this factor


def log_evidence(differences: Array) -> Array:
    """The logarithm of E_1, …, E_n that the differences are centred above 0.

    Parameters
    ----------
    differences
        Of shape (…, n): the last axis is the blocks in order; ±inf stands for a failed run.

    >>> import numpy as np
    >>> wins = np.array([2.0, 1.0, 3.0, 2.5, 1.5, 2.0, 1.0, 3.0])
    >>> bool(log_evidence(wins)[-1] > np.log(40)), bool(log_evidence(-wins)[-1] < 0)
    (True, True)
    """
    flat = np.atleast_2d(np.asarray(differences, dtype=float))
    rows = flat.reshape(-1, flat.shape[-1])
    sizes = np.abs(rows)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        u = np.minimum(MAD_OF_NORMAL * (sizes / _medians(sizes)), _MAX_UNITS)
        scores = (_DEGREES_OF_FREEDOM + 1.0) * u / (_DEGREES_OF_FREEDOM + u * u)
    scores = np.where(np.isinf(sizes), _PEAK, np.where(sizes == 0.0, 0.0, scores))
    signs = np.sign(rows)
    total = np.full(rows.shape, -np.inf)
    for bet, weight in zip(_BETS, _WEIGHTS, strict=True):
        capital = _log_capital(bet * scores * signs) + np.log((1.0 - _SIGN_SHARE) * weight)
        total = np.logaddexp(total, capital)
    for bet in _SIGN_BETS:
        capital = _log_capital(bet * signs) + np.log(_SIGN_SHARE / len(_SIGN_BETS))
        total = np.logaddexp(total, capital)
    return np.asarray(total.reshape(np.shape(differences)))


def shifted(differences: Array, centres: Array | float) -> Array:
    """The differences less each centre: a row for each. Only failed runs are infinite."""
    with np.errstate(over="ignore"):
        moved = np.clip(differences - np.expand_dims(centres, -1), -_LARGEST, _LARGEST)
    return np.where(np.isinf(differences), differences, moved)


def _log_capital(stakes: Array) -> Array:
    """Log Π 2 / (1 + exp(−2 stake)), after each block."""
    return np.asarray(np.cumsum(np.log(2.0) - np.logaddexp(0.0, -2.0 * stakes), axis=-1))


def _medians(sizes: Array) -> Array:
    """M_1, …, M_n of each row: a median of the sizes so far that are not 0."""
    found = np.ones_like(sizes)
    rows = np.arange(len(sizes))
    due, current = 1, found[:, 0] if sizes.size else found
    for n in range(1, sizes.shape[1] + 1):
        if n >= due:
            ordered = np.sort(sizes[:, :n], axis=1)
            zeros = (ordered == 0.0).sum(axis=1)
            current = ordered[rows, np.minimum(zeros + (n - zeros) // 2, n - 1)]
            current = np.where(current == 0.0, 1.0, current)  # all are 0: no scores anyway
            due = n + 1 if n < _ALL_MEDIANS else int(np.ceil(n * _MEDIAN_STEP))
        found[:, n - 1] = current
    return found
