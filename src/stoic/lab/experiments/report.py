"""A report of results: one HTML file that needs nothing else.

It begins with the verdict and the result in one sentence, then shows the paper's claims and our
own questions apart, figures, the final figures of every case, the setting and the versions. Every
text from outside is escaped.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from stoic.files import write
from stoic.lab.experiments.catalogue.base import CheckedClaim, Reproduction
from stoic.lab.experiments.catalogue.size import Size
from stoic.lab.experiments.compare import Leader, leaders
from stoic.lab.experiments.figures import caption
from stoic.lab.experiments.groups import spell, varying
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.sentences import apart, interval, number, sentence
from stoic.lab.experiments.summary import summary
from stoic.report.html.markup import Markup, section
from stoic.report.html.markup import value_table as table
from stoic.report.html.markup import whole as esc
from stoic.report.html.page import page

__all__ = ["write_report"]

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
_CLASSES = {True: "yes", False: "no", None: "open"}
_SIGNS = {True: "✓", False: "✗", None: "≈"}
_UNTESTED = "–"
_HEADINGS = {"experiment": "part", "horizon": "T"}
_STYLE = """
.sentence { font-size: 1.1rem; border-left: .25rem solid var(--ink); padding-left: .8rem;
  margin: 1rem 0; }
.notice { border: 1px solid var(--bad); color: var(--bad); padding: .4rem .8rem; }
caption { text-align: left; padding: 0 0 .4rem; max-width: min(46rem, calc(100vw - 2rem));
  color: var(--soft); font-size: .875rem; }
.words td { white-space: normal; min-width: 8rem; }
.yes, .no, .open { font-weight: 600; white-space: nowrap; }
.yes { color: var(--good); }
.no { color: var(--bad); }
section figure { margin: 0 0 1.8rem; }
img { display: block; max-width: 100%; height: auto; background: #ffffff; padding: .5rem;
  border: 1px solid var(--line); border-radius: .25rem; }
