import type { Hour } from "../ports.ts";
import { html, type Html } from "./markup.ts";
import { formatCount } from "./text.ts";

const BAR = 4;
const HEIGHT = 40;

const barsOf = (hour: Hour, max: number): { known: string; unknown: string } => {
  const known: string[] = [];
  const unknown: string[] = [];
  for (const [index, value] of hour.entries()) {
    const height = value === null ? HEIGHT : value === 0 ? 0 : Math.max(1, (value / max) * HEIGHT);
    const bar = `M${index * BAR} ${HEIGHT}h${BAR - 1}v${(-height).toFixed(1)}h${1 - BAR}z`;
    if (value === null) unknown.push(bar);
    else if (height > 0) known.push(bar);
  }
  return { known: known.join(""), unknown: unknown.join("") };
};

/** The plot as text: the current minute, the highest one and, with `adds`, the sum. */
const inWords = (hour: Hour, adds: boolean): string => {
  const values = hour.filter((value) => value !== null);
  const last = hour.at(-1) ?? null;
  if (values.length === 0) return "not known yet";
  const sum = adds ? `, ${formatCount(values.reduce((a, b) => a + b, 0))} in all` : "";
  const gaps = values.length < hour.length ? `, ${hour.length - values.length} minutes not known` : "";
  return `now ${last === null ? "not known" : formatCount(last)}, highest ${formatCount(Math.max(...values))}${sum}${gaps}`;
};

/** The last hour as SVG, a bar per minute. `adds`: whether a sum of the minutes makes sense. */
export const plot = (label: string, hour: Hour, adds: boolean): Html => {
  const max = Math.max(1, ...hour.map((value) => value ?? 0));
  const { known, unknown } = barsOf(hour, max);
  const words = inWords(hour, adds);
  return html`<figure class="plot">
    <figcaption><b>${label}</b> <span class="dim">${words}</span></figcaption>
    <svg
      viewBox="0 0 ${hour.length * BAR} ${HEIGHT}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${label}, each minute of the last hour: ${words}"
    >
      <path class="unknown" d="${unknown}" />
      <path class="bars" d="${known}" />
      <path class="base" d="M0 ${HEIGHT}H${hour.length * BAR}" />
    </svg>
  </figure>`;
};
