"""Understand: what one outlier does to a Gaussian process, and how weights bound its influence."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from examples.gallery.page import Facts, Page
from examples.gallery.style import AMBER, BLUE, GREEN, GREY, RED, panels

from stoic.integrations.sklearn import RobustGPRegressor

PAGE = Page("understand/outlier.md", "outlier")
INFLUENCE = Page("understand/outlier.md", "influence")
SUSPECTS = Page("understand/suspects.md", "suspects")
SIZES = np.geomspace(0.01, 1e6, 33)
LABELS = {
    "fixed": ("plain, parameters of the clean data", RED),
    "learned": ("plain, parameters learned", AMBER),
    "stoic": ("Stoic", BLUE),
}


def make() -> None:
    """Draw the three figures."""
    warnings.simplefilter("ignore")
    space = PAGE.run()
    draw_fits(space)
    draw_influence(space)
    draw_suspects()


def draw_fits(space: dict[str, Any]) -> None:
    """The three fits of the page."""
    x, grid, true = space["X"][:, 0], space["grid"][:, 0], space["true"]
    figure, axes = panels(3, sharey=True)
    errors, bands, low = {}, {}, -1.9
    for ax, (name, (mean, std)) in zip(axes, space["fits"].items(), strict=True):
        colour = BLUE if name.startswith("Stoic") else RED
        values = space["clean"] if "clean" in name else space["wrong"]
        ax.fill_between(
            grid, mean - 1.645 * std, mean + 1.645 * std, color=colour, alpha=0.15, lw=0
        )
        ax.plot(grid, true(grid), color=GREEN, lw=1, label="truth")
        ax.plot(grid, mean, color=colour, lw=1.4, label="estimate, 90% band")
        shown = values > low
        ax.plot(x[shown], values[shown], "o", ms=3, color="black")
        for at in x[~shown]:
            ax.annotate(f"{values.min():.0f}", (at, low), (at, low + 0.55), ha="center", fontsize=8,
                        arrowprops={"arrowstyle": "->"})  # fmt: skip
        lowest = float(grid[int(np.argmin(mean))])
        ax.axvline(lowest, color=colour, lw=0.8, ls=":")
        ax.set(title=name, xlabel="x", ylim=(low, 2.1))
        errors[name] = float(np.sqrt(np.mean((mean - true(grid)) ** 2)))
        bands[name] = float(np.mean(std))
    axes[1].legend(loc="upper right")
    PAGE.save(figure)
    where = {name: float(grid[int(np.argmin(mean))]) for name, (mean, _) in space["fits"].items()}
    truth = float(grid[int(np.argmin(true(grid)))])
    PAGE.write({"errors": errors, "bands": bands, "lowest": where, "truth": truth}, words)


def words(facts: Facts) -> dict[str, str]:
    """What the three fits are like."""
    e, b, at = facts["errors"], facts["bands"], facts["lowest"]
    clean, broken, robust = "plain, clean data", "plain, one outlier", "Stoic, one outlier"
    return {
        "out": f"""
The error (root mean square over all x) is {e[clean]:.2f} without the outlier; with it
{e[broken]:.2f} for the plain process, and {e[robust]:.2f} for Stoic's. The mean standard
deviation that the models state is {b[clean]:.2f}, {b[broken]:.2f} and {b[robust]:.2f}. Dotted
lines are the minima that an optimiser would answer: {at[clean]:.2f}, {at[broken]:.2f} and
{at[robust]:.2f}; the truth is {facts["truth"]:.2f}."""
    }


def draw_influence(space: dict[str, Any]) -> None:
    """How far the estimate moves with the size of the outlier."""
    X, grid = space["X"], space["grid"]
    truth = space["true"](grid[:, 0])
    fixed = space["plain"]().fit(X, space["clean"])
    errors: dict[str, list[float]] = {name: [] for name in LABELS}
    for size in SIZES:
        y = space["clean"].copy()
        y[4] -= size
        means = {
            "fixed": _with_kernel_of(fixed, X, y, grid),
            "learned": space["plain"]().fit(X, y).predict(grid),
            "stoic": RobustGPRegressor().fit(X, y).predict(grid),
        }
        for name, mean in means.items():
            errors[name].append(float(np.sqrt(np.mean((mean - truth) ** 2))))
    figure, (ax,) = panels(1, height=2.6)
    for name, (label, colour) in LABELS.items():
        ax.plot(SIZES, errors[name], color=colour, lw=1.5, label=label)
    ax.axhline(float(np.ptp(truth)), color=GREY, lw=0.8, ls=":", label="range of the function")
    ax.set(xscale="log", yscale="log", xlabel="size of the outlier", ylim=(0.02, 1e6),
           ylabel="error of the whole function")  # fmt: skip
    ax.legend(loc="upper left")
    INFLUENCE.save(figure)
    INFLUENCE.write(
        {"sizes": SIZES.tolist(), "errors": errors, "range": float(np.ptp(truth))}, influence_words
    )


def influence_words(facts: Facts) -> dict[str, str]:
    """The worst and the last error of each."""
    errors = {name: np.array(values) for name, values in facts["errors"].items()}
    sizes = np.array(facts["sizes"])
    worst = int(errors["stoic"].argmax())
    return {
        "influence": f"""
