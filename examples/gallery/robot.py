"""Gallery: a robot whose camera is attacked, within a budget."""

from __future__ import annotations

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import BLUE, GREEN, RED, panels

PAGE = Page("gallery/robot.md", "robot")
COLOURS = {"GP-UCB": RED, "RGP-UCB": BLUE, "RGP-PE": GREEN}
SETS = 10  # sets of 100 pushes


def make() -> None:
    """Play ten sets of pushes with three policies."""
    space = PAGE.run()
    play, rounds = space["play"], space["rounds"]
    curves: dict[str, list[list[float]]] = {name: [] for name in COLOURS}
    ends: dict[str, list[float]] = {name: [] for name in COLOURS}
    for pushes in range(SETS):
        for name in COLOURS:
            regret, end = play(name, pushes)
            curves[name].append(regret)
            ends[name].append(end)
    figure, (left, right) = panels(2)
    t = np.arange(1, rounds + 1)
    shown = np.unique(np.geomspace(10, rounds, 300).astype(int)) - 1
    for name, colour in COLOURS.items():
        mean = np.array(curves[name]).mean(0)
        left.plot(t[shown], mean[shown] / 1000, color=colour, label=name)
    left.set(xscale="log", xlabel="push", ylabel="total regret (thousands)",
             title=f"mean of {SETS} sets of pushes")  # fmt: skip
    left.legend()
    for at, (name, colour) in enumerate(COLOURS.items()):
        x = at + np.random.default_rng(at).uniform(-0.12, 0.12, SETS)
        right.plot(x, ends[name], "o", ms=4, alpha=0.7, color=colour)
    right.set(xticks=range(3), ylabel="distance lost by the final choice",
              title="0: the best push was found")  # fmt: skip
    right.set_xticklabels(list(COLOURS))
    PAGE.save(figure)
    PAGE.write(
        {
            "ends": ends,
            "rounds": rounds,
            "regret": {name: float(np.mean([c[-1] for c in curves[name]])) for name in COLOURS},
            "corrupted": space["corrupted"],
        },
        words,
    )


def words(facts: Facts) -> dict[str, str]:
    """What came out."""
    found = {name: sum(end == 0.0 for end in ends) for name, ends in facts["ends"].items()}
    regret = facts["regret"]
    return {
        "out": f"""
RGP-UCB ended on the best push in {found["RGP-UCB"]} of {SETS} sets, RGP-PE in {found["RGP-PE"]}.
Over {facts["rounds"]} pushes their regret was {regret["RGP-UCB"] / facts["rounds"]:.2f} and
{regret["RGP-PE"] / facts["rounds"]:.2f} a push, that of GP-UCB
{regret["GP-UCB"] / facts["rounds"]:.2f}. In the set of the page only {facts["corrupted"]} of
RGP-UCB's {facts["rounds"]} measurements were corrupted before the budget was spent.""",
        "lucky": f"""
GP-UCB averages what it measures. A few measurements of the best pushes are bad, and it never
tries these pushes again: it ended on the best push in {found["GP-UCB"]} of {SETS} sets and loses
{np.mean(facts["ends"]["GP-UCB"]):.2f} of distance at each push, however long it runs. The pushes
with the best measured average are those that it plays.""",
    }
