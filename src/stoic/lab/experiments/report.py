"""A report of results: one HTML file that needs nothing else.

It says in one sentence what was found, then shows claims, figures, the final figures of every
case, the setting and the versions. Every text from outside is escaped.
"""

from __future__ import annotations

import base64
import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

from stoic.files import write
from stoic.lab.experiments.catalogue.base import Finding, Reproduction
from stoic.lab.experiments.compare import Leader, leaders
from stoic.lab.experiments.figures import caption
from stoic.lab.experiments.groups import spell, varying
from stoic.lab.experiments.page import PAGE, Markup, section, table
from stoic.lab.experiments.results import Results
from stoic.lab.experiments.summary import summary

__all__ = ["sentence", "write_report"]

_TYPES = {".svg": "image/svg+xml", ".png": "image/png"}
_SHOWN = 2  # claims that the sentence spells out
_LONGEST = 180  # characters of each that it quotes
_OURS = "real/"  # reproductions that are no paper's
_CLASSES = {True: "yes", False: "no", None: "open"}
_SIGNS = {True: "✓", False: "✗", None: "≈"}
_HEADINGS = {"experiment": "part", "horizon": "T"}


def write_report(
    folder: str | Path,
    about: Reproduction | str,
    results: Results,
    *,
    findings: Sequence[Finding] = (),
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
    findings
        Its claims with their verdicts; without any, the policies are compared.
    figures
        Files as :func:`stoic.lab.experiments.figures.save` returns them; of SVG and PNG with the
        same stem, the SVG is embedded.
    command
        What to type in order to make the results again.
    """
    paper = isinstance(about, Reproduction) and not about.name.startswith(_OURS)
    title = about.title if isinstance(about, Reproduction) else about
    ranks = leaders(results)
    parts = [
        _claims(findings) if findings else "",
        _figures(figures),
        _finals(results),
        _ranking(ranks) if len(ranks) > 1 or not findings else "",
        _setting(about) if isinstance(about, Reproduction) else "",
        _command(command),
        _manifest(results.manifest),
    ]
    page = PAGE.substitute(
        title=escape(title),
        source=f'<p class="source">{escape(about.source)}</p>'
        if isinstance(about, Reproduction) and about.source
        else "",
        sentence=escape(sentence(findings, ranks, paper=paper)),
        notice=_notice(results.manifest),
        body="\n".join(part for part in parts if part),
    )
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.html"
    write(path, page)
    return path


# -- the sentence -------------------------------------------------------------------------------


def sentence(findings: Sequence[Finding], ranks: Sequence[Leader], *, paper: bool = True) -> str:
    """What was found, in a sentence: the claims that hold, or else which policy came first."""
    return _on_claims(findings, paper) if findings else _on_policies(ranks)


def _on_claims(findings: Sequence[Finding], paper: bool) -> str:
    held = [finding for finding in findings if finding.holds]
    failed = [finding for finding in findings if not finding.holds]
    of = "of the paper " if paper else ""
    if len(findings) == 1:
        head = f"The claim {of}{findings[0].word}"
    elif not failed:
        head = f"All {len(findings)} claims {of}hold"
    else:
        verb = "holds" if len(held) == 1 else "hold"
        head = f"{len(held) or 'None'} of {len(findings)} claims {of}{verb}"
    shown = failed or held
    told = [f"“{_bare(f.says)}” (measured: {_bare(f.figures)})" for f in shown[:_SHOWN]]
    more = f"; and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    turn = ": "
    if failed and held:
        turn = (
            "; this does not, or is not settled: "
            if None in [f.holds for f in failed]
            else ("; this does not: " if len(failed) == 1 else "; these do not: ")
        )
    return f"{head}{turn}{'; '.join(told)}{more}."


def _bare(text: str) -> str:
    """A text to be quoted in a sentence; the table has the whole of it."""
    return shorten(text.strip().rstrip("."), _LONGEST, placeholder=" …")


def _on_policies(ranks: Sequence[Leader]) -> str:
    if not ranks:
        return "There are no results."
    if len(ranks) == 1:
        return _on_one(ranks[0])
    wins = Counter(rank.best.policy for rank in ranks).most_common()
    first, count = wins[0]
    settled = sum(
        rank.lead is not None and rank.lead.settled for rank in ranks if rank.best.policy == first
    )
    rest = ", ".join(f"{policy} in {n}" for policy, n in wins[1:])
    return (
        f"{first} had the lowest mean regret in {count} of {len(ranks)} settings"
        f"{f' ({rest})' if rest else ''}; in {settled or 'none'} of these {count}, its lead over "
        "the runner-up is beyond the paired bootstrap's 95 % interval."
    )


def _on_one(rank: Leader) -> str:
    trials = f"{rank.trials} trials" if rank.trials != 1 else "one trial"
    head = f"{rank.best.policy} had {{}} {number(rank.regret)} after {rank.best.horizon} rounds"
    if rank.second is None or rank.lead is None:
        return f"{head.format('a mean regret of')} over {trials}; there is no rival to compare."
    lead = rank.lead
    start = (
        f"{head.format('the lowest mean regret,')} over {trials}, "
        f"{number(lead.mean)} less than {rank.second.policy}"
    )
    if not math.isfinite(lead.low):
        return f"{start}; one trial can't settle the order of the two."
    within = f"interval of this difference, {_interval(rank)},"
    if lead.settled:
        return f"{start}; the paired bootstrap's 95 % {within} excludes zero."
    return (
        f"{start}; the paired bootstrap's 95 % {within} includes zero, so the order of the two is "
        "not settled."
    )


def _interval(rank: Leader) -> str:
    if rank.lead is None or not math.isfinite(rank.lead.low):
        return "unknown"
    return f"{number(rank.lead.low)} to {number(rank.lead.high)}"


def number(value: float, digits: int = 4) -> str:
    """A few digits, without an exponent where it can be spared.

    >>> number(12345.6), number(0.012345), number(float("nan"))
    ('12,346', '0.01235', '–')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.{digits}g}"
    return text.replace("-", "\u2212", 1) if text.startswith("-") else text


