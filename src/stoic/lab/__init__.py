"""The lab: noises, attacks, problems, data sets and experiments, for research with bandits.

The lab may use every policy; no policy knows the lab. In one round, a
:class:`~stoic.lab.world.World` holds a problem (the true function), a noise (payoff given the
true value) and possibly an attack (payoff changed by an adversary). It answers the arm that a
policy asks for with a payoff.
"""
