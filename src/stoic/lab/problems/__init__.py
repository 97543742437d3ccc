"""Problems: arms, a kernel and the true expected payoffs."""

from stoic.lab.problems.base import Problem, problems
from stoic.lab.problems.functions import gp_sample, griewank, rkhs_chowdhury2019, rkhs_park2024
from stoic.lab.problems.hpo import hpo
from stoic.lab.problems.latency import seattle_rtt
from stoic.lab.problems.lower_bound import bound_exponent, lower_bound
from stoic.lab.problems.printed import printed_chowdhury2019
from stoic.lab.problems.robot import robot3d
from stoic.lab.problems.sensors import light_sensors
from stoic.lab.problems.stocks import stock_means, stock_returns, stocks
from stoic.lab.problems.tuning import tuna

__all__ = [
    "Problem",
    "bound_exponent",
    "gp_sample",
    "griewank",
    "hpo",
    "light_sensors",
    "lower_bound",
    "printed_chowdhury2019",
    "problems",
    "rkhs_chowdhury2019",
    "rkhs_park2024",
    "robot3d",
    "seattle_rtt",
    "stock_means",
    "stock_returns",
    "stocks",
    "tuna",
]
