import { html, type Html } from "../../html/markup.ts";
import { notice, tag } from "../../html/elements.ts";
import { inlineText } from "../../html/text.ts";
import { when } from "../../html/time.ts";
import { isPause, PAUSABLE, type Pausable, type ControlEntry } from "../../../operator/control-entry.ts";
import type { Overview } from "../../ports.ts";

/** The effect of a pause. */
export const MEANING: Readonly<Record<Pausable, string>> = {
  commands: "Commands wait in their topic; what was begun is finished. Webhooks go on.",
  reconcile: "The partner's log is not read. What webhooks missed is found after the pause.",
};

/** Whether a flow is paused, by whom and why. `undefined`: not known yet; null: it never was. */
export const describeControlEntry = (entry: ControlEntry | null | undefined, nowMs: number): Html => {
  if (entry === undefined) return html`${tag("plain", "not known yet")} The control topic has not been read.`;
  if (entry === null) return html`${tag("good", "not paused")} Nobody ever paused it.`;
  const { by, note, atMs, untilMs } = entry;
  const who = html`by <strong>${inlineText(by)}</strong>, ${when(atMs, nowMs)}: “${inlineText(note, 1_000)}”`;
  // Declared boolean: the type guard would narrow `entry` to never in the other branch.
  const holds: boolean = isPause(entry, nowMs);
  if (holds)
    return html`${tag("bad", "paused")} ${who}. It ends
    ${untilMs === null ? "when somebody resumes it" : when(untilMs, nowMs)}.`;
  return entry.says === "resume"
    ? html`${tag("good", "not paused")} Resumed ${who}.`
    : html`${tag("good", "not paused")} Its last pause is over; it was paused ${who}.`;
};

/** The pauses on the overview: a notice for each, or one line where there is none. */
export const pausesSection = (pauses: Overview["pauses"], nowMs: number, canAct: boolean): Html => {
  const change = html`<a href="/pauses">${canAct ? "Pause or resume" : "More"}</a>`;
  if (pauses === null)
    return html`<p class="line">${tag("plain", "What is paused is not known yet")} ${change}</p>`;
  const paused = PAUSABLE.filter((flow) => isPause(pauses[flow] ?? undefined, nowMs));
  if (paused.length === 0) return html`<p class="line">${tag("good", "Nothing is paused")} ${change}</p>`;
  return html`<section aria-labelledby="paused">
    <h2 id="paused">Paused</h2>
    ${paused.map((flow) =>
      notice(
        "bad",
        html`<p>
          <strong>${flow}</strong>: ${describeControlEntry(pauses[flow], nowMs)} ${MEANING[flow]} ${change}
        </p>`,
      ),
    )}
  </section>`;
};
