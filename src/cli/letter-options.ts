import { InvalidArgumentError, type Command } from "commander";
import { readRef } from "../operate/dead-letters/letter.ts";
import type { Selection } from "../operate/dead-letters/read.ts";
import type { RecordPosition } from "../runtime/record-position.ts";
import { pastMs } from "./option-values.ts";

export type SelectionFlags = { reason?: string; since?: number; until?: number };

/** Adds the options that choose dead letters. */
export const withSelection = (command: Command): Command =>
  command
    .option("--reason <reason>", "only this reason, such as UNREADABLE_COMMAND")
    .option("--since <time>", "not older: an instant, a day in UTC, or an age (24h, 7d)", pastMs)
    .option("--until <time>", "older than this; the same forms", pastMs);

export const selectionOf = ({ reason, since, until }: SelectionFlags): Selection => ({
  reason,
  sinceMs: since,
  untilMs: until,
});

/** Whether any of the options is given. */
export const isChosen = ({ reason, since, until }: SelectionFlags): boolean =>
  [reason, since, until].some((each) => each !== undefined);

export const letterRef = (text: string): RecordPosition => {
  const found = readRef(text);
  if (found === null)
    throw new InvalidArgumentError("It must be a place in the dead-letter topic such as 3/4711.");
  return found;
};
