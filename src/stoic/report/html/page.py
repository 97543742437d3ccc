"""The HTML page around every report: light or dark, narrow or wide, on screen or on paper."""

from __future__ import annotations

import base64
import hashlib
from string import Template

from stoic.report.html.markup import esc

__all__ = ["STYLE", "page"]

_LIGHT = """--ink: #16202a; --soft: #56636f; --line: #d9dfe4; --paper: #ffffff; --shade: #f4f7f9;
  --est: #0b6aa8; --band: #0b6aa826; --with: #a9cfe5; --good: #00785a; --bad: #b8480a;
  --warn: #c98500; --pt: #7c8792; --fail: #16202a; --accent: #e8f3fa;"""
_DARK = """--ink: #e6eaee; --soft: #a3aeb8; --line: #39424b; --paper: #14181c; --shade: #1d2329;
  --est: #5ab4ec; --band: #5ab4ec33; --with: #2d5a78; --good: #3fcf9f; --bad: #ff9155;
  --warn: #f0b429; --pt: #8c97a2; --fail: #e6eaee; --accent: #17303f;"""

STYLE = """
:root { color-scheme: light dark; LIGHT }
@media (prefers-color-scheme: dark) { :root { DARK } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto,
  "Liberation Sans", sans-serif; -webkit-text-size-adjust: 100%; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 0 0 .7rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .4rem; }
section { margin-top: 2.4rem; padding-top: 1.4rem; border-top: 1px solid var(--line); }
header + section { border-top: 0; padding-top: 0; margin-top: 1.6rem; }
p, li { max-width: 46rem; overflow-wrap: anywhere; }
p { margin: .5rem 0; }
.sub, .small, figcaption { color: var(--soft); font-size: .875rem; }
.sub { font-size: .95rem; margin: 0; }
.lead { font-size: 1.08rem; }
td, dt, dd, code, pre, .who { unicode-bidi: isolate; }
.config { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, max-content));
  gap: .6rem; margin: 1rem 0 .4rem; }
.config div { background: var(--accent); border-radius: .45rem; padding: .5rem .8rem;
  border-left: .25rem solid var(--good); min-width: 0; }
dt { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
.config dd { font-size: 1.15rem; font-weight: 650; font-variant-numeric: tabular-nums; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .6rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem;
  margin: 1.1rem 0 0; }
.tile { background: var(--shade); border-radius: .5rem; padding: .8rem 1rem; }
.what { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
.big { font-size: 1.6rem; line-height: 1.25; font-weight: 700; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.note { font-size: .85rem; color: var(--soft); }
.verdict { margin-bottom: 1.2rem; border-left: .35rem solid var(--warn); }
.verdict.good { border-color: var(--good); } .verdict.bad { border-color: var(--bad); }
.verdict .note { margin-top: .3rem; }
.reasons { list-style: none; padding: 0; margin: .3rem 0 0; }
.reasons li { padding: .15rem 0 .15rem 1.6rem; position: relative; }
.reasons li::before { position: absolute; left: .1rem; font-weight: 700; }
.for::before { content: "✓"; color: var(--good); }
.fact::before { content: "·"; color: var(--soft); left: .35rem !important; }
.against::before { content: "!"; color: var(--bad); left: .3rem !important; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0;
  margin: 0 0 .5rem; font-size: .85rem; color: var(--soft); }
.legend svg { vertical-align: -.15em; overflow: visible; }
figure { margin: 0; }
.chart { display: block; width: 100%; height: auto; overflow: visible; }
.narrow { display: none; }
.slices { display: grid; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr));
  gap: 1.3rem 1.2rem; margin-top: .8rem; }
.slices figure { max-width: 26rem; min-width: 0; }
.slices figure:only-child { grid-column: 1 / -1; width: 100%; max-width: 27rem; }
.slices figcaption { color: var(--ink); overflow-wrap: anywhere; }
.slices figcaption span { color: var(--soft); margin-left: .4rem; }
text { font-size: 12px; fill: var(--soft); font-family: inherit;
  font-variant-numeric: tabular-nums; }
.mid { text-anchor: middle; } .end { text-anchor: end; }
text.value { font-size: 14px; font-weight: 700; fill: var(--est); }
text.note { font-size: 14px; }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.axis { stroke: var(--soft); stroke-width: 1; fill: none; }
.band { fill: var(--band); stroke: none; }
.est { stroke: var(--est); stroke-width: 2; fill: none; stroke-linejoin: round; }
.pt { fill: var(--pt); fill-opacity: .7; }
.pts { stroke: var(--pt); stroke-width: 3.4; stroke-linecap: round; fill: none;
  stroke-opacity: .45; }
.fine { stroke-width: 2.4; stroke-opacity: .5; }
.sus-text, .far-text { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.sus, .far { stroke: var(--bad); stroke-width: 1.8; fill: none; }
.full.sus, .full.far, .full.pt { stroke: none; fill: var(--bad); fill-opacity: 1; }
.full.far, .full.pt { fill: var(--pt); }
text.sus-text { fill: var(--bad); } td.sus-text { color: var(--bad); }
.luck { stroke: var(--warn); stroke-width: 2; fill: none; }
.fail { stroke: var(--fail); stroke-width: 1.6; fill: none; }
.here { stroke: var(--good); stroke-width: 1.2; stroke-dasharray: 5 3; fill: none; }
circle.best { fill: var(--good); } circle.other { fill: var(--est); }
.wide circle.best, .narrow circle.best { fill: var(--est); }
.whisker { stroke: var(--est); stroke-width: 2; fill: none; } .whisker.best { stroke: var(--good); }
.baseline { stroke: var(--good); stroke-width: 1.6; stroke-dasharray: 6 3; fill: none; }
.finals-line { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; fill: none; }
circle.base { fill: var(--good); } .full.base { fill: var(--good); stroke: none; }
circle.best.final, .full.best { fill: var(--est); stroke: none; }
.run { fill: none; stroke: var(--est); stroke-width: 1; stroke-linecap: round; }
.s0 { stroke-opacity: .9; } .s1 { stroke-opacity: .45; } .s2 { stroke-opacity: .25; }
.s3 { stroke: var(--pt); stroke-opacity: .35; } .s4 { stroke: var(--pt); stroke-opacity: .22; }
.t1 { stroke-width: 2; } .t2 { stroke-width: 3.2; } .t3 { stroke-width: 4.6; }
.run.answer { stroke: var(--good); stroke-opacity: 1; stroke-width: 3.2; }
.run.base { stroke: var(--warn); stroke-opacity: 1; stroke-width: 2.4; stroke-dasharray: 6 4; }
.halo { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.coverage { min-width: 34rem; }
.open { fill: var(--paper); stroke: var(--est); stroke-width: 2; }
.bars { display: grid; grid-template-columns: minmax(5rem, max-content) 1fr 3rem; gap: .35rem .8rem;
  align-items: center; max-width: 46rem; font-size: .9rem; margin: .6rem 0; }
.bars .who { overflow-wrap: anywhere; max-width: 14rem; }
.bar { width: 100%; height: 1rem; display: block; background: var(--shade); }
.with { fill: var(--with); } .alone { fill: var(--est); }
.track { width: 100%; height: 22px; display: block; }
.scale { grid-template-columns: max-content minmax(8rem, 1fr) max-content; max-width: none; }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem 1rem .35rem 0;
  border-bottom: 1px solid var(--line); white-space: nowrap; }
th { border-bottom: 2px solid var(--soft); }
td.text, td.sus-text { white-space: normal; min-width: 14rem; overflow-wrap: anywhere; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scale .n { text-align: left; }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--est); }
th[aria-sort] button::after { content: " ↑"; color: var(--est); }
th[aria-sort=descending] button::after { content: " ↓"; }
pre { background: var(--shade); padding: .7rem .9rem; overflow-x: auto; font-size: .8125rem;
  border-radius: .35rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--est); }
td a { color: var(--est); }
.exact { font-size: .875rem; }
@media (max-width: 40rem) {
  body { padding: 1.2rem 1rem 3rem; }
  h1 { font-size: 1.4rem; }
  .wide { display: none; } .narrow { display: block; }
  .config { grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }
  td.text, td.sus-text { min-width: 8rem; }
  .scale { grid-template-columns: max-content 1fr; gap: 0 .8rem; }
  .scale .track { grid-column: 1 / -1; grid-row: auto; order: 0; }
  .scale .n { grid-column: 1 / -1; margin-bottom: .7rem; white-space: normal; }
  .scale .who { grid-column: 1 / -1; font-weight: 600; max-width: none; }
}
@media print {
  :root { LIGHT }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  section { margin-top: 1.2rem; padding-top: .8rem; }
  .wide { display: block; } .narrow { display: none; }
  .tile, figure, tr, .config div { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .slices { grid-template-columns: repeat(3, 1fr); }
  .scroll { overflow: visible; }
  td { white-space: normal; }
  details:not([open]), #trials:not(:has(details[open])) { display: none; }
}
""".replace("LIGHT", _LIGHT).replace("DARK", _DARK)