# -- the parts ----------------------------------------------------------------------------------


def _claims(findings: Sequence[Finding]) -> str:
    rows = [
        (
            finding.says,
            finding.figures,
            Markup(
                f'<span class="{_CLASSES[finding.holds]}"><span aria-hidden="true">'
                f"{_SIGNS[finding.holds]}</span> {finding.word}</span>"
            ),
            finding.why or "–",
        )
        for finding in findings
    ]
    head = ("claimed", "measured", "verdict", "why not")
    return section(
        "Claims", table("Each claim, and what was measured", head, rows, text=4, wrap=True)
    )


def _figures(paths: Iterable[str | Path]) -> str:
    chosen: dict[str, Path] = {}
    for path in map(Path, paths):
        if path.suffix == ".svg" or path.stem not in chosen:
            chosen[path.stem] = path
    drawn = []
    for stem, path in chosen.items():
        data = base64.b64encode(path.read_bytes()).decode()
        text = escape(caption(stem))
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
            f"{number(r['regret_mean'])} ± {number(r['regret_std'])}",
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
            _interval(rank),
            "yes" if rank.lead is not None and rank.lead.settled else "no",
        )
        for rank in ranks
    ]
    setting = ("setting",) if len(ranks) > 1 else ()
    head = (*setting, "lowest mean R_T", "runner-up", "lead", "95 % interval", "beyond chance")
    about = "The policy of the lowest mean regret, its lead, and the paired bootstrap's interval"
    return section("Who came first", table(about, head, rows, text=len(setting) + 2))


def _setting(about: Reproduction) -> str:
    paragraphs = "".join(f"<p>{escape(part)}</p>" for part in about.setting.split("\n\n"))
    return section("Setting", paragraphs) if about.setting else ""


def _command(command: str) -> str:
    if not command:
        return ""
    return section("To make this again", f"<pre><code>{escape(command)}</code></pre>")


def _manifest(manifest: Any) -> str:
    if not manifest:
        return ""
    versions = [(name, version) for name, version in manifest.get("versions", {}).items()]
    if "platform" in manifest:
        versions.append(("platform", manifest["platform"]))
    used = table("Versions", ("package", "version"), versions, text=2) if versions else ""
    settings = escape(json.dumps(manifest.get("experiments", []), indent=1, ensure_ascii=False))
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
