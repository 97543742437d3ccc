"""GP-UCB on 100 arms near t = 1000, beside BoTorch and scikit-learn."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from core.synthetic import ARMS, KERNEL, function
from speed.report import Goal, Options, Section, duration, ratio
from speed.timing import play, seconds
from speed.work import Method, World
from stoic import Arms
from stoic.lab.noise import noises
from stoic.lab.problems import Problem

__all__ = ["libraries"]

WINDOW = 100  # rounds of ours that are timed
ROUNDS = 20  # rounds of a peer


def _world() -> World:
    problem = Problem(Arms(ARMS), KERNEL, function(0), norm_bound=1.0)
    return World(problem, noises.make({"kind": "student-t", "df": 3.0}))


def _ours(world: World, schedule: str, t: int) -> float:
    """Seconds of a round about t."""
    means, draws = world.problem.f.tolist(), world.draws(t + WINDOW)
    least = np.inf
    for _ in range(5):
        policy = Method("gp-ucb", schedule).make(world, 10 * t)
        play(policy, means, draws[: t - WINDOW // 2])
        window = draws[t - WINDOW // 2 : t + WINDOW // 2]
        least = min(least, seconds(lambda: play(policy, means, window)))  # noqa: B023
    return float(least) / WINDOW


def _job(world: World, t: int) -> tuple[dict[str, Any], list[int]]:
    """What peers are to repeat, and what our policy chose there."""
    policy = Method("gp-ucb", "paper").make(world, 10 * t)
    f, played, widths = world.problem.f, [], []
    draws = world.draws(t + ROUNDS)
    for draw in draws:
        widths.append(policy.width)
        played += play(policy, f.tolist(), [draw])
    payoffs = f[np.array(played)] + np.array(draws)
    job = {
        "arms": world.problem.domain.X.tolist(),
        "played": played,
        "payoffs": payoffs.tolist(),
        "widths": widths[-ROUNDS:],
        "lengthscale": float(np.asarray(KERNEL.lengthscale)),
        "lam": policy.lam,
        "rounds": ROUNDS,
    }
    return job, played[-ROUNDS:]


def libraries(options: Options) -> Section:
    """The section, with what of the peers can be run."""
    t = options.pick(1000, 200)
    world = _world()
    options.tick(f"GP-UCB near t = {t}: ours")
    mine = {schedule: _ours(world, schedule, t) for schedule in ("practical", "paper")}
    section = Section(
        f"GP-UCB, 100 arms, a round near t = {t}",
        ["library", "a round", "ours, practical", "ratio", "ours, paper", "ratio", "same choices"],
        notes=[
            f"Hyper-parameters fixed; peers time the median of {ROUNDS} rounds, ours the mean of "
            f"{WINDOW}, least of 5. Choices compared with our paper schedule's."
        ],
    )
    options.tick(f"GP-UCB near t = {t}: peers")
    ratios = {}
    job, chosen = _job(world, t)
    for name, found in _peers(options.peers, job).items():
        if "missing" in found:
            section.rows.append([name, found["missing"], "", "", "", "", ""])
            continue
        theirs = float(np.median(found["seconds"]))
        ratios[name] = theirs / mine["practical"]
        same = float(np.mean(np.array(found["choices"]) == np.array(chosen)))
        row = [f"{name} ({found['version']})", duration(theirs)]
        for value in mine.values():
            row += [duration(value), ratio(theirs / value)]
        section.rows.append([*row, f"{100 * same:.0f} %"])
    _add_goal(section, ratios, mine["practical"])
    return section


def _add_goal(section: Section, ratios: dict[str, float], mine: float) -> None:
    named = {name: r for name, r in ratios.items() if name.startswith("BoTorch")}
    measured = ", ".join(f"{name} {ratio(r)}×" for name, r in ratios.items())
    met = min(named.values()) >= 1000.0 if named else None
    text = measured or f"ours {duration(mine)}; no peers: see install_peers.sh and --peers"
    work, baseline = section.title, "BoTorch, hyper-parameters fixed"
    section.goals.append(Goal(work, baseline, "≥ 1,000×", text, met))


def _peers(python: Path | None, job: dict[str, Any]) -> dict[str, Any]:
    if python is None:
        return {}
    script = Path(__file__).with_name("peers.py")
    done = subprocess.run(
        [str(python), str(script)],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"peers": {"missing": (done.stderr.strip() or "failed").splitlines()[-1]}}
    found: dict[str, Any] = json.loads(done.stdout)
    return found
