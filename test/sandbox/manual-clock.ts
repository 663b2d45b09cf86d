import type { SandboxClock } from "../../sandbox/runtime/clock.ts";

/** A clock that stands still until it is moved. */
export const manualClock = (startAt: number): SandboxClock & { advance(ms: number): void } => {
  let now = startAt;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after: (delayMs, run) => {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: (ms) => {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
  };
};
