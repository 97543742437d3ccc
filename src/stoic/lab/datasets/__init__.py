"""Loaders of real data, from a path or from a package that contains it.

Stoic may not distribute these files. A loader takes their path; without a path it searches the
folder that the environment variable ``STOIC_DATA`` names.
"""

from stoic.lab.datasets.hpo_table import HPOTable, hpo
from stoic.lab.datasets.latency import RoundTrips, seattle_rtt
from stoic.lab.datasets.prices import Stocks, stocks
from stoic.lab.datasets.printed import Band, Bands, printed_bands, printed_regret
from stoic.lab.datasets.sensors import LightSensors, light_sensors
from stoic.lab.datasets.tails import TailRow, kolmogorov_smirnov, tail_table
from stoic.lab.datasets.tuning import WORKLOADS, Tuning, tuna

__all__ = [
    "WORKLOADS",
    "Band",
    "Bands",
    "HPOTable",
    "LightSensors",
    "RoundTrips",
    "Stocks",
    "TailRow",
    "Tuning",
    "hpo",
    "kolmogorov_smirnov",
    "light_sensors",
    "printed_bands",
    "printed_regret",
    "seattle_rtt",
    "stocks",
    "tail_table",
    "tuna",
]
