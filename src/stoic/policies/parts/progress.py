"""What a schedule may look at while a policy runs, computed when it is asked for."""

from __future__ import annotations

from stoic.errors import InvalidInput
from stoic.estimators import Belief, DenseBelief, Limiter

__all__ = ["LiveProgress"]


class LiveProgress:
    """The fields of :class:`stoic.schedules.Progress`, read off a belief and a limiter.

    Some of them take a pass over all arms, and a schedule asks for few of them.
    """

    __slots__ = ("_belief", "_limiter")

    def __init__(self, belief: Belief, limiter: Limiter) -> None:
        self._belief, self._limiter = belief, limiter

    @property
    def t(self) -> int:
        """Plays so far, or episodes."""
        t: int = self._belief.posterior.t
        return t

    @property
    def n(self) -> int:
        """The coming round."""
        n: int = self._belief.posterior.t + 1
        return n

    @property
    def logdet(self) -> float:
        """The log-determinant ln det(I + K_t/λ) of what was played."""
        logdet: float = self._belief.posterior.logdet
        return logdet

    @property
    def gamma(self) -> float:
        """The realised information gain, half of logdet."""
        gamma: float = self._belief.posterior.logdet / 2.0
        return gamma

    @property
    def features(self) -> int:
        """The number m of features or distinct points that the posterior rests on."""
        size: int = self._belief.posterior.size
        return size

    @property
    def variance_sum(self) -> float:
        """Σ_s σ²(x_s)/λ over all plays."""
        return self._belief.variance_sum

    @property
    def noise(self) -> float:
        """Learned: the root mean square of the clipped residuals."""
        return self._limiter.noise

    @property
    def amplitude(self) -> float:
        """A quarter of the range of the estimated means."""
        return self._belief.amplitude

    @property
    def widest(self) -> float:
        """The largest posterior std."""
        return self._belief.widest

    @property
    def warming(self) -> bool:
        """Whether too few payoffs have come to know the noise."""
        return self._limiter.warming

    @property
    def norm(self) -> tuple[float, float]:
        """‖f̂‖ of the estimate f̂, and the posterior std of ⟨f, f̂⟩/‖f̂‖."""
        if not isinstance(self._belief, DenseBelief):
            raise InvalidInput(
                "expected fewer arms for a schedule that asks for the norm of the estimate, "
                f"got {len(self._belief.posterior.counts)}"
            )
        return self._belief.norm
