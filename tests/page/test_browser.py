"""The live page in a real browser: it follows the study, its forms work, and nothing is amiss."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from helpers.browsing import MISSING, Watched, browser, opened
from helpers.here import Here, running
from stoic import Study
from stoic.server.tokens import TokenFile

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

SPACE = {"threads": (1, 64, "log"), "gc": ["g1", "zgc"]}
HOSTILE = "<script>alert(1)</script>\u202e\u200fabc\"'&lt;<img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def by() -> Iterator[Browser]:
    with browser() as started:
        yield started


def latency(threads: int, gc: str) -> float:
    return 40.0 + 8.0 * (math.log(threads) - 2.5) ** 2 + 6.0 * (gc == "g1")


def measured(path: Path, n: int, name: str = "study") -> Study:
    """A study with so many trials of a known function, drawn at random."""
    study = Study(
        path, name, space=SPACE, direction="minimize", method="random", objective="latency",
        baseline={"threads": 4, "gc": "g1"},
    )  # fmt: skip
    for i in range(n):
        trial = study.ask()
        y = latency(**trial.params)
        study.tell(trial, y * (1.0 + 0.02 * math.sin(7.0 * i)))
    return study


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Here, Study]]:
    """A server of a study with sixteen trials, which the test holds open as well."""
    path = tmp_path / "studies.db"
    with measured(path, 16) as study, running(tmp_path) as here:
        yield here, study


def address(here: Here, study: Study) -> str:
    return f"http://127.0.0.1:{here.port}/studies/{study.uid}"


def ready(seen: Watched, evaluations: int) -> None:
    """Wait until the chart and the parts are of so many evaluations."""
    seen.page.wait_for_selector(f'#chart[data-n="{evaluations}"]')
    seen.says("status", f"{evaluations} evaluations")


def quiet(seen: Watched) -> None:
    """Nothing was complained about, and nothing was asked of another host."""
    assert seen.errors == []
    assert all(host.startswith("127.0.0.1:") for host in seen.hosts)


def test_a_trial_arrives_while_somebody_watches(by: Browser, served: tuple[Here, Study]) -> None:
    here, study = served
    with opened(by, address(here, study)) as seen:
        ready(seen, 16)
        assert "16 evaluations" in seen.text("status")
        assert "17.25" not in seen.text("latest")
        seen.page.wait_for_selector("#state.live")  # it follows the events from now on
        trial = study.ask()
        study.tell(trial, 17.25)
        ready(seen, 17)
        seen.says("latest", "17.25")
        seen.reports(f"trial {trial.number} gave 17.25")
        row = seen.page.locator("#part-latest tbody tr").first.inner_text().split()
        assert row[:2] == [str(trial.number), "17.25"]
        quiet(seen)


def test_what_is_to_be_measured_again_is_asked_next(
    by: Browser, served: tuple[Here, Study]
) -> None:
    here, study = served
    with opened(by, address(here, study)) as seen:
        ready(seen, 16)
        trial = study.trials[15]
        seen.page.get_by_label("Measure again: trial 15").first.click()
        seen.page.wait_for_selector("#notice .done")
        seen.says("queue", "trial 16")
        assert "Asked next" in seen.text("queue")
        asked = study.ask()
        assert asked.number == 16
        assert asked.params == trial.params
        quiet(seen)


def test_the_estimate_follows_an_exclusion_and_its_end(
    by: Browser, served: tuple[Here, Study]
) -> None:
    here, study = served
    best = study.recommend().params
    for _ in range(3):
        study.add(best, 5.0)  # far better than any true value
    with opened(by, address(here, study)) as seen:
        ready(seen, 19)
        before = study.recommend()
        seen.says("answer", before.shown("90% interval ").split()[0])
        for number in (16, 17, 18):
            seen.page.get_by_label(f"Exclude: trial {number}").first.click()
            seen.says("status", f"{number - 15} excluded")
        ready(seen, 16)
        after = study.recommend()
        assert after.value > before.value + 20.0
        seen.says("answer", after.shown().split()[0])
        assert seen.page.evaluate("stoicChart.points.estimates.at(-1)[1]") == after.value
        assert len(study.excluded) == 3
        seen.page.get_by_label("Take back: trial 17").first.click()
        ready(seen, 17)
        assert len(study.excluded) == 2
        quiet(seen)


def test_without_scripts_it_is_a_snapshot_whose_forms_work(
    by: Browser, served: tuple[Here, Study]
) -> None:
    here, study = served
    with opened(by, f"http://127.0.0.1:{here.port}/", java_script_enabled=False) as seen:
        seen.page.get_by_role("link", name="study").click()
        seen.page.wait_for_selector("#part-answer")  # at once, with what the trials tell
        assert "16 evaluations" in seen.text("status")
        seen.page.wait_for_selector("#drawn svg.wide", timeout=30_000)  # it loads again by itself
        assert seen.page.locator("#drawn svg.wide").is_visible()
        assert not seen.page.locator("#chart").is_visible()
        assert "16 evaluations" in seen.text("status")
        value = study.recommend().shown().split()[0]
        assert value in seen.text("answer")
        seen.page.get_by_label("Exclude: trial 3").first.click()
        assert "Excluded" in seen.page.locator("#notice").inner_text()
        assert [rule.trial for rule in study.excluded] == [3]
        quiet(seen)


def test_names_and_reasons_can_do_no_harm(by: Browser, tmp_path: Path) -> None:
    path = tmp_path / "studies.db"
    space = {"<b>x</b>" * 4: (0.0, 1.0), "kind": [HOSTILE, "b"]}
    with Study(
        path, "a <b>bold</b> name", space=space, direction="maximize", objective=HOSTILE, seed=3,
        worker="<i>worker</i>",
    ) as study:  # fmt: skip
        for i in range(6):
            study.tell(study.ask(), float(i))
        study.fail(study.ask(), HOSTILE * 20)
        with running(tmp_path) as here, opened(by, address(here, study)) as seen:
            ready(seen, 7)
            for tag in ("script:not([src])", "img", "i"):
                assert seen.page.locator(f".board {tag}").count() == 0, tag
            said = seen.page.locator("main").inner_text()
            assert "<script>alert(1)</script>\\u202e" in said
            assert "\u202e" not in said
            quiet(seen)


@pytest.mark.parametrize("outcome", ["none", "failed"])
def test_there_is_a_page_before_there_is_an_answer(
    by: Browser, tmp_path: Path, outcome: str
) -> None:
    path = tmp_path / "studies.db"
    with Study(path, space=SPACE, direction="minimize") as study:
        if outcome == "failed":
            for _ in range(4):
                study.fail(study.ask(), "out of memory")
        with running(tmp_path) as here, opened(by, address(here, study)) as seen:
            seen.page.wait_for_selector("#part-answer")
            seen.page.wait_for_selector("#state.live")
            words = {"none": "Nothing has been evaluated", "failed": "None of the 4"}[outcome]
            seen.says("answer", words)
            study.tell(study.ask(), 1.5)  # the first value
            seen.says("answer", "1.5")
            quiet(seen)


def test_a_token_signs_in(by: Browser, tmp_path: Path) -> None:
    path, tokens = tmp_path / "studies.db", tmp_path / "tokens.json"
    reader = TokenFile(str(tokens)).add(("read",), ("*",))
    with (
        measured(path, 4) as study,
        running(tmp_path, token_file=str(tokens)) as here,
        opened(by, address(here, study)) as seen,
    ):
        assert seen.page.url.endswith("/login")
        seen.page.get_by_label("Token").fill("stoic_wrong_token")
        seen.page.get_by_role("button", name="Sign in").click()
        assert "wrong" in seen.page.get_by_role("alert").inner_text()
        seen.page.get_by_label("Token").fill(reader)
        seen.page.get_by_role("button", name="Sign in").click()
        seen.page.get_by_role("link", name="study").click()
        ready(seen, 4)
        seen.page.wait_for_selector("#state.live")
        assert seen.page.get_by_role("button", name="Exclude").count() == 0  # it may only read
        seen.page.get_by_role("button", name="Sign out").click()
        assert seen.page.url.endswith("/login")
        assert reader not in seen.page.content()
        quiet(seen)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_those_who_see_or_move_otherwise(
    by: Browser, served: tuple[Here, Study], scheme: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe, which judges accessibility, is not installed: axe-playwright-python",
    )
    here, study = served
    study.exclude(2)
    for url in (f"http://127.0.0.1:{here.port}/", address(here, study)):
        with opened(by, url, color_scheme=scheme) as seen:
            if url.endswith(study.uid):
                ready(seen, 15)
            found = axe.Axe().run(seen.page).response["violations"]
            serious = [
                (each["id"], each["nodes"][0]["html"])
                for each in found
                if each["impact"] in ("serious", "critical")
            ]
            assert serious == []


def test_it_fits_a_phone_and_the_keyboard(by: Browser, served: tuple[Here, Study]) -> None:
    here, study = served
    size = {"width": 375, "height": 700}
    with opened(by, address(here, study), viewport=size) as seen:
        ready(seen, 16)
        width = seen.page.evaluate("document.documentElement.scrollWidth")
        assert width <= 375
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate("document.activeElement.innerText") == "Skip to the content"
        seen.page.keyboard.press("Enter")
        seen.page.keyboard.press("Tab")
        assert seen.page.evaluate(
            "document.getElementById('main').contains(document.activeElement)"
        )
        quiet(seen)
