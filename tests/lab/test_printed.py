"""Printed points: read, refused if damaged, drawn, and compared with our curves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers.made_results import case, make
from stoic.errors import InvalidInput, MissingData
from stoic.lab.datasets import printed_bands, printed_regret
from stoic.lab.experiments.catalogue import CATALOGUE
from stoic.lab.experiments.catalogue.chowdhury2019.prints import ENDS, PrintedFigure
from stoic.lab.experiments.figures import draw
from stoic.lab.experiments.printed import Printed, gaps, per_round_at
from stoic.lab.experiments.publish import publish
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.summary import summary, write_summary
from stoic.lab.problems import problems

HEADER = "figure,series,x,y\n"
REGRET = HEADER + "fig1a,tgp-ucb,50,0.3\nfig1a,tgp-ucb,200,0.1\nfig1a,other,1,0.2\nfig1b,x,1,2\n"
BANDS = HEADER + "".join(
    f"fig1f,{series},{x},{y}\n"
    for series, rows in {
        "f": ((0, 0.5), (1, 1.0)),
        "untruncated-mean": ((0, 0.6), (1, 1.2)),
        "untruncated-band": ((0, 0.4), (1, 1.1), (0, 0.8), (1, 1.3)),
        "truncated-mean": ((0, 0.5), (1, 1.0)),
        "truncated-band": ((0, 0.4), (1, 0.9), (0, 0.6), (1, 1.1)),
    }.items()
    for x, y in rows
)
RESULTS = make([case("TGP-UCB"), case("GP-UCB"), case("TGP-UCB", schedule="practical")])
PRINT = Printed(
    {"TGP-UCB": (np.array([50.0, 200.0, 900.0]), np.array([0.3, 0.1, 0.0]))}, {"schedule": "theory"}
)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A made folder of data, with an empty folder for the printed points."""
    monkeypatch.setenv("STOIC_DATA", str(tmp_path))
    (tmp_path / "chowdhury2019_fig1").mkdir()
    return tmp_path


def write(root: Path, text: str) -> Path:
    path = root / "chowdhury2019_fig1" / "curves.csv"
    path.write_text(text, encoding="utf-8")
    return path


# -- reading --------------------------------------------------------------------------------------


def test_points_are_read_by_figure_and_series(root: Path) -> None:
    path = write(root, REGRET)
    for given in (None, path, path.parent, root):
        found = printed_regret("fig1a", given)
        assert set(found) == {"tgp-ucb", "other"}
        np.testing.assert_array_equal(found["tgp-ucb"], ([50.0, 200.0], [0.3, 0.1]))


def test_bands_are_read_lower_edge_first(root: Path) -> None:
    data = printed_bands(write(root, BANDS))
    np.testing.assert_array_equal(data.f, [0.5, 1.0])
    band = data.bands["untruncated"]
    np.testing.assert_array_equal(band, [[0.0, 1.0], [0.6, 1.2], [0.4, 1.1], [0.8, 1.3]])
    problem = problems.make({"kind": "printed-chowdhury2019"}, seed=0, horizon=9)
    np.testing.assert_array_equal(problem.f, data.f)
    assert problem.norm_bound == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "header"),
        (HEADER, "header"),
        (REGRET.replace("series", "name"), "header"),
        (REGRET.replace("200,0.1", "200"), "columns"),
        (REGRET.replace("0.3", "nan"), "finite.*line 2"),
        (REGRET.replace("0.3", "a"), "finite.*line 2"),
        (REGRET.replace(",200,", ",50,"), "more than 50.*line 3"),
        (REGRET.replace(",50,", ",0.5,"), "whole.*line 2"),
        (REGRET.replace(",50,", ",-3,"), "whole.*line 2"),
        (REGRET.replace("fig1a", "fig1c"), "some rows of fig1a"),
    ],
)
def test_damaged_points_are_refused(root: Path, text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        printed_regret("fig1a", write(root, text))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("fig1f,f,1,1.0", "fig1f,f,2,1.0", "x of f"),
        ("fig1f,truncated-band,1,1.1\n", "", "twice"),
        ("fig1f,truncated-mean", "fig1f,mean", "truncated-mean"),
        ("fig1f,truncated-band,0,0.6", "fig1f,truncated-band,0,0.3", "lower edge"),
    ],
)
def test_damaged_bands_are_refused(root: Path, old: str, new: str, words: str) -> None:
    assert old in BANDS
    with pytest.raises(InvalidInput, match=words):
        printed_bands(write(root, BANDS.replace(old, new)))


