"""Suggestions that are computed apart from asks, and taken by them if they are up to date."""

from __future__ import annotations

import threading
import time

import pytest

import stoic
from stoic.errors import InvalidInput, StaleProposal

SPACE = {"x": (0.0, 1.0), "n": (1, 4)}


def new(store: str, **more: object) -> stoic.Study:
    options: dict[str, object] = {"space": SPACE, "direction": "maximize", "seed": 5}
    return stoic.Study(store, **(options | more))  # type: ignore[arg-type]


def value(params: dict[str, float]) -> float:
    return -((params["x"] - 0.3) ** 2) + 0.01 * params["n"]


@pytest.mark.parametrize("method", ["auto", "random"])
def test_they_are_what_ask_alone_would_suggest(store: str, method: str) -> None:
    asked: dict[str, list[dict[str, float]]] = {}
    for name in ("alone", "proposed"):
        with new(store, name=name, method=method) as study, stoic.Study(store, name) as thinker:
            for _ in range(4):
                batch = []
                proposals = thinker.suggest(3) if name == "proposed" else [None] * 3
                for proposal in proposals:
                    trial = study.ask(proposal=proposal)
                    assert proposal is None or (trial.number, trial.params) == (
                        proposal.number, proposal.params,
                    )  # fmt: skip
                    assert trial.made == ("model" if method == "auto" else "random")
                    batch.append(trial)
                asked.setdefault(name, []).extend(trial.params for trial in batch)
                for trial in batch:
                    study.tell(trial, value(trial.params))
    assert asked["alone"] == asked["proposed"]


@pytest.mark.parametrize("what", ["told", "asked", "another before", "enqueued"])
def test_one_that_is_out_of_date_is_not_taken(store: str, what: str) -> None:
    with new(store) as study:
        held = study.ask()
        first, second = study.suggest(2)
        proposal = first
        if what == "told":
            study.tell(held, 1.0)
        elif what == "asked":
            study.ask(proposal=first)
        elif what == "enqueued":
            study.enqueue({"x": 0.5, "n": 1})
            study.ask()
        else:  # the trial before it is not the one that it reckoned with
            study.enqueue({"x": 0.5, "n": 1})
            study.ask()
            proposal = second
        count = study.asked
        with pytest.raises(StaleProposal, match="stale_ok"):
            study.ask(proposal=proposal)
        with pytest.raises(StaleProposal):
            study.ask_within(10, proposal=proposal)
        assert study.ask_within(count, proposal=proposal) is None
        assert study.asked == count
        trial = study.ask(proposal=proposal, stale_ok=True)
        assert (trial.number, trial.params, trial.made) == (
            count, proposal.params, "earlier-model",
        )  # fmt: skip


def test_trials_that_came_back_go_first(store: str) -> None:
    with new(store, max_lost_leases=2) as study:
        back = study.ask()
        (proposal,) = study.suggest()
        study.release(back)
        again = study.ask(proposal=proposal, lease=0.01)
        assert (again.number, again.made) == (back.number, "queue")
        time.sleep(0.02)
        assert study.ask(proposal=proposal, lease=0.01).number == back.number
        time.sleep(0.02)
        with pytest.raises(StaleProposal):  # the trial is given up: the log has grown
            study.ask(proposal=proposal)
        assert study.trials[0].state == "failed"
        assert study.ask(proposal=proposal, stale_ok=True).number == 1


def test_a_trial_that_is_given_up_on_the_way(store: str) -> None:
    with new(store, max_lost_leases=1) as study:
        study.ask(lease=0.01)
        (proposal,) = study.suggest()
        time.sleep(0.02)
        assert study.ask(proposal=proposal, stale_ok=True).number == 1
        assert study.trials[0].state == "failed"


