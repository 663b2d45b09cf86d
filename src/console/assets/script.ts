/**
 * The script of all pages, as browsers load it. Pages work without it. It replaces the parts marked data-live
 * when the stream reports a change, keeps relative times up to date, and says when the connection is lost.
 */
const times = String.raw`
const root = document.documentElement;
// How far the server's clock was ahead of this one when the page was made.
let ahead = Number(root.dataset.now) - Date.now();
const now = () => Date.now() + ahead;

const lasting = (ms) => {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return s + " s";
  if (s < 3600) return Math.floor(s / 60) + " min " + (s % 60) + " s";
  if (s < 86400) return Math.floor(s / 3600) + " h " + Math.floor((s % 3600) / 60) + " min";
  return Math.floor(s / 86400) + " d " + Math.floor((s % 86400) / 3600) + " h";
};

const tellTimes = () => {
  for (const time of document.querySelectorAll("time[data-age]")) {
    const ms = Date.parse(time.dateTime);
    if (Number.isNaN(ms)) continue;
    const text = ms > now() ? "in " + lasting(ms - now()) : lasting(now() - ms) + " ago";
    if (time.textContent !== text) time.textContent = text;
  }
};
`;

const replacing = String.raw`
// A part is not replaced while somebody types, has typed, or has selected text in it.
const isTouched = (part) => {
  const active = document.activeElement;
  if (active && part.contains(active) && active.matches("input, select, textarea")) return true;
  const chosen = getSelection();
  if (chosen && !chosen.isCollapsed && part.contains(chosen.anchorNode)) return true;
  return [...part.querySelectorAll("input:not([type=hidden]), textarea, option")].some((field) =>
    "selected" in field ? field.selected !== field.defaultSelected && !isFirst(field)
    : field.checked !== field.defaultChecked || field.value !== field.defaultValue);
};
const isFirst = (option) => option.index === 0;

// Carries over what the server's page does not know: open details, scroll positions, the focus.
const keep = (old, part) => {
  for (const details of old.querySelectorAll("details[id]")) {
    const same = part.querySelector("#" + CSS.escape(details.id));
    if (same) same.open = details.open;
  }
  const active = document.activeElement;
  const at = active && old.contains(active) ? [...old.querySelectorAll("a, button, summary, [tabindex]")].indexOf(active) : -1;
  const scrolled = [...old.querySelectorAll(".wide, pre")].map((one) => [one.scrollLeft, one.scrollTop]);
  return () => {
    [...part.querySelectorAll(".wide, pre")].forEach((one, index) => {
      if (scrolled[index]) [one.scrollLeft, one.scrollTop] = scrolled[index];
    });
    if (at >= 0) part.querySelectorAll("a, button, summary, [tabindex]")[at]?.focus({ preventScroll: true });
  };
};

const replaceParts = (page) => {
  for (const old of document.querySelectorAll("[data-live]")) {
    const part = page.getElementById(old.id);
    if (!part || isTouched(old)) continue;
    const after = keep(old, part);
    old.replaceWith(document.adoptNode(part));
    after();
  }
  document.title = page.title;
  ahead = Number(page.documentElement.dataset.now) - Date.now();
  tellTimes();
};

let isLoading = false;
let isWanted = false;
let soon = 0;
const lookAgain = async () => {
  isWanted = true;
  if (isLoading) return;
  let nextMs = 1000;
  isLoading = true;
  try {
    while (isWanted) {
      isWanted = false;
      const answer = await fetch(location.href, { signal: AbortSignal.timeout(20000) });
      if (answer.redirected && new URL(answer.url).pathname !== location.pathname) return location.assign(answer.url);
      const text = await answer.text();
      if (!answer.ok) throw new Error("HTTP " + answer.status);
      replaceParts(new DOMParser().parseFromString(text, "text/html"));
    }
    lookedAt = Date.now();
    if (!hasStream || source?.readyState === 1) isLive();
  } catch {
    nextMs = 5000;
    if (hasStream) broken();
    else notLive();
  } finally {
    isLoading = false;
  }
  clearTimeout(soon);
  if (document.querySelector("[data-soon]")) soon = setTimeout(lookAgain, nextMs);
};
`;

const streaming = String.raw`
const hasStream = "livePage" in root.dataset;
const state = document.getElementById("live");
let lookedAt = Date.now();
let source = null;
let silence = 0;
let pauseMs = 1000;

const notLive = () => {
  const text = "Not live since " + new Date(lookedAt + ahead).toISOString().slice(11, 19) + " UTC: what is shown may be old. Trying again.";
  if (state.textContent !== text) state.textContent = text;
  state.hidden = false;
};
const isLive = () => {
  state.hidden = true;
  state.textContent = "";
};

const stop = () => {
  source?.close();
  source = null;
  clearTimeout(silence);
};
const broken = () => {
  stop();
  notLive();
  setTimeout(start, pauseMs * (0.75 + Math.random() / 2));
  pauseMs = Math.min(pauseMs * 2, 30000);
};
const heard = () => {
  clearTimeout(silence);
  silence = setTimeout(broken, 25000);
};
// A hidden page has no stream: browsers allow few connections per host.
const start = () => {
  if (source || document.hidden) return;
  source = new EventSource("/live");
  heard();
  source.onopen = () => {
    pauseMs = 1000;
    lookAgain();
  };
  source.addEventListener("beat", () => { lookedAt = Date.now(); heard(); });
  source.addEventListener("change", () => { heard(); lookAgain(); });
  source.onerror = broken;
};

tellTimes();
setInterval(tellTimes, 1000);
if (hasStream) {
  start();
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", (event) => event.persisted && start());
}
if (document.querySelector("[data-soon]")) soon = setTimeout(lookAgain, 1000);
`;

export const script = `"use strict";\n${times}${replacing}${streaming}`;
