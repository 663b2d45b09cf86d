import { html, type Html } from "../../html/markup.ts";
import { notice, tag } from "../../html/elements.ts";
import { shown } from "../../html/text.ts";
import { when } from "../../html/time.ts";
import { isPause, PAUSABLE, type Pausable, type Word } from "../../../operator/control-entry.ts";
import type { Overview } from "../../ports.ts";

/** What a paused flow means. */
export const MEANING: Readonly<Record<Pausable, string>> = {
  commands: "Commands wait in their topic; what was begun is finished. Webhooks go on.",
  reconcile: "The partner's log is not read. What webhooks missed is found after the pause.",
};

/** Who said what, and why. `undefined` while that is not known yet. */
export const wordOf = (word: Word | null | undefined, nowMs: number): Html => {
  if (word === undefined) return html`${tag("plain", "not known yet")} The control topic has not been read.`;
  if (word === null) return html`${tag("good", "runs")} Nobody ever paused it.`;
  const { by, note, atMs, untilMs } = word;
  const who = html`by <strong>${shown(by)}</strong>, ${when(atMs, nowMs)}: “${shown(note, 1_000)}”`;
  // Its type keeps the check from saying that every other word is none at all.
  const holds: boolean = isPause(word, nowMs);
  if (holds)
    return html`${tag("bad", "paused")} ${who}. It ends
    ${untilMs === null ? "when somebody resumes it" : when(untilMs, nowMs)}.`;
  return word.says === "resume"
    ? html`${tag("good", "runs")} Resumed ${who}.`
    : html`${tag("good", "runs")} Its last pause is over; it was paused ${who}.`;
};

/** On the overview: loud where something is paused, a line where nothing is. */
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
        html`<p><strong>${flow}</strong>: ${wordOf(pauses[flow], nowMs)} ${MEANING[flow]} ${change}</p>`,
      ),
    )}
  </section>`;
};
