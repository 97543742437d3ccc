"""Bogunovic et al., *A robust phased elimination algorithm …*, NeurIPS 2022."""

from __future__ import annotations

from dataclasses import replace

from stoic.lab.experiments.catalogue.base import Claim, Reproduction
from stoic.lab.experiments.catalogue.bogunovic2022.checks import (
    alone,
    below,
    in_brief,
    in_figures,
    on_the_best,
    sticks,
)
from stoic.lab.experiments.catalogue.bogunovic2022.worlds import (
    F1,
    MISLEADING,
    PUSHES,
    ROBUST,
    WORLDS,
    experiment,
)
from stoic.lab.experiments.catalogue.checks import linear, sublinear
from stoic.lab.experiments.spec import Experiment
from stoic.lab.experiments.tables import Table

__all__ = ["REPRODUCTIONS"]

SOURCE = (
    "Bogunovic, Li, Krause, Scarlett, A robust phased elimination algorithm for "
    "corruption-tolerant Gaussian process bandits, NeurIPS 2022"
)
DRAWS: Table = {"kind": "gp-sample", "label": "draws"}


def _claims(world: str, *, figure: bool = True) -> tuple[Claim, ...]:
    """What is checked of one function; ``figure``: whether it is one that the text describes."""
    label, misled = WORLDS[world]["label"], MISLEADING[world]
    return (
        Claim(
            f"GP-UCB's regret is linear under {', '.join(misled)} on {label}.",
            linear("GP-UCB", misled, problem=label),
            ours=not figure,
        ),
        Claim(
            f"GP-UCB succeeds on {label} when no attack is applied.",
            sublinear(("GP-UCB",), problem=label, attack="no attack"),
        ),
        Claim(
            f"RGP-UCB and RGP-PE are sublinear under every attack, also a later one, on {label}.",
            sublinear(ROBUST, problem=label),
        ),
        Claim(
            f"By the end of the 13th epoch RGP-PE has one arm left on {label}, the best, in at "
            "least 9 of 10 trials under each attack.",
            alone(label),
        ),
        Claim(f"RGP-UCB generally has less regret than RGP-PE on {label}.", below(label)),
        Claim(
            f"At the end RGP-UCB loses less per round on {label} than the second-best arm, in "
            "every trial.",
            on_the_best(label, world),
            ours=True,
        ),
    )


SETTING = (
    "T = 50,000, σ = 0.02, λ = 1, b = 0.1, ψ = 0.5, η = 2, 10 trials. 'Later': the attack waits "
    "until the policy has ruled out an arm. Linear: the mean regret's last half is at least half "
    "as steep as its first. "
)
ON_PUSHES = f"Robot3D: one set of 100 random pushes, number {PUSHES}; β = 2√ln t and β_h = 6. "
ON_SAMPLE = (
    f"f₁: draw number {F1} of the Gaussian process on a 10 × 10 grid; β = ½√ln t and β_h = 4. "
)
RULE = (
    "the first that meets the facts of §4 (place of the optimum, GP-UCB with and without attack, "
    "RGP-PE's last arm by epoch 13), so GP-UCB's and RGP-PE's claims are conditions of the choice; "
    "RGP-UCB, the later attacks and the other budget are not"
)
INFERRED = {
    "f1": f"f₁ is not published: ours is draw {F1} of the process, {RULE}.",
    "robot": f"The 100 pushes are not published: ours are set {PUSHES} of random ones, {RULE}.",
    "both": f"f₁ and the pushes are not published: ours are draw {F1} and set {PUSHES}, {RULE}.",
}


def _fig2(quick: bool) -> list[Experiment]:
    full = experiment("fig2", "f1", 50.0, quick)
    draws = replace(
        full,
        problems=(DRAWS,),
        attacks=full.attacks[:1],
        policies=tuple(p for p in full.policies if p.label != "RGP-UCB"),
        trials=2 if quick else 20,
    )
    return [full, draws]


def _fig1(quick: bool) -> list[Experiment]:
    full = experiment("fig3", "robot", 100.0, quick)
    shown = tuple(a for a in full.attacks if a["label"] in ("no attack", "Top-3", "Top-5"))
    return [
        replace(
            full, attacks=shown, policies=tuple(p for p in full.policies if p.label != "RGP-UCB")
        )
    ]


REPRODUCTIONS = (
    Reproduction(
        "bogunovic2022/fig1",
        "Robot3D, the two most effective attacks",
        SOURCE,
        SETTING + ON_PUSHES + "C = 100.",
        _fig1,
        (
            Claim(
                "GP-UCB deteriorates under both attacks.",
                linear("GP-UCB", ("Top-3", "Top-5"), problem="Robot3D"),
            ),
            Claim("RGP-PE remains robust.", sublinear(("RGP-PE",), problem="Robot3D")),
        ),
        figures=("cumulative-regret", "epochs"),
        shows="GP-UCB's regret grows linearly under Top-3 and Top-5; RGP-PE's does not.",
        got=in_figures("Robot3D"),
        brief=in_brief("Robot3D"),
        inferred=INFERRED["robot"],
    ),
    Reproduction(
        "bogunovic2022/fig2",
        "f₁, C = 50",
        SOURCE,
        SETTING + ON_SAMPLE,
        _fig2,
        (
            *_claims("f1"),
            Claim(
                "On most draws of the process GP-UCB, not attacked, ends on an arm that is not "
                "the best.",
                sticks(DRAWS),
                ours=True,
            ),
            Claim(
                "RGP-PE has the best arm alone by the 13th epoch on at least 9 of 10 draws.",
                alone("draws"),
                ours=True,
            ),
        ),
        figures=("cumulative-regret", "epochs"),
        shows="GP-UCB's regret is linear under Clipping, AggSub, Top-3 and Top-5; RGP-UCB and "
        "RGP-PE defend against all five attacks, RGP-UCB with less regret; RGP-PE has one arm left "
        "after 13 epochs.",
        got=in_figures("f₁"),
        brief=in_brief("f₁"),
        inferred=INFERRED["f1"],
    ),
    Reproduction(
        "bogunovic2022/fig3",
        "Robot3D, C = 100",
        SOURCE,
        SETTING + ON_PUSHES,
        lambda quick: [experiment("fig3", "robot", 100.0, quick)],
        _claims("robot"),
        figures=("cumulative-regret", "epochs"),
        shows="GP-UCB's regret is linear under Top-3 and Top-5; RGP-UCB and RGP-PE defend against "
        "all five attacks, RGP-UCB with less regret; RGP-PE has one arm left after 13 epochs, a "
        "slightly suboptimal one in two trials.",
        got=in_figures("Robot3D"),
        brief=in_brief("Robot3D"),
        inferred=INFERRED["robot"],
    ),
    Reproduction(
        "bogunovic2022/appendix-f",
        "f₁ with C = 100, Robot3D with C = 50",
        SOURCE,
        SETTING + ON_SAMPLE + ON_PUSHES,
        lambda quick: [
            experiment("appendix-f", "f1", 100.0, quick),
            experiment("appendix-f", "robot", 50.0, quick),
        ],
        (*_claims("f1", figure=False), *_claims("robot", figure=False)),
        figures=("cumulative-regret", "epochs"),
        shows="The same two functions with the other budget; the text says of both budgets that "
        "RGP-UCB and RGP-PE defend against all five attacks.",
        got=in_figures("f₁", "Robot3D"),
        brief=in_brief("f₁", "Robot3D"),
        inferred=INFERRED["both"],
    ),
)
