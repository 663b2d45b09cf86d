import type { ReplayRun } from "../../../console/ports.ts";
import type { LetterEnd } from "../../../operator/replay/claims.ts";
import { refOf } from "../../../operator/replay/dead-letter.ts";
import { skippedText } from "../../../operator/replay/plan.ts";
import { Cancelled } from "../../../operator/replay/replay.ts";
import { messageOf } from "../../../runtime/errors.ts";
import type { RecordPosition } from "../../../runtime/record-position.ts";
import type { Hooks, Replayed } from "../../operator/replay.ts";

const LAST = 50;

const COUNTED = {
  sent: "sent",
  found: "sent",
  duplicate: "duplicates",
  left: "left",
  unknown: "unknown",
} as const satisfies Record<LetterEnd["end"], keyof ReplayRun>;

const textOf = (end: LetterEnd): string => {
  switch (end.end) {
    case "sent":
      return end.place;
    case "found":
      return `${end.place}, where it stood already: an earlier replay did not finish`;
    case "duplicate":
      return `event ${end.eventId} was published before`;
    case "left":
      return `not sent: ${end.reason}`;
    case "unknown":
      return `may have been sent: ${end.reason}. Planned again in a minute, it is looked up first, unless it had been sent before`;
  }
};

/** Starts a replay in the background. `replay` must clean up after itself, however it ends. */
export const startReplayRun = (
  { runId, by, startedAtMs, total }: Pick<ReplayRun, "runId" | "by" | "startedAtMs" | "total">,
  replay: (hooks: Hooks, signal: AbortSignal) => Promise<Replayed>,
  warn: (sentence: string) => void,
) => {
  const stop = new AbortController();
  const counts = { sent: 0, duplicates: 0, left: 0, unknown: 0 };
  let last: { ref: string; text: string }[] = [];
  let state: ReplayRun["state"] = "running";
  const details: string[] = [];

  const ended = (place: RecordPosition, end: LetterEnd): void => {
    counts[COUNTED[end.end]] += 1;
    last = [{ ref: refOf(place), text: textOf(end) }, ...last].slice(0, LAST);
  };
  const hooks: Hooks = {
    // The letters are planned again: since the plan was shown, others may have sent some.
    planned: ({ skipped }, unknown) => {
      for (const { letter, skipped: skip } of skipped)
        ended(letter.place, { end: "left", reason: skippedText(skip) });
      for (const place of unknown) ended(place, { end: "left", reason: "there is no such letter any more" });
    },
    ended: ({ letter }, end) => ended(letter.place, end),
    warn: (sentence) => {
      details.push(sentence);
      warn(sentence);
    },
  };
  const countDone = (): number => counts.sent + counts.duplicates + counts.left + counts.unknown;
  const countUnsent = (reason: string): void => {
    const unsent = Math.max(0, total - countDone());
    counts.left += unsent;
    if (unsent > 0) details.push(`${unsent} were not sent: ${reason}.`);
  };
  const run = async (): Promise<void> => {
    try {
      const replayed = await replay(hooks, stop.signal);
      countUnsent(replayed?.reason ?? "there was nothing to send");
      state = "done";
    } catch (error) {
      const { aborted } = stop.signal;
      countUnsent(aborted ? messageOf(stop.signal.reason) : "it failed");
      if (!aborted) details.push(messageOf(error));
      details.push("What was claimed and not concluded is looked up by the next replay.");
      state = aborted ? "done" : "failed";
    }
  };
  const over = run();

  return {
    snapshot: (): ReplayRun => ({
      runId,
      by,
      startedAtMs,
      total,
      ...counts,
      last,
      state,
      detail: details.length === 0 ? null : details.join(" "),
    }),
    /**
     * Lets the current batch finish, and begins no other.
     * @param reason is written to the audit topic with each letter that is left
     */
    cancel: (reason: string): void => {
      if (state !== "running") return;
      state = "cancelling";
      stop.abort(new Cancelled(reason));
    },
    over,
  };
};

export type Run = ReturnType<typeof startReplayRun>;