# Sorts a table by the column whose heading is clicked; a second click reverses the order.
_SCRIPT = """
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => {
        const cell = row.cells[column], text = cell.dataset.v ?? cell.textContent;
        return [text === "" || text === "–", Number(text), text];
      };
      const rows = [...body.rows].map(row => [key(row), row]);
      rows.sort(([[e, m, s]], [[f, n, t]]) => e - f
        || (down ? -1 : 1) * (isNaN(m) || isNaN(n) ? s.localeCompare(t) : m - n));
      body.append(...rows.map(([, row]) => row));
    });
  });
}
"""

_PAGE = Template("""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
$sources; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>$style</style>
</head>
<body>
<main>
<header>
<h1>$title</h1>
<p class="sub">$subtitle</p>
</header>
$body
</main>
$script</body>
</html>
""")


def page(title: str, subtitle: str, body: str, *, style: str = "", images: bool = False) -> str:
    """The whole page; ``title`` is text, subtitle and body are markup.

    The content security policy allows only the page's own script, which sorts tables, and fetches
    nothing. That holds even if a text was not escaped by mistake. ``style`` is added to the page's
    own. A page with ``images``, embedded as ``data:`` URLs, has no script.
    """
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return _PAGE.substitute(
        sources="img-src data:" if images else f"script-src 'sha256-{digest}'",
        title=esc(title),
        subtitle=subtitle,
        body=body,
        style=STYLE + style,
        script="" if images else f"<script>{_SCRIPT}</script>\n",
    )