Both plain processes have no limit: at an outlier of a million the errors are
{errors["fixed"][-1]:,.0f} and {errors["learned"][-1]:,.0f}. With learned parameters the function,
whose range is {facts["range"]:.1f}, has become a constant, and that constant is the average,
which one value moves. Stoic's error is largest, {errors["stoic"].max():.2f}, at an outlier of
{sizes[worst]:.2g}, and at a million it is {errors["stoic"][-1]:.2f}, against
{errors["stoic"][0]:.2f} for the smallest outlier of the figure."""
    }


def _with_kernel_of(fitted: Any, X: Any, y: Any, grid: Any) -> Any:
    """The prediction for other values, with mean, scale and kernel of the clean data."""
    mean, scale = fitted._y_train_mean, fitted._y_train_std
    kernel = fitted.kernel_
    K = kernel(X) + 1e-10 * np.eye(len(X))
    return kernel(grid, X) @ np.linalg.solve(K, (y - mean) / scale) * scale + mean


def draw_suspects() -> None:
    """Weights, and what the other measurements predict."""
    space = SUSPECTS.run()
    optimizer = space["optimizer"]
    model = optimizer.knowledge().model
    rows = model.rows
    y = np.array([optimizer.history.values()[row] for row in rows])
    others = np.array([model.scaling.y(z) for z in model.gp.left_out[0].tolist()])
    errors = np.abs(model.fits[0].z - model.gp.left_out[0]) / math.sqrt(model.gp.hyper.noise)
    suspects = {suspect.trial for suspect in optimizer.suspects()}
    odd = np.array([int(row) in suspects for row in rows])
    confirmed = np.array([int(row) >= len(space["xs"]) for row in rows])
    figure, (left, right) = panels(2)
    top = 3.6  # what is above is drawn at this height
    left.axline((0.0, 0.0), slope=1, color=GREY, lw=0.8)
    kinds = (
        (~odd & ~confirmed, "o", 4, "black", "ordinary"),
        (odd, "x", 7, RED, "suspect"),
        (confirmed, "s", 6, GREEN, "measured twice"),
    )
    for mask, shape, size, colour, label in kinds:
        drawn = np.minimum(y[mask], top)
        left.plot(others[mask], drawn, shape, ms=size, mfc="none", color=colour, label=label)
        right.plot(errors[mask], model.gp.weights[mask], shape, ms=size, mfc="none", color=colour)
    at = int(y.argmax())
    left.annotate(f"{y[at]:.0f}", (others[at], top), (others[at] - 0.75, top - 0.15))
    left.set(xlabel="what the other measurements predict", ylabel="measured", xlim=(-2.2, 2.4),
             ylim=(-4.4, top + 0.4), title="each measurement against the others")  # fmt: skip
    left.legend(loc="lower right")
    right.axhline(1 / 25, color=GREY, lw=0.8, ls=":")
    right.text(0.02, 0.05, "1/25", fontsize=7.5, color=GREY)
    right.set(xscale="log", xlabel="error in standard deviations of the noise", ylabel="weight",
              title="weights fall with the error")  # fmt: skip
    SUSPECTS.save(figure)
    planted = set(space["wrong"])
    SUSPECTS.write(
        {
            "planted": len(planted),
            "found": len(planted & suspects),
            "others": len(suspects - planted),
            "confirmed": bool((odd & confirmed).any()),
            "confirmed_weights": float(model.gp.weights[confirmed].max()),
            "reasons": [str(suspect) for suspect in optimizer.suspects()],
        },
        suspects_words,
    )


def suspects_words(facts: Facts) -> dict[str, str]:
    """How many were found."""
    kept = "called suspects all the same" if facts["confirmed"] else "not suspects"
    return {
        "out": f"""
{facts["found"]} of the {facts["planted"]} wrong values are suspects, and {facts["others"]}
others. The peak that was measured twice is far from what a smooth function predicts, but its
measurements agree: they are {kept}."""
    }
