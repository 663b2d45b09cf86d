import type { Claim, LetterEnd } from "../../../../src/operator/replay/claims.ts";
import type { DeadLetter } from "../../../../src/operator/replay/dead-letter.ts";

/** A letter of a command that nothing is known against. */
export const letter = (offset: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  place: { partition: 0, offset },
  timestampMs: offset,
  reason: "UNREADABLE_COMMAND",
  detail: "no command",
  source: "command",
  origin: { topic: "commands", partition: 0, offset, timestampMs: 0 },
  receivedAtMs: null,
  bytes: 10,
  records: [{ partition: 0, offset }],
  missing: null,
  obstacle: null,
  preview: "",
  ...more,
});

export const claim = (actionId: string, offset: number, atMs: number, letters: Claim["letters"]): Claim => ({
  ...{ actionId, offset, atMs, letters, by: actionId, topic: "commands", ends: { 0: 100 }, leaseMs: 60_000 },
});

export const sentTo = (offset: number): LetterEnd => ({ end: "sent", place: `commands[0]@${offset}` });
