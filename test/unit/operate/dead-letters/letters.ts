import type { DeadLetter } from "../../../../src/operate/dead-letters/letter.ts";

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
  missing: null,
  obstacle: null,
  preview: "",
  ...more,
});
