// The chart of a study's course on a canvas: thousands of measurements, and the estimates over them.
// It replaces the picture that the server drew, and keeps its colours and symbols.
"use strict";
(() => {
  const host = document.getElementById("chart"), drawn = document.getElementById("drawn");
  if (!host || !window.uPlot) return;
  const REGULAR = 0, SUSPECT = 1, FAILED = 2;
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const font = "12px system-ui, sans-serif";
  let points = null, plot = null, colours = {}, pending = false, provisional = [];

  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "soft", "line", "paper", "est", "band", "good", "bad", "warn", "pt", "fail"])
      colours[name] = style.getPropertyValue(`--${name}`).trim();
  };

  // -- data ----------------------------------------------------------------------------------------
  async function load(after) {
    const answer = await fetch(`${host.dataset.points}?after=${after}`, {headers: {Accept: "application/json"}});
    if (!answer.ok) throw new Error(`points: ${answer.status}`);
    return answer.json();
  }

  function merge(news) {
    const same = points && news.from <= points.numbers.length && points.evens === undefined;
    const numbers = same ? points.numbers.slice(0, news.from).concat(news.numbers) : news.numbers;
    const values = same ? points.values.slice(0, news.from).concat(news.values) : news.values;
    points = {...news, numbers, values, wrong: new Set(news.suspects)};
    const known = new Set(numbers.slice(-provisional.length - 100));
    // an excluded one never comes back with the figures
    provisional = provisional.filter(each => !known.has(each.trial) && performance.now() < each.at + 10000);
  }

  // columns of uPlot: positions, measurements, the estimate and the ends of its interval
  function columns() {
    const n = points.values.length, extra = provisional.length;
    const x = new Float64Array(n + extra), y = new Array(n + extra);
    const e = new Array(n + extra).fill(null), low = e.slice(), high = e.slice();
    for (let i = 0; i < n; i++) { x[i] = i; y[i] = points.values[i]; }
    provisional.forEach((each, k) => { x[n + k] = n + k; y[n + k] = each.value; });
    for (const [at, value, l, h] of points.estimates) {
      if (at >= n) continue;
      e[at] = value;
      if (l !== null) { low[at] = l; high[at] = h; }
    }
    return [x, y, e, high, low];
  }

  // -- drawing -------------------------------------------------------------------------------------
  const dpr = () => window.devicePixelRatio || 1;

  function symbols(u) {
    const {ctx, bbox} = u, r = dpr(), n = points.values.length;
    const top = bbox.top, floor = bbox.top + bbox.height;
    const [ymin, ymax] = [u.scales.y.min, u.scales.y.max], [xmin, xmax] = [u.scales.x.min, u.scales.x.max];
    const px = x => u.valToPos(x, "x", true), py = y => u.valToPos(y, "y", true);
    const triangle = (x, up, colour) => {
      const y = up ? top : floor, side = up ? 7 * r : -7 * r;
      ctx.fillStyle = colour;
      ctx.beginPath(); ctx.moveTo(x, y); ctx.lineTo(x + 4 * r, y + side); ctx.lineTo(x - 4 * r, y + side); ctx.fill();
    };
    const cross = (x, y, colour) => {
      ctx.strokeStyle = colour; ctx.lineWidth = 1.8 * r;
      ctx.beginPath(); ctx.moveTo(x - 3.5 * r, y - 3.5 * r); ctx.lineTo(x + 3.5 * r, y + 3.5 * r);
      ctx.moveTo(x + 3.5 * r, y - 3.5 * r); ctx.lineTo(x - 3.5 * r, y + 3.5 * r); ctx.stroke();
    };
    ctx.save();
    ctx.fillStyle = colours.pt;
    ctx.globalAlpha = n < 2000 ? .7 : .5;
    const size = (n < 200 ? 6 : n < 2000 ? 4.4 : 2.6) * r, round = n < 2000;
    ctx.beginPath();
    for (let i = Math.max(0, Math.floor(xmin)); i < n && i <= xmax; i++) {
      const y = points.values[i];
      if (y === null || points.wrong.has(i) || y < ymin || y > ymax) continue;
      const cx = px(i), cy = py(y);
      if (round) { ctx.moveTo(cx + size / 2, cy); ctx.arc(cx, cy, size / 2, 0, 7); }
      else ctx.rect(cx - size / 2, cy - size / 2, size, size);
    }
    ctx.fill();
    ctx.globalAlpha = 1;
    const marks = Math.max(1, Math.ceil(n / 6000));
    for (let i = Math.max(0, Math.floor(xmin)); i < n && i <= xmax; i++) {
      const y = points.values[i];
      if (y === null) {
        if (i % marks) continue;
        ctx.strokeStyle = colours.fail; ctx.lineWidth = 1.6 * r;
        ctx.beginPath(); ctx.moveTo(px(i), floor - 11 * r); ctx.lineTo(px(i), floor); ctx.stroke();
      } else if (y < ymin || y > ymax) {
        triangle(px(i), y > ymax, points.wrong.has(i) ? colours.bad : colours.pt);
      } else if (points.wrong.has(i)) cross(px(i), py(y), colours.bad);
    }
    for (const [x, , y] of points.excluded) {
      if (x < xmin || x > xmax) continue;
      const at = y === null ? floor - 6 * r : Math.min(Math.max(py(y), top + 5 * r), floor - 5 * r);
      ctx.strokeStyle = colours.soft; ctx.lineWidth = 1.4 * r; ctx.setLineDash([2 * r, 2 * r]);
      ctx.beginPath(); ctx.arc(px(x), at, 4 * r, 0, 7); ctx.stroke(); ctx.setLineDash([]);
    }
    provisional.forEach((each, k) => {
      ctx.fillStyle = colours.good;
      ctx.beginPath(); ctx.arc(px(n + k), Math.min(Math.max(py(each.value), top), floor), 4 * r, 0, 7); ctx.fill();
    });
    if (points.lucky !== null && points.lucky >= xmin && points.lucky <= xmax) {
      const y = Math.min(Math.max(py(points.values[points.lucky]), top + 4 * r), floor - 4 * r);
      ctx.strokeStyle = colours.warn; ctx.lineWidth = 2 * r;
      ctx.beginPath(); ctx.arc(px(points.lucky), y, 7.5 * r, 0, 7); ctx.stroke();
    }
    ctx.restore();
  }

  function lines(u) {
    const {ctx, bbox} = u, r = dpr();
    ctx.save();
    ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
    if (points.baseline !== null) {
      const y = u.valToPos(points.baseline, "y", true);
      ctx.strokeStyle = colours.good; ctx.lineWidth = 1.6 * r; ctx.setLineDash([6 * r, 3 * r]);
      ctx.beginPath(); ctx.moveTo(bbox.left, y); ctx.lineTo(bbox.left + bbox.width, y); ctx.stroke();
    }
    if (points.finals !== null) {
      const x = u.valToPos(points.finals - .5, "x", true);
      ctx.strokeStyle = colours.soft; ctx.lineWidth = r; ctx.setLineDash([2 * r, 3 * r]);
      ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + bbox.height); ctx.stroke();
    }
    ctx.restore();
  }

  function answer(u) {
    const last = points.estimates.at(-1);
    if (!last) return;
    const {ctx} = u, r = dpr(), [at, value, low, high] = last;
    if (at < u.scales.x.min || at > u.scales.x.max) return;
    const x = u.valToPos(at, "x", true), y = v => u.valToPos(v, "y", true);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colours.est; ctx.lineWidth = 2 * r;
    if (low !== null) { ctx.beginPath(); ctx.moveTo(x, y(low)); ctx.lineTo(x, y(high)); ctx.stroke(); }
    ctx.beginPath(); ctx.arc(x, y(value), 5 * r, 0, 7); ctx.fill();
    ctx.restore();
  }

  // -- what is under the pointer -------------------------------------------------------------------
  const tip = document.createElement("div");
  tip.id = "tip"; tip.hidden = true;
  const short = v => Math.abs(v) >= 1e9 || (v && Math.abs(v) < 1e-4) ? v.toExponential(3) : String(Number(v.toPrecision(4)));
  function point(u) {
    const {left, top, idx} = u.cursor;
    if (left < 0 || idx === null || idx === undefined || idx >= points.values.length) { tip.hidden = true; return; }
    let best = idx, nearest = Infinity;
    const reach = Math.max(3, Math.ceil(12 / Math.max(u.valToPos(1, "x") - u.valToPos(0, "x"), .01)));
    for (let i = Math.max(0, idx - reach); i <= Math.min(points.values.length - 1, idx + reach); i++) {
      const y = points.values[i];
      const py = y === null ? u.over.clientHeight : Math.min(Math.max(u.valToPos(y, "y"), 0), u.over.clientHeight);
      const away = Math.hypot(u.valToPos(i, "x") - left, py - top);
      if (away < nearest) { nearest = away; best = i; }
    }
    const y = points.values[best], e = points.estimates.findLast(([at]) => at <= best);
    let text = `trial ${points.numbers[best]}: ${y === null ? "failed" : short(y)}`;
    if (points.wrong.has(best)) text += " (suspect)";
    if (points.lucky === best) text += " (luckiest)";
    if (e) text += `\nestimate of the best: ${short(e[1])}` + (e[2] === null ? "" : `, ${short(e[2])} to ${short(e[3])}`);
    tip.textContent = text;
    tip.hidden = false;
    const x = u.valToPos(best, "x") + u.over.offsetLeft;
    tip.style.whiteSpace = "pre-line";
    tip.style.left = `${Math.min(x + 12, host.clientWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.max(0, top - 10)}px`;
  }

  // -- the plot ------------------------------------------------------------------------------------
  const stepped = window.uPlot.paths.stepped({align: 1});
  let zoomed = false;

  function options() {
    const narrow = host.clientWidth < 560;
    const axis = {font, stroke: () => colours.soft, ticks: {show: false}};
    return {
      width: host.clientWidth, height: narrow ? 300 : 340,
      padding: [10, narrow ? 8 : 16, 0, 0],
      legend: {show: false},
      cursor: {points: {show: false}, drag: {x: true, y: false, setScale: true}, y: false},
      scales: {
        x: {time: false, range: (u, min, max) => zoomed ? [min, max] : whole()},
        y: {range: () => {
          const [low, high] = points.window ?? spread();
          return [low, high];
        }},
      },
      axes: [
        {...axis, grid: {show: false}, size: 46, label: points.numbered ? "trial" : "evaluation, in order of arrival", labelFont: font, labelSize: 18,
         incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000]},
        {...axis, grid: {stroke: () => colours.line, width: 1}, size: narrow ? 48 : 62},
      ],
      series: [
        {},
        {paths: () => null, points: {show: false}},
        {stroke: () => colours.est, width: 2, paths: stepped, points: {show: false}, spanGaps: true},
        {paths: stepped, points: {show: false}, width: 0, spanGaps: true},
        {paths: stepped, points: {show: false}, width: 0, spanGaps: true},
      ],
      bands: [{series: [3, 4], fill: () => colours.band}],
      hooks: {
        drawAxes: [u => lines(u)],
        draw: [u => { symbols(u); answer(u); }],
        setCursor: [point],
        setSelect: [u => { if (u.select.width > 3) { zoomed = true; whole.button.hidden = false; } }],
        ready: [u => { u.over.addEventListener("dblclick", () => reset()); }],
      },
    };
  }
  const whole = () => {
    const n = points.values.length + provisional.length, pad = Math.max(.5, .015 * n);
    return [-pad, Math.max(n - 1, 1) + pad];
  };
  const spread = () => {
    const known = points.values.filter(y => y !== null).concat(provisional.map(each => each.value));
    if (!known.length) return [0, 1];
    const low = Math.min(...known), high = Math.max(...known), pad = high > low ? .07 * (high - low) : Math.abs(low) * .05 || 1;
    return [low - pad, high + pad];
  };
  function reset() {
    zoomed = false; whole.button.hidden = true;
    const [min, max] = whole();
    plot.setScale("x", {min, max});
  }
  whole.button = document.createElement("button");
  Object.assign(whole.button, {type: "button", className: "quiet zoomed", hidden: true, textContent: "Show all evaluations"});
  whole.button.addEventListener("click", reset);

  function describe() {
    const n = points.values.length, last = points.estimates.at(-1);
    const words = last ? `; the estimate of the best is ${short(last[1])}` + (last[2] === null ? "" : `, 90% interval ${short(last[2])} to ${short(last[3])}`) : "";
    host.setAttribute("aria-label", `Progress over ${n} evaluations: measurements and the estimate of the best${words}. The table below has the estimates.`);
  }

  function draw() {
    const began = performance.now();
    const data = columns();
    if (!plot) {
      host.hidden = false; drawn.hidden = true;
      host.setAttribute("role", "img");
      plot = new window.uPlot(options(), data, host);
      host.append(tip); host.after(whole.button);
      new ResizeObserver(() => {
        const width = host.clientWidth;
        if (width && width !== plot.width) plot.setSize({width, height: width < 560 ? 300 : 340});
      }).observe(host);
      host.addEventListener("mouseleave", () => { tip.hidden = true; });
    } else {
      const {min, max} = plot.scales.x;
      plot.setData(data, false);
      if (zoomed) plot.setScale("x", {min, max});
      else { const [a, b] = whole(); plot.setScale("x", {min: a, max: b}); }
    }
    describe();
    host.dataset.n = points.values.length;
    performance.measure("stoic-draw", {start: began});
    if (!performance.getEntriesByName("stoic-chart").length) performance.mark("stoic-chart");
  }

  async function update() {
    if (pending) return;
    pending = true;
    try {
      const shown = points ? Math.min(points.values.length, Number(host.dataset.stable ?? points.values.length)) : 0;
      let news = await load(shown);
      // where something was excluded or taken back, positions differ: all are fetched again
      const moved = points && (news.from > news.from + news.numbers.length
        || String(news.excluded.map(each => each[1])) !== String(points.excluded.map(each => each[1])));
      if (moved && shown) { points = null; news = await load(0); }
      merge(news);
      if (points.values.length) draw();
    } finally { pending = false; }
  }

  function arrived(trial, value) {
    if (!points || !plot || typeof value !== "number" || points.numbers.includes(trial)) return;
    provisional.push({trial, value, at: performance.now()});
    draw();
    host.dataset.arrived = trial;
  }

  readColours();
  scheme.addEventListener("change", () => { readColours(); plot?.redraw(false); });
  window.stoicChart = {update, arrived, get points() { return points; }, get plot() { return plot; }};
})();
