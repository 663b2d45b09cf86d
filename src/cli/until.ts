import { InvalidArgumentError } from "commander";
import { systemClock } from "../runtime/clock.ts";
import { readInstant } from "../runtime/instant.ts";
import { durationMs } from "./duration.ts";

const isDuration = (text: string): boolean => /^\d+[a-z]+$/.test(text);

/** An instant to come, as RFC 3339 has it or as the duration until then. Milliseconds since the epoch. */
export const untilMs = (text: string): number => {
  const nowMs = systemClock.now();
  const ms = isDuration(text) ? nowMs + durationMs(text) : readInstant(text);
  if (ms === null)
    throw new InvalidArgumentError(
      "It must be an instant such as 2026-12-01T06:00:00-03:00, or a duration such as 30m.",
    );
  if (ms <= nowMs) throw new InvalidArgumentError(`It is over: now it is ${new Date(nowMs).toISOString()}.`);
  return ms;
};
