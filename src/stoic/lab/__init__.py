"""The lab: noises, attacks, problems, data sets and experiments, for research with bandits.

What stands here may use every policy; no policy knows of it. The way of one round: a
:class:`~stoic.lab.world.World` holds a problem (the truth), a noise (payoff given the truth) and
maybe an attack (payoff changed by an adversary), and answers a policy's ``ask`` with a payoff.
"""
