"""The catalogue's park2024: the inferred constants, the checks of orders, and the offset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stoic
from helpers.made_results import case
from stoic.errors import InvalidInput
from stoic.lab.experiments.catalogue import find
from stoic.lab.experiments.catalogue.park2024 import figure1, printed
from stoic.lab.experiments.catalogue.park2024.checks import brief_orders, first, last, near, whole
from stoic.lab.experiments.catalogue.park2024.shared import LABELS, SCHEDULES
from stoic.lab.experiments.one_run import make_policy, play
from stoic.lab.experiments.results import CASE, Results
from stoic.lab.experiments.spec import Experiment
from stoic.lab.noise import Offset, ParetoPayoff, StudentT, SymmetrisedPareto, noises
from stoic.lab.problems import Problem, griewank, stock_means
from stoic.lab.world import World
from stoic.schedules import Progress, Setting

NOW = Progress(t=40, logdet=6.0, features=25)


def results(rates: dict[str, list[float]]) -> Results:
    """Runs of 100 rounds, from the regret per round of each trial."""
    cases = {policy: case(policy, horizon=100) for policy in rates}
    rows = [
        (*(getattr(cases[policy], name) for name in CASE), trial, 100, 100.0 * rate)
        for policy, values in rates.items()
        for trial, rate in enumerate(values)
    ]
    names = (*CASE, "trial", "t", "regret")
    columns = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    return Results({"curves": columns}, {})


# -- the inferred reading -------------------------------------------------------------------------


@pytest.mark.parametrize("known", [{}, {"norm_bound": 70.0, "raw_moment": 9.0}])
def test_the_printed_widths_do_not_depend_on_the_problem(known: dict[str, float]) -> None:
    eps = 0.8
    assumptions = stoic.Assumptions(moment_order=eps, delta=0.1, **known)
    setting = Setting(assumptions, lam=1.0, horizon=1000, arms=400)
    log10, gamma = math.log(10.0), 3.0
    growth = 0.2 / 3.6  # (1 − ε)/(2(1 + ε))
    expected = {
        "gp_ucb": math.sqrt(2.0 + 300.0 * gamma * math.log(41 / 0.1) ** 3),
        "tgp_ucb": 1.0 + 3.0 * 40 ** (1 / 3.6) * math.sqrt(6.0 + 2.0 * log10),
        "ata_gp_ucb": 1.0
        + 1.0 / math.sqrt(0.9)
        + 4.0 * 5.0 * math.log(4 * 25 * 1000 / 0.1) ** (0.8 / 1.8) * 40**growth,
        "ca_tgp_ucb": 1.0 + 41**growth * (2.0 * math.sqrt(2.0 * (gamma + log10)) + 1.0),
        "mom_gp_ucb": 1.0 + 41**growth * 4.0 ** (1 / 1.8) * (2.0 * math.sqrt(gamma + log10) + 0.25),
    }
    for name, width in expected.items():
        assert getattr(printed, name)(setting).width(NOW) == pytest.approx(width, rel=1e-12), name


def by_width(parts: Sequence[Experiment], problem: Problem, eps: float, rounds: int) -> list[str]:
    """The five policies by their widths after some rounds of the first trial."""
    widths = {}
    for run in (run for part in parts for run in part.resized(schedules=("printed",)).runs()):
        if run.trial == 0 and run.case.policy in LABELS and run.moment_order == eps:
            world = World(problem, noises.make(run.noise), seed=0)
            policy = make_policy(run, world)
            for _ in range(rounds):
                arm = policy.ask()
                policy.tell(arm, world.pull(arm))
            widths[run.case.policy] = policy.width
    return sorted(widths, key=widths.__getitem__)


@pytest.mark.parametrize("eps", [0.2, 0.8])
def test_the_printed_order_is_that_of_the_widths(
    eps: float, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = figure1.PANELS[1].experiments(quick=False)
    assert by_width(parts, griewank(), eps, 240) == list(LABELS)  # MoM-GP-UCB: three episodes
    monkeypatch.setenv("STOIC_DATA", str(data_folder))
    stocks = by_width(find("park2024/table2").build(False), stock_means(), eps, 880)
    assert stocks == ["MoM-GP-UCB", "CA-TGP-UCB", "ATA-GP-UCB", "TGP-UCB", "GP-UCB"]


def test_every_policy_is_run_with_its_inferred_width() -> None:
    panel = figure1.PANELS[1]
    parts = panel.experiments(quick=False)
    for part in parts:
        assert part.schedules == SCHEDULES
        for run in part.runs():
            if run.case.schedule == "printed" and run.case.policy in LABELS:
                wanted = f"printed:{run.policy.policy.replace('-', '_')}"
                assert str(run.policy.schedule).endswith(wanted)
            elif run.case.policy in LABELS:
                assert run.policy.schedule == "practical"
    assert {spec.label for part in parts for spec in part.policies} >= set(LABELS)


def test_one_schedule_can_be_chosen() -> None:
    for schedule in SCHEDULES:
        (part, _) = figure1.PANELS[1].experiments(quick=True)
        alone = part.resized(schedules=(schedule,))
        assert {run.case.schedule for run in alone.runs()} == {schedule}
        before = {run.key for run in part.runs() if run.case.schedule == schedule}
        assert {run.key for run in alone.runs()} == before


# -- checks ---------------------------------------------------------------------------------------


def test_orders_are_compared_trial_by_trial() -> None:
    made: dict[str, list[float]] = {
        label: [0.1 * rank + 0.01 * trial for trial in range(5)]
        for rank, label in enumerate(LABELS, start=1)
    }
    assert whole(LABELS)(results(made)).holds is True
    assert first("MoM-GP-UCB")(results(made)).holds is True
    assert last("GP-UCB")(results(made)).holds is True
    assert last("ATA-GP-UCB")(results(made)).holds is False
    fewer = {**made, "ATA-GP-UCB": made["ATA-GP-UCB"][:3]}  # its cost allows fewer trials
    assert whole(LABELS)(results(fewer)).holds is True
    assert "over 3 of 5 trials MoM-GP-UCB 0.11 ± 0.01 < " in whole(LABELS)(results(fewer)).figures
    swapped = {**made, "TGP-UCB": made["CA-TGP-UCB"], "CA-TGP-UCB": made["TGP-UCB"]}
    verdict = whole(LABELS)(results(swapped))
    assert verdict.holds is False
    assert "CA-TGP-UCB − TGP-UCB +0.1" in verdict.figures
    chance = {**made, "TGP-UCB": [x + (-0.1, 0.1)[i % 2] for i, x in enumerate(made["CA-TGP-UCB"])]}
    assert whole(LABELS[1:3])(results(chance)).holds is None


@pytest.mark.parametrize(("rate", "holds"), [(0.95, True), (1.05, True), (0.85, False)])
def test_near_uniform_play(rate: float, holds: bool) -> None:
    made = {label: [1.0, 1.0] for label in (*LABELS, "Uniform")} | {"MoM-GP-UCB": [rate, rate]}
    verdict = near("Uniform")(results(made))
    assert verdict.holds is holds
    assert f"MoM-GP-UCB {rate - 1.0:+.1%}" in verdict.figures


def test_the_brief_order_is_of_all_trials_and_marks_what_is_not_settled() -> None:
    rng = np.random.default_rng(0)
    levels = {"MoM-GP-UCB": 1.0, "CA-TGP-UCB": 2.0, "TGP-UCB": 2.0, "GP-UCB": 3.0}
    rows = []
    for eps in (0.2, 0.8):
        for policy in LABELS:
            one = case(policy, horizon=100, noise=f"ε = {eps}", schedule="printed")
            for trial in range(3 if policy == "ATA-GP-UCB" else 20):
                regret = 100.0 * (levels.get(policy, 0.5) + 0.1 * rng.standard_normal())
                rows.append((*(getattr(one, name) for name in CASE), trial, 100, regret))
    names = (*CASE, "trial", "t", "regret")
    columns = dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True))
    text = brief_orders(Results({"curves": columns}, {}))
    assert text.startswith("ε = 0.2: MoM-GP < ")
    assert text.count("CA-TGP ≈ TGP < GP") + text.count("TGP ≈ CA-TGP < GP") == 2
    assert text.endswith("; ATA-GP in 3 trials only")


# -- the offset -----------------------------------------------------------------------------------


def test_an_offset_moves_raw_moments_alone() -> None:
    f = np.array([-0.5, 0.0, 1.0])
    for base in (StudentT(3.0, 0.1), SymmetrisedPareto(1.81)):
        noise = Offset(7.0, base)
        for order in (1.2, 1.8):
            np.testing.assert_array_equal(
                noise.central_moment(order, f), base.central_moment(order, f)
            )
            np.testing.assert_allclose(
                noise.raw_moment(order, f), base.raw_moment(order, f + 7.0), rtol=1e-12
            )
    noise = Offset(7.0, StudentT(3.0, 0.1))
    np.testing.assert_allclose(noise.raw_moment(2.0, f), (f + 7.0) ** 2 + 0.03, rtol=1e-12)
    assert noise.raw_moment(3.0, f).tolist() == [math.inf] * 3
    y = noise.sample(1.0, 0, np.random.default_rng(0), 20_000)
    assert np.median(y) == pytest.approx(8.0, abs=0.01)


def test_an_offset_moves_every_draw_alike() -> None:
    base = StudentT(3.0)
    table: dict[str, Any] = {"kind": "offset", "by": -2.0, "base": {"kind": "student-t", "df": 3.0}}
    moved = noises.make(table)
    assert moved == Offset(-2.0, base)
    draws = [noise.draw(np.random.default_rng(1), 9) for noise in (base, moved)]
    np.testing.assert_array_equal(draws[0] - 2.0, draws[1])
    with pytest.raises(InvalidInput, match="a noise that is added to f"):
        Offset(1.0, ParetoPayoff(2.0))
    with pytest.raises(InvalidInput, match="by to be finite"):
        Offset(math.inf)


def test_an_offset_leaves_practical_plays_alone() -> None:
    (part,) = find("park2024/offset").build(True)
    curves: dict[str, list[list[float]]] = {}
    for run in part.resized(schedules=("practical",)).runs():
        if run.case.schedule == "practical" and run.case.policy != "ATA-GP-UCB":
            curves.setdefault(run.case.policy, []).append(play(run)["curve"]["regret"])
    for same in curves.values():
        for other in same[1:]:
            np.testing.assert_allclose(other, same[0], rtol=0.0, atol=1e-6)


def test_the_zero_prior_mean_is_what_lets_an_offset_move_mom() -> None:
    (part,) = find("park2024/offset").build(True)
    curves: dict[str, list[list[float]]] = {}
    for run in part.runs():
        if run.case.schedule == "paper" and run.case.policy.startswith("MoM"):
            curves.setdefault(run.case.policy, []).append(play(run)["curve"]["regret"])
    assert max(abs(np.subtract(other, curves["MoM-GP-UCB"][0])).max()
               for other in curves["MoM-GP-UCB"][1:]) > 1.0  # fmt: skip
    for other in curves["MoM-GP-UCB, centred"][1:]:
        np.testing.assert_allclose(other, curves["MoM-GP-UCB, centred"][0], rtol=0.0, atol=1e-6)


@pytest.mark.parametrize(
    ("shift", "holds"), [(0.0, True), (0.05, True), (0.3, False), (-0.3, False), (None, None)]
)
def test_hardly_moving_is_within_a_tenth_beyond_chance(
    shift: float | None, holds: bool | None
) -> None:
    label = "MoM-GP-UCB, λ = 0.01"
    cases = [
        case(label, horizon=100, noise=f"offset {o} std", schedule="paper") for o in (0, 10, 100)
    ]
    rates = [[1.0, 1.1, 0.9]] * 2
    rates.append([0.3, 1.0, 2.0] if shift is None else [rate + shift for rate in rates[0]])
    rows = [
        (*(getattr(c, name) for name in CASE), trial, 100, 100.0 * rate)
        for c, values in zip(cases, rates, strict=True)
        for trial, rate in enumerate(values)
    ]
    columns = map(np.array, zip(*rows, strict=True))
    made = Results({"curves": dict(zip((*CASE, "trial", "t", "regret"), columns, strict=True))}, {})
    (claim,) = (c for c in find("park2024/offset").claims if c.says.startswith("With λ = 0.01"))
    assert claim.check(made).holds is holds