def test_bytes_that_are_no_text_are_refused(root: Path) -> None:
    write(root, REGRET).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match="readable"):
        printed_regret("fig1a")


def test_absent_points_are_told_and_a_reproduction_does_without(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):  # an empty folder, then none
        with pytest.raises(MissingData, match=r"curves\.csv"):
            printed_regret("fig1a")
        assert all(entry.printed() is None for entry in CATALOGUE.values() if entry.printed)
        (part,) = CATALOGUE["chowdhury2019/fig1f"].build(False)
        assert part.problems[0]["kind"] == "rkhs-chowdhury2019"
        monkeypatch.setenv("STOIC_DATA", str(root / "nowhere"))


# -- comparing ------------------------------------------------------------------------------------


def test_ours_at_a_printed_round_is_interpolated_and_averaged() -> None:
    curve = RESULTS.curve(case("TGP-UCB"))
    i = int(np.argmax(np.diff(curve.t) > 1))
    t = (curve.t[i] + curve.t[i + 1]) / 2
    wanted = curve.values[:, [i, i + 1]].mean(axis=1) / t
    np.testing.assert_allclose(per_round_at(curve, np.array([t]))[:, 0], wanted)
    found = gaps(RESULTS, PRINT)
    assert [(gap.policy, gap.t, gap.printed) for gap in found] == [
        ("TGP-UCB", 50, 0.3),
        ("TGP-UCB", 200, 0.1),  # and 900 is beyond the run
    ]
    ends = curve.end / 200
    assert found[1].difference == pytest.approx(ends.mean() - 0.1)
    assert found[1].std == pytest.approx(ends.std(ddof=1))
    (_, alone) = gaps(RESULTS, PRINT, trial=2)
    assert alone.mean == pytest.approx(ends[2])
    assert np.isnan(alone.std)


def test_summary_has_the_print_only_where_it_is_printed(tmp_path: Path) -> None:
    rows = {(row["policy"], row["schedule"]): row for row in summary(RESULTS, PRINT)}
    row = rows["TGP-UCB", "theory"]
    assert row["print"] == 0.1
    assert row["print_difference"] == max(abs(gap.difference) for gap in gaps(RESULTS, PRINT))
    for key in (("GP-UCB", "theory"), ("TGP-UCB", "practical")):
        assert (rows[key]["print"], rows[key]["print_difference"]) == (None, None)
    lines = write_summary(RESULTS, tmp_path / "s.csv", printed=PRINT).read_text().splitlines()
    assert lines[0].endswith(",print,print_difference")
    assert sum(line.endswith(",,") for line in lines) == 2


def toy_results(level: float, trials: int = 4) -> Results:
    """Regret of the printed policies of Figure 1c, ``level`` times the printed R_T/T."""
    ends = ENDS["fig1c"]
    made = make([case(label, schedule="paper") for label in ends], trials=trials)
    curves = dict(made.tables["curves"])
    per_round = np.array([ends[label] for label in curves["policy"]])
    jitter = 1.0 + 0.001 * curves["trial"]
    return Results({"curves": {**curves, "regret": level * per_round * jitter * curves["t"]}}, {})


def test_every_printed_point_counts(root: Path) -> None:
    ends = ENDS["fig1c"].values()
    names = ("ata-gp-ucb-nystrom", "tgp-ucb")
    lines = [
        f"fig1c,{name},{t},{y}\n" for name, y in zip(names, ends, strict=True) for t in (100, 200)
    ]
    write(root, HEADER + "".join(lines))
    figure = PrintedFigure("fig1c", 200)
    near = figure.claims()[-1].check
    assert near(toy_results(1.0)).holds
    verdict = near(toy_results(1.1))
    assert verdict.holds is False
    assert verdict.figures.startswith("0 of 4 are; the largest difference is +0.044 (TGP, t = ")
    assert "allowed 0.010" in verdict.figures
    assert "at most 0.001" in figure.got(toy_results(1.0))
    write(root, HEADER + "".join([*lines[:-1], "fig1c,tgp-ucb,200,0.5\n"]))  # one is enough
    assert near(toy_results(1.0)).holds is False
    one_run = replace(figure, one_run=True).claims()[-1]
    figures = one_run.check(toy_results(1.0)).figures
    assert "our first run alone" in figures
    assert figures.count("not within 0.01, or two standard errors of our mean: TGP at t = 200") == 1
    (root / "chowdhury2019_fig1" / "curves.csv").unlink()
    verdict = near(toy_results(1.0))
    assert (verdict.holds, verdict.tested) == (None, False)


