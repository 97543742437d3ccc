"""What an optimisation concludes: the answer with its interval, the luckiest trial, suspects."""

from stoic.optimize.answers.edges import Edge
from stoic.optimize.answers.explanation import Explanation
from stoic.optimize.answers.records import (
    UNKNOWN,
    Answer,
    Conclusion,
    Luckiest,
    Suspect,
    Trial,
    middle,
)

__all__ = [
    "UNKNOWN",
    "Answer",
    "Conclusion",
    "Edge",
    "Explanation",
    "Luckiest",
    "Suspect",
    "Trial",
    "middle",
]
