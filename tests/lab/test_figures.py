"""Figures: panels, curves, labels, files."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

from helpers.made_results import case, make
from stoic.errors import InvalidInput, MissingExtra, UnknownName
from stoic.lab.experiments.figures import CAPTIONS, KINDS, caption, draw, save
from stoic.lab.experiments.figures.style import KNOWN, palette
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.summary import summary, thin, write_curves, write_summary

POLICIES = ("GP-UCB", "TGP-UCB", "Uniform")
PLAIN = make([case(policy) for policy in POLICIES])
ATTACKED = make([case(p, attack=a) for a in ("flip", "none") for p in POLICIES])
HORIZONS = make([case(p, horizon=h) for p in POLICIES for h in (100, 400, 1600)])


def legends(figure: mpl.figure.Figure) -> list[str]:
    found = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    for axes in figure.axes:
        legend = axes.get_legend()
        found += [text.get_text() for text in legend.get_texts()] if legend is not None else []
    return found


@pytest.mark.parametrize(
    ("kind", "panels", "lines"),
    [
        ("average-regret", 1, 3),
        ("cumulative-regret", 1, 3),
        ("final-regret", 1, 3),
        ("seconds-per-round", 1, 3),
        ("epochs", 1, 3),
        ("accuracy", 1, 7),  # two ends for each, and the line at one
        ("features", 1, 4),  # two policies with features, and their effective dimensions
        ("beliefs", 3, 7),  # f and the estimate for each, and one for the legend
        ("seconds", 1, 0),
    ],
)
def test_every_kind_has_its_panels_and_curves(kind: str, panels: int, lines: int) -> None:
    figure = draw(kind, PLAIN)
    assert len(figure.axes) == panels
    assert sum(len(axes.lines) for axes in figure.axes) == lines
    titles = [axes.get_title("left") for axes in figure.axes]
    if kind == "beliefs":
        assert titles == ["GP-UCB", "TGP-UCB", "Uniform"]
        assert legends(figure) == ["f", "estimate", "bounds; darker: one std"]
    elif kind == "seconds":
        assert titles == [""]
        assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == list(POLICIES)
        widths = [patch.get_width() for patch in figure.axes[0].patches]  # type: ignore[attr-defined]
        assert widths == pytest.approx([r["cpu_seconds"] for r in summary(PLAIN)])
    elif kind == "features":
        assert legends(figure) == ["GP-UCB", "TGP-UCB", "effective dimension"]
    else:
        assert legends(figure) == list(POLICIES)


def test_every_kind_is_covered_and_has_a_caption() -> None:
    assert set(KINDS) == set(CAPTIONS)
    assert caption("fig3-seconds-per-round") == CAPTIONS["seconds-per-round"]
    assert caption("something") == "something"


def test_final_regret_has_a_panel_for_each_schedule_and_a_tick_for_each_noise() -> None:
    noises, schedules = ("gaussian", "t"), ("paper", "practical")
    made = make([case(p, noise=n, schedule=s) for s in schedules for n in noises for p in POLICIES])
    figure = draw("final-regret", made)
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == ["paper schedule", "practical schedule"]
    for axes, schedule in zip(figure.axes, schedules, strict=True):
        assert [tick.get_text() for tick in axes.get_xticklabels()] == list(noises)
        assert axes.get_ylim() == figure.axes[0].get_ylim()
        x, y = axes.lines[1].get_data()
        curves = [made.curve(case("TGP-UCB", noise=n, schedule=schedule)) for n in noises]
        np.testing.assert_array_equal(x, [0.0, 1.0])
        want = [c.end.mean() / c.case.horizon for c in curves]
        np.testing.assert_allclose(np.asarray(y, dtype=float), want)


def test_average_regret_shows_mean_and_spread_over_trials() -> None:
    axes = draw("average-regret", PLAIN).axes[0]
    t, y = axes.lines[1].get_data()
    curve = PLAIN.curve(case("TGP-UCB"))
    shown = np.isin(curve.t, t)
    assert y == pytest.approx((curve.values / curve.t).mean(axis=0)[shown])
    band = np.asarray(axes.collections[1].get_paths()[0].vertices, dtype=float)
    top = (curve.values / curve.t).mean(axis=0) + (curve.values / curve.t).std(axis=0, ddof=1)
    assert np.max(band[:, 1]) == pytest.approx(top[shown].max())


def test_panels_are_labelled_by_what_varies_in_the_experiments_own_order() -> None:
    figure = draw("cumulative-regret", ATTACKED)
    assert [axes.get_title("left") for axes in figure.axes] == ["none", "flip"]
    assert legends(figure) == list(POLICIES)  # once, not in every panel


def test_many_panels_begin_a_row_for_each_experiment() -> None:
    attacks = [f"a{i}" for i in range(5)]
    cases = [case("RGP-PE", experiment=f"p/{e}", attack=a) for e in ("x", "y") for a in attacks]
    figure = draw("epochs", make(cases, trials=2))
    titles = [axes.get_title("left") for axes in figure.axes]
    assert titles == [f"{e}, {a}" for e in ("x", "y") for a in attacks]
    specs = [axes.get_subplotspec() for axes in figure.axes]
    first = [spec for spec in specs if spec is not None and spec.colspan.start == 0]
    assert len(figure.axes) == 10
    assert specs[5] in first
    assert len(first) == 4


def test_scaling_states_the_slope() -> None:
    figure = draw("scaling", HORIZONS)
    assert len(figure.axes) == 1
    assert len(figure.axes[0].lines) == 3
    for label, policy in zip(legends(figure), POLICIES, strict=True):
        assert label.startswith(f"{policy}, slope ")
        assert float(label.rpartition(" ")[2]) == pytest.approx(0.5, abs=0.03)  # c·√T
    with pytest.raises(InvalidInput, match="two horizons"):
        draw("scaling", PLAIN)


def test_unknown_kinds_and_missing_records_are_told() -> None:
    with pytest.raises(UnknownName, match="average-regret"):
        draw("pie", PLAIN)
    bare = {"curves": {k: v for k, v in PLAIN.tables["curves"].items() if "ratio" not in k}}
    for kind, word in (("accuracy", "record"), ("epochs", "record"), ("seconds", "seconds")):
        with pytest.raises(InvalidInput, match=word):
            draw(kind, Results(bare, {}))


def test_missing_matplotlib_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"stoic\[figures\]"):
        draw("average-regret", PLAIN)


def test_files_are_the_same_bytes_in_threads_too_and_leave_no_settings(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)

    def one(name: str) -> list[bytes]:
        paths = save(draw("average-regret", PLAIN, title="T"), tmp_path / name, "fig")
        assert [path.name for path in paths] == ["fig.svg", "fig.png"]
        return [path.read_bytes() for path in paths]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(one, "ab")
    assert first == second
    assert len(first[0]) < 250_000
    assert b"TGP-UCB" in first[0]
    assert first[1].startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_styles_are_fixed_and_told_apart() -> None:
    look = palette(["mine", "TGP-UCB", "_hidden", "GP-UCB"])
    assert look["TGP-UCB"].colour == "#0072B2"
    assert look["TGP-UCB"] == palette(["tgp-ucb"])["tgp-ucb"]
    assert (look["GP-UCB"].colour, look["GP-UCB"].line) == ("#000000", "--")
    assert len(set(look.values())) == 4
    aliases = ("ata-gp-ucb", "gp-ucb, truncated")
    others = [style for label, style in KNOWN.items() if label not in aliases]
    assert len({style.colour for style in others}) == len(others)
    assert len({style.marker for style in others}) == len(others)


def test_users_labels_are_shown_as_they_stand(tmp_path: Path) -> None:
    label = "_a $\\nonsense$ <b>"
    figure = draw("average-regret", make([case(label), case("GP-UCB")]))
    save(figure, tmp_path, "fig")  # would fail on a formula
    assert [text.replace("\\$", "$").strip() for text in legends(figure)] == ["GP-UCB", label]


def test_thin_keeps_both_ends_and_the_number() -> None:
    t = np.arange(1, 1001)
    for log in (False, True):
        places = thin(t, 25, log=log)
        assert len(places) <= 25
        assert (places[0], places[-1]) == (0, 999)
    assert np.median(thin(t, 25, log=True)) < 50 < np.median(thin(t, 25))


def test_summary_figures(tmp_path: Path) -> None:
    rows = summary(PLAIN)
    ends = PLAIN.curve(case("TGP-UCB")).end
    row = next(row for row in rows if row["policy"] == "TGP-UCB")
    assert row["trials"] == 4
    assert row["regret_mean"] == pytest.approx(ends.mean())
    assert row["regret_std"] == pytest.approx(ends.std(ddof=1))
    assert (row["regret_min"], row["regret_max"]) == (ends.min(), ends.max())
    assert row["average_median"] == pytest.approx(np.median(ends) / 200)
    assert row["slope_ratio"] == pytest.approx(np.sqrt(2) - 1, abs=1e-3)  # (√T − √(T/2))/√(T/2)
    text = write_summary(PLAIN, tmp_path / "summary.csv").read_text()
    assert text.splitlines()[0].startswith("experiment,problem,noise,attack,schedule,horizon")
    assert len(text.splitlines()) == 4
    curves = write_curves(HORIZONS, tmp_path / "curves.csv").read_text().splitlines()
    assert 9 * 10 < len(curves) - 1 <= 9 * 25
