import { type Clock, type Stopwatch, startStopwatch } from "../../runtime/clock.ts";

/** How long this process has known each of these names without a break. To be called with all of them each time. */
export const createKnownFor = (clock: Clock) => {
  let watches = new Map<string, Stopwatch>();
  return (names: readonly string[]): ((name: string) => number) => {
    watches = new Map(names.map((name) => [name, watches.get(name) ?? startStopwatch(clock)]));
    return (name) => watches.get(name)?.() ?? 0;
  };
};