figcaption { margin-top: .4rem; max-width: 46rem; }
"""


def write_report(
    folder: str | Path,
    about: Reproduction | str,
    results: Results,
    *,
    claims: Sequence[CheckedClaim] = (),
    figures: Iterable[str | Path] = (),
    command: str = "",
) -> Path:
    """Write ``report.html`` in the folder.

    Parameters
    ----------
    folder
        Where to write.
    about
        The reproduction, or a title for results of your own.
    results
        What was measured.
    claims
        Its claims with their verdicts; without any, the policies are compared.
    figures
        Files as :func:`stoic.lab.experiments.figures.save` returns them; of SVG and PNG with the
        same stem, the SVG is embedded.
    command
        What to type in order to make the results again.
    """
    title = about.title if isinstance(about, Reproduction) else about
    ranks = leaders(results)
    size = about.size(results) if isinstance(about, Reproduction) else None
    papers, ours = apart(claims)
    parts = [
        _comparison(about, results, claims) if isinstance(about, Reproduction) else "",
        _claims("Claims of the paper", papers),
        _claims("Our own questions", ours),
        _figures(figures),
        _finals(results),
        _ranking(ranks) if len(ranks) > 1 or not claims else "",
        _setting(about, size) if isinstance(about, Reproduction) else "",
        _command(command),
        _manifest(results.manifest),
    ]
    source = about.source if isinstance(about, Reproduction) else ""
    found = sentence(claims, ranks, size=size)
    head = [f'<p class="sentence">{esc(found)}</p>', _notice(results.manifest)]
    body = "\n".join(part for part in (*head, *parts) if part)
    text = page(title, esc(source), body, style=_STYLE, images=True)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    write(path, text)
    return path


# -- the parts ----------------------------------------------------------------------------------


def _comparison(about: Reproduction, results: Results, claims: Sequence[CheckedClaim]) -> str:
    """The verdict on the experiment: what the print shows, what we get, why they differ."""
    outcome = about.outcome(claims)
    asked = "Question" if outcome == "ours" else "The paper shows"
    lines = (
        ("Verdict", outcome if claims and outcome != "ours" else ""),
        (asked, about.shows),
        ("We get", about.measured(results)),
        ("Inferred from the print", about.inferred),
        ("Cannot follow from the text", about.impossible),
        ("Our explanation", about.explanation(claims)),
    )
    shown = "".join(f"<p><b>{name}:</b> {esc(text)}</p>" for name, text in lines if text)
    return section("Verdict", shown)


def _claims(heading: str, claims: Sequence[CheckedClaim]) -> str:
    if not claims:
        return ""
    rows = [
        (
            claim.says,
            claim.figures,
            Markup(
                f'<span class="{_CLASSES[claim.holds]}"><span aria-hidden="true">'
                f"{_UNTESTED if claim.untested else _SIGNS[claim.holds]}</span> "
                f"{esc(claim.word)}</span>"
            ),
        )
        for claim in claims
    ]
    about = f"{heading}, and what was measured"
    return section(heading, table(about, ("claim", "measured", "verdict"), rows, text=3, wrap=True))


def _figures(paths: Iterable[str | Path]) -> str:
    chosen: dict[str, Path] = {}
    for path in map(Path, paths):
        if path.suffix == ".svg" or path.stem not in chosen:
            chosen[path.stem] = path
    drawn = []
    for stem, path in chosen.items():
        data = base64.b64encode(path.read_bytes()).decode()
        text = esc(caption(stem))
        drawn.append(
            f'<figure><img src="data:{_TYPES[path.suffix]};base64,{data}" alt="{text}">'
            f"<figcaption>{text}</figcaption></figure>"
        )
    return section("Figures", "\n".join(drawn)) if drawn else ""


def _finals(results: Results) -> str:
    rows = summary(results)
    fields = varying(results.cases())
    head = [
        *(_HEADINGS.get(name, name) for name in fields), "policy", "trials",
        "R_T, mean ± std", "worst", "R_T/T", "late/early slope", "CPU s",
    ]  # fmt: skip
    cells = [
        (
            *(str(r[n]) if n == "horizon" else spell(n, r[n]) for n in fields),
            r["policy"],
            r["trials"],
            f"{number(r['regret_mean'])} ± {number(r['regret_std']) if r['trials'] > 1 else '–'}",
            number(r["regret_max"]),
            number(r["average_mean"]),
            f"{r['slope_ratio']:.2f}" if math.isfinite(r["slope_ratio"]) else "–",
            number(r["cpu_seconds"], 3),
        )
        for r in rows
    ]
    about = (
        "Final regret R_T over trials. Late/early slope: regret gathered in the second half of "
        "the rounds divided by that of the first half; 1 is linear regret"
    )
    return section("Final figures", table(about, head, cells, text=len(fields) + 1))


def _ranking(ranks: Sequence[Leader]) -> str:
    rows = [
        (
            *((rank.label,) if len(ranks) > 1 else ()),
            rank.best.policy,
            rank.second.policy if rank.second is not None else "–",
            number(rank.lead.mean) if rank.lead is not None else "–",
            interval(rank),
            "yes" if rank.lead is not None and rank.lead.settled else "no",
        )
        for rank in ranks
    ]
    setting = ("setting",) if len(ranks) > 1 else ()
    head = (*setting, "lowest mean R_T", "runner-up", "lead", "95 % interval", "excludes zero")
    about = "The policy of the lowest mean regret, its lead, and the paired bootstrap's interval"
    return section("Who came first", table(about, head, rows, text=len(setting) + 2))


def _setting(about: Reproduction, size: Size | None) -> str:
    paragraphs = "".join(f"<p>{esc(part)}</p>" for part in about.setting.split("\n\n"))
    heading = "Setting" if size is None or size.full else "Setting of the full experiment"
    return section(heading, paragraphs) if about.setting else ""


def _command(command: str) -> str:
    if not command:
        return ""
    return section("To make this again", f"<pre><code>{esc(command)}</code></pre>")


def _manifest(manifest: Any) -> str:
    if not manifest:
        return ""
    versions = [(name, version) for name, version in manifest.get("versions", {}).items()]
    if "platform" in manifest:
        versions.append(("platform", manifest["platform"]))
    used = table("Versions", ("package", "version"), versions, text=2) if versions else ""
    settings = esc(json.dumps(manifest.get("experiments", []), indent=1, ensure_ascii=False))
    return (
        "<section><h2>Settings and versions</h2><details><summary>Show all</summary>"
        f"{used}<h3>Settings</h3><pre>{settings}</pre></details></section>"
    )


def _notice(manifest: Any) -> str:
    runs = manifest.get("runs", {})
    done, total = runs.get("done", 0), runs.get("total", 0)
    if done >= total:
        return ""
    return f'<p class="notice">Unfinished: {done} of {total} runs are done.</p>'
