import type { TopicRate } from "../../operate/rates.ts";
import { formatCount, html, type Html } from "./text.ts";

const WIDTH = 600;
const HEIGHT = 120;
type Values = TopicRate["perMinute"];

const rounded = (value: number): string => formatCount(Math.round(value * 10) / 10);

const pathOf = (values: Values, max: number): string =>
  values
    .map((value, index) => {
      const x = ((index / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
      return `${index === 0 ? "M" : "L"}${x} ${(HEIGHT - (value / max) * HEIGHT).toFixed(1)}`;
    })
    .join("");

const inWords = (values: Values): string =>
  `${rounded(values.at(-1) ?? 0)} now, at most ${rounded(Math.max(...values))}`;

export const plot = (rates: readonly TopicRate[]): Html => {
  const max = Math.max(1, ...rates.flatMap(({ perMinute }) => perMinute));
  const legend = rates.map(({ kind, perMinute }) => `${kind}: ${inWords(perMinute)}`);
  return html`<figure class="plot">
    <svg viewBox="0 -2 ${WIDTH} ${HEIGHT + 4}" preserveAspectRatio="none" role="img" aria-label="${legend.join(". ")}">
      <path class="base" d="M0 ${HEIGHT}H${WIDTH}" />
      ${rates.map(({ perMinute }, index) => html`<path class="line${index}" d="${pathOf(perMinute, max)}" />`)}
    </svg>
    <figcaption>
      <ul>${legend.map((text, index) => html`<li><span class="key${index}" aria-hidden="true"></span> ${text}</li>`)}</ul>
      <p class="dim">The height is ${rounded(max)} a minute. An hour ago is at the left, now at the right.</p>
    </figcaption>
  </figure>`;
};
