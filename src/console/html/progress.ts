import type { Progress } from "../ports.ts";
import { html, type Html } from "./markup.ts";
import { notice } from "./elements.ts";
import { formatCount, sentence } from "./text.ts";
import { at } from "./time.ts";

/** The progress as a sentence; null when it is complete. */
const describeProgress = ({ isComplete, read, total, sinceMs, problem }: Progress): Html | null => {
  if (isComplete && problem === null) return null;
  const done = `${formatCount(read)} of ${formatCount(Math.max(read, total))} records`;
  const back =
    sinceMs === null
      ? html`Reading has begun (${done}).`
      : html`Everything since ${at(sinceMs)} is read (${done}); what is older is being read.`;
  return problem === null
    ? back
    : html`It does not go on: ${sentence(problem)}
      ${sinceMs === null ? "" : html`Everything since ${at(sinceMs)} was read (${done}).`}`;
};

/** A notice while topics are still being read. `notAll`: what that means for this page. */
export const progressNotice = (progress: Progress, notAll: string): Html => {
  const coming = describeProgress(progress);
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
