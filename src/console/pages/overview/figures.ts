import { html, type Html } from "../../html/markup.ts";
import { plot } from "../../html/plot.ts";
import { table, tag } from "../../html/elements.ts";
import { code, formatCount, inlineText } from "../../html/text.ts";
import type { Hour, Overview } from "../../ports.ts";

const cell = (hour: Hour, index: number): Html => {
  const value = hour[index] ?? null;
  return html`<td class="number">${value === null ? "not known" : formatCount(value)}</td>`;
};

/** The plots as a table, for screen readers. */
const figures = ({ rates, lag }: Overview): Html => {
  const minutes = Math.max(lag.hour.length, ...rates.map(({ perMinute }) => perMinute.length));
  return html`<details id="hour-figures">
    <summary>The same in figures</summary>
    ${table({
      label: "Records for each minute of the last hour",
      columns: ["minutes ago", ...rates.map(({ of }) => of), "commands that waited"],
      rows: [...Array(minutes).keys()].reverse().map(
        (index) =>
          html`<tr>
            <th scope="row">${minutes - 1 - index}</th>
            ${rates.map(({ perMinute }) => cell(perMinute, index))}${cell(lag.hour, index)}
          </tr>`,
      ),
      empty: "Nothing is known yet.",
    })}
  </details>`;
};

export const hourSection = (overview: Overview): Html =>
  html`<section aria-labelledby="hour-title">
    <h2 id="hour-title">Last hour <small>a bar for each minute, now at the right</small></h2>
    <div class="plots">
      ${overview.rates.map(({ of, perMinute }) => plot(`${of.charAt(0).toUpperCase()}${of.slice(1)}`, perMinute, true))}
      ${plot("Commands that waited", overview.lag.hour, false)}
    </div>
    ${figures(overview)}
  </section>`;

export const lagSection = ({ lag }: Overview): Html =>
  html`<section aria-labelledby="lag-title">
    <h2 id="lag-title">Commands that wait, by partition</h2>
    ${table({
      label: "Commands that wait, by partition",
      columns: ["partition", "waiting", "done up to offset", "end of the topic"],
      rows: lag.partitions.map(
        ({ partition, committed, end, lag: waiting }) =>
          html`<tr>
            <th scope="row">${partition}</th>
            <td class="number">${waiting > 0 ? html`<strong>${formatCount(waiting)}</strong>` : "0"}</td>
            <td class="number">${committed === null ? "nothing yet" : formatCount(committed)}</td>
            <td class="number">${formatCount(end)}</td>
          </tr>`,
      ),
      empty: "No partition is known yet.",
    })}
  </section>`;

export const replicasSection = ({ replicas }: Overview): Html =>
  html`<section aria-labelledby="replicas-title">
    <h2 id="replicas-title">Replicas</h2>
    ${table({
      label: "Replicas",
      columns: ["replica", "host", "partitions of commands", "partner's log"],
      rows: (replicas ?? []).map(
        ({ clientId, host, partitions, isReconciling }) =>
          html`<tr>
            <th scope="row">${code(clientId)}</th>
            <td>${inlineText(host)}</td>
            <td>${partitions.length === 0 ? "none" : partitions.join(", ")}</td>
            <td>${isReconciling ? tag("good", "reads it") : html`<span class="dim">stands by</span>`}</td>
          </tr>`,
      ),
      empty:
        replicas === null
          ? "Not known yet."
          : "No replica is in the group: commands are not executed. Start one with `cambio-bridge serve`.",
    })}
  </section>`;