def test_keys_go_before_proposals(store: str) -> None:
    with new(store) as study:
        first = study.ask(key="a")
        (proposal,) = study.suggest()
        again = study.ask(key="a", proposal=proposal)
        assert (again.number, again.made) == (first.number, "again")
        assert study.ask(key="b", proposal=proposal).params == proposal.params
        assert study.ask(key="b", proposal=proposal).number == 1


def test_draws_come_without_the_model(store: str) -> None:
    space = {"a": [1, 2, 3], "b": [True, False]}
    with stoic.Study(store, space=space, direction="maximize") as study:
        study.tell(study.ask(), 1.0)
        study.ask()
        proposals = study.suggest(4, model=False)
        open_ = [t.params for t in study.trials if t.state == "open"]
        for proposal in proposals:
            assert proposal.params not in open_
            trial = study.ask(proposal=proposal)
            assert (trial.params, trial.made) == (proposal.params, "random")
            open_.append(trial.params)
        assert len(study.suggest(3, model=False)) == 3  # all is under evaluation


def test_draws_of_a_study_of_arms(store: str) -> None:
    policy = stoic.policies.GPUCB(stoic.Arms([[0.0], [0.5], [1.0]]), stoic.SquaredExponential(0.2))
    with stoic.Study(store, policy=policy) as study:
        for proposal in study.suggest(2, model=False):
            assert study.ask(proposal=proposal).params["arm"] in range(3)


def test_taking_one_waits_for_no_thread_that_thinks(store: str) -> None:
    with new(store) as study:
        (proposal,) = study.suggest()
        thinks, asked = threading.Event(), threading.Event()

        def think() -> None:
            with study._opened.thinking:
                thinks.set()
                asked.wait(30.0)

        thread = threading.Thread(target=think)
        thread.start()
        thinks.wait()
        assert study.ask(proposal=proposal).number == 0
        asked.set()
        thread.join()


def test_what_is_no_proposal_is_refused(store: str) -> None:
    with new(store) as study, new(store, name="other") as other:
        (theirs,) = other.suggest()
        with pytest.raises(InvalidInput, match="for this study"):
            study.ask(proposal=theirs, stale_ok=True)
        with pytest.raises(InvalidInput, match="expected a proposal"):
            study.ask(proposal={"x": 0.5, "n": 1})  # type: ignore[arg-type]
        for count in (0, 1001, 1.5):
            with pytest.raises(InvalidInput, match="count"):
                study.suggest(count)  # type: ignore[arg-type]
        assert study.asked == 0


def test_quick_ones_are_a_batch_until_they_are_out_of_date(store: str) -> None:
    with new(store) as study:
        for _ in range(14):
            trial = study.ask()
            study.tell(trial, value(trial.params))
        beside = {"x": 0.3, "n": 4}
        first, second, *_ = proposals = study.suggest(20, quick=True, beside=[beside])
        assert len({tuple(each.params.items()) for each in proposals}) > 10
        assert study.ask(proposal=first).made == "batch"
        trial = study.ask(proposal=second)
        assert (trial.made, trial.params) == ("batch", second.params)
        study.tell(trial, value(trial.params))
        assert study.ask(proposal=proposals[2], stale_ok=True).made == "earlier-model"
        with pytest.raises(InvalidInput, match="expected"):
            study.suggest(2, quick=True, beside=[{"x": 7.0, "n": 4}])


@pytest.mark.parametrize("more", [{"method": "random"}, {"policy": "arms"}])
def test_quick_ones_without_an_optimiser_are_the_usual_ones(
    store: str, more: dict[str, object]
) -> None:
    if "policy" in more:
        arms = stoic.Arms([[0.0], [0.5], [1.0]])
        policy = stoic.policies.GPUCB(arms, stoic.SquaredExponential(0.3))
        more = {"policy": policy, "space": None, "seed": None}
    with new(store, **more) as study:
        usual, quick = study.suggest(5), study.suggest(5, quick=True)
        assert [each.params for each in quick] == [each.params for each in usual]
