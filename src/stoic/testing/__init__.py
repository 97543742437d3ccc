"""Conformance suites for policies, posteriors and estimators, ours and yours.

Subclass a suite in a test file, say what to test, and pytest collects its checks::

    from stoic.testing import PolicySuite

    class TestMyPolicy(PolicySuite):
        policy = MyPolicy
"""

from stoic.testing.estimators import EstimatorSuite
from stoic.testing.policies import PolicySuite
from stoic.testing.posteriors import PosteriorSuite

__all__ = ["EstimatorSuite", "PolicySuite", "PosteriorSuite"]
