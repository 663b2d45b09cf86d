import type { OnProgress } from "../operate/connections.ts";
import { systemClock } from "../runtime/clock.ts";
import type { Io } from "./io.ts";

const EVERY_MS = 2_000;

/** Says every two seconds how far a long reading is. */
export const sayProgress = ({ err }: Io, what: string): OnProgress => {
  let saidAt = systemClock.monotonic();
  return ({ read, total }) => {
    if (systemClock.monotonic() - saidAt < EVERY_MS) return;
    saidAt = systemClock.monotonic();
    err(`Reading ${what}: ${read} of ${total} records so far.`);
  };
};