def test_the_order_of_the_print_is_compared() -> None:
    figure = PrintedFigure("fig1c", 200)
    order = next(claim for claim in figure.claims() if "order" in claim.says).check
    assert order(toy_results(1.0)).holds
    swapped = toy_results(1.0)
    policy = swapped.tables["curves"]["policy"]
    other = dict(zip(ENDS["fig1c"], reversed(ENDS["fig1c"]), strict=True))
    curves = {**swapped.tables["curves"], "policy": np.array([other[name] for name in policy])}
    assert order(Results({"curves": curves}, {})).holds is False
    assert figure.got(RESULTS) == "not run"


def test_what_we_say_of_the_print_is_what_was_read_off(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STOIC_DATA", str(data_folder))
    for name, ends in ENDS.items():
        printed = CATALOGUE[f"chowdhury2019/{name}"].printed
        assert printed is not None
        found = printed()
        assert found is not None
        assert {k: v[1][-1] for k, v in found.points.items()} == pytest.approx(ends, abs=6e-4)
        assert list(ends.values()) == sorted(ends.values())
    data = printed_bands()
    error = {name: band.mean - data.f for name, band in data.bands.items()}
    i = int(error["untruncated"].argmax())
    assert (error["untruncated"][i], data.x[i]) == pytest.approx((0.69, 0.76), abs=5e-3)
    assert error["untruncated"].min() == pytest.approx(-0.19, abs=5e-3)
    assert np.abs(error["truncated"]).max() < 0.01
    missed = {
        n: int(((data.f < b.lower) | (data.f > b.upper)).sum()) for n, b in data.bands.items()
    }
    assert missed == {"untruncated": 47, "truncated": 0}
    least = {n: float((b.upper - b.lower).min()) / 2 for n, b in data.bands.items()}
    assert least == pytest.approx({"untruncated": 0.045, "truncated": 0.012}, abs=5e-4)


# -- drawing --------------------------------------------------------------------------------------


def test_points_are_drawn_on_linear_axes_in_their_panel_alone() -> None:
    figure = draw("average-regret", RESULTS, printed=PRINT)
    by_title = {axes.get_title("left"): axes for axes in figure.axes}
    assert all(axes.get_xscale() == "linear" for axes in figure.axes)
    assert draw("average-regret", RESULTS).axes[0].get_xscale() == "log"
    drawn = {
        title: [line for line in axes.lines if line.get_markerfacecolor() == "white"]
        for title, axes in by_title.items()
    }
    points = [line for line in drawn["theory schedule"] if len(np.asarray(line.get_xdata()))]
    (line,) = points
    np.testing.assert_array_equal(line.get_data(), PRINT.points["TGP-UCB"])
    assert not [line for line in drawn["practical schedule"] if len(np.asarray(line.get_xdata()))]
    labels = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert labels[-1] == "printed"
    assert "printed" not in [
        text.get_text() for legend in draw("average-regret", RESULTS).legends
        for text in legend.get_texts()
    ]  # fmt: skip


def test_bands_are_drawn_over_estimates(root: Path) -> None:
    band = printed_bands(write(root, BANDS)).bands["untruncated"]
    figure = draw("beliefs", RESULTS, printed=Printed({}, {"schedule": "theory"}, {"GP-UCB": band}))
    found = [
        (axes.get_title("left"), np.asarray(line.get_ydata()).tolist())
        for axes in figure.axes
        for line in axes.lines
        if str(line.get_label()).startswith("printed")
    ]
    assert {title for title, _ in found} == {"GP-UCB, theory schedule"}
    assert [y for _, y in found] == [[0.6, 1.2], [0.4, 1.1], [0.8, 1.3]]


def test_publishing_passes_the_print_on(tmp_path: Path) -> None:
    entry = replace(CATALOGUE["chowdhury2019/fig1a"], printed=lambda: PRINT)
    publish(tmp_path, RESULTS, entry)
    assert "printed" in (tmp_path / "average-regret.svg").read_text(encoding="utf-8")
    assert ",0.1," in (tmp_path / "summary.csv").read_text(encoding="utf-8")
