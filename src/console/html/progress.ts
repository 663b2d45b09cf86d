import type { Progress } from "../ports.ts";
import { html, type Html } from "./markup.ts";
import { notice } from "./elements.ts";
import { grouped, sentence } from "./text.ts";
import { at } from "./time.ts";

/** How far the reading has come, in a sentence; null when it is done. */
const comingOf = ({ isComplete, read, total, sinceMs, problem }: Progress): Html | null => {
  if (isComplete && problem === null) return null;
  const done = `${grouped(read)} of ${grouped(Math.max(read, total))} records`;
  const back =
    sinceMs === null
      ? html`Reading has begun (${done}).`
      : html`Everything since ${at(sinceMs)} is read (${done}); what is older is being read.`;
  return problem === null
    ? back
    : html`It does not go on: ${sentence(problem)}
      ${sinceMs === null ? "" : html`Everything since ${at(sinceMs)} was read (${done}).`}`;
};

/** Says, where there is more to come, that this is not all. */
export const comingNotice = (progress: Progress, notAll: string): Html => {
  const coming = comingOf(progress);
  if (coming === null) return html``;
  const { read, total, problem } = progress;
  return notice(
    problem === null ? "wait" : "bad",
    html`<p>${notAll} ${coming}</p>
      <progress
        aria-label="Records read"
        value="${Math.min(read, total)}"
        max="${Math.max(total, 1)}"
      ></progress>`,
  );
};
