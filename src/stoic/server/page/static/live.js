// Keeps a page up to date: server-sent events tell that something is new, htmx puts the parts of the
// page that changed in their places, and the chart takes new points. Without this script the page is
// a snapshot.
"use strict";
(() => {
  const main = document.getElementById("main"), study = main.dataset.study;

  // -- ages --------------------------------------------------------------------------------------
  const units = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  const age = seconds => {
    const size = Math.abs(seconds), [unit, name] = units.find(([u]) => size >= u) ?? [1, "s"];
    const text = `${Math.round(size / unit)} ${name}`;
    return seconds < -0.5 ? `in ${text}` : size < 2 ? "now" : `${text} ago`;
  };
  const tellAges = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      time.title ||= time.textContent;
      const text = age((Date.now() - Date.parse(time.dateTime)) / 1000);
      if (time.textContent !== text) time.textContent = text;
    }
  };
  tellAges();
  setInterval(tellAges, 5000);
  if (!study) return;

  // -- the state of the connection, and news in words ----------------------------------------------
  const state = document.getElementById("state");
  const tell = (kind, text) => {
    state.className = `state ${kind}`;
    if (state.textContent !== text) state.textContent = text;
  };

  // -- parts ---------------------------------------------------------------------------------------
  let busy = false, again = false, figures = false;
  const have = () => [...document.querySelectorAll(".part[data-digest]")]
    .filter(part => part.id !== "part-course" || !window.stoicChart)
    .map(part => `${part.id.slice(5)}:${part.dataset.digest}`).join(",");

  // The lists are new with every event; the chart's estimates with those that say so.
  async function refresh(withFigures) {
    figures ||= withFigures;
    if (busy) { again = true; return; }
    busy = true;
    const chart = figures;
    figures = false;
    try {
      const began = performance.now();
      const url = `/studies/${study}/live?have=${encodeURIComponent(have())}`;
      await Promise.all([
        htmx.ajax("GET", url, {target: "#notice", swap: "none"}),
        chart && window.stoicChart?.update(),
      ]);
      tellAges();
      main.dataset.updated = `${Number(main.dataset.updated ?? 0) + 1}`;
      performance.measure("stoic-update", {start: began});
    } catch (error) {
      tell("lost", "Could not load the news; trying again.");
      figures ||= chart;
      setTimeout(refresh, 3000);
    } finally {
      busy = false;
      if (again) { again = false; setTimeout(refresh, 100); }
    }
  }
  document.addEventListener("htmx:after:request", event => {
    const response = event.detail?.ctx?.response;
    if (response && response.status >= 400 && response.status !== 503) {
      const words = response.status === 403 ? "That is not allowed with your token, or the page is too old: load it again."
        : `That did not work (${response.status}). Load the page again.`;
      const told = document.createElement("p");
      told.className = "problem";
      told.textContent = words;
      document.getElementById("notice").replaceChildren(told);
    }
  });

  // -- events --------------------------------------------------------------------------------------
  let asked = 0;
  const source = new EventSource(`/v1/studies/${study}/events`);
  source.addEventListener("open", () => { tell("live", "Live"); refresh(true); });
  source.addEventListener("error", () => tell("lost", "No connection to the server; trying again."));
  source.addEventListener("snapshot", () => refresh(true));
  source.addEventListener("told", event => {
    const {trial, value} = JSON.parse(event.data);
    window.stoicChart?.arrived(trial, value);
    tell("live", `Live: trial ${trial} gave ${Number(value).toPrecision(4)}`);
    wake();
  });
  source.addEventListener("failed", event => {
    tell("live", `Live: trial ${JSON.parse(event.data).trial} failed`);
    wake();
  });
  for (const kind of ["asked", "changed", "noted"]) source.addEventListener(kind, () => wake());
  // several events at once are one request; figures of the model follow with an event of their own
  function wake() {
    asked ||= setTimeout(() => { asked = 0; refresh(); }, 30);
  }
  window.addEventListener("pagehide", () => source.close());
})();
