"""Conformance test suites for policies, posteriors, estimators and stores.

Subclass a suite in a test file, name what to test, and pytest collects its checks::

    from stoic.testing import PolicySuite

    class TestMyPolicy(PolicySuite):
        policy = MyPolicy
"""

from stoic.testing.estimators import EstimatorSuite
from stoic.testing.policies import PolicySuite
from stoic.testing.posteriors import PosteriorSuite
from stoic.testing.stores import StoreSuite

__all__ = ["EstimatorSuite", "PolicySuite", "PosteriorSuite", "StoreSuite"]
