import type { LetterFilter } from "../../console/ports.ts";
import { MAX_INSTANT_MS } from "../../runtime/instant.ts";

/** A timestamp for ListOffsets: negative ones have special meanings there. */
export const clampInstant = (ms: number): number => Math.max(0, Math.min(Math.trunc(ms), MAX_INSTANT_MS));

/** The dead letters that a filter of the page means. */
export const selectionOf = ({ reason, sinceMs, untilMs }: LetterFilter) => ({
  reason: reason ?? undefined,
  sinceMs: sinceMs === null ? undefined : clampInstant(sinceMs),
  untilMs: untilMs === null ? undefined : clampInstant(untilMs),
});
