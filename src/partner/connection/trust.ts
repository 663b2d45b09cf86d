import type { Clock } from "../../runtime/clock.ts";
import { startStopwatch } from "../../runtime/stopwatch.ts";

/**
 * For how long used connections are not tried again, and why:
 * - `closed-early`: the partner closed one that was hardly idle
 * - `call-lost`: what became of a call that was sent on one is not known; twice as long each time
 * - `spoke-unasked`: something came that was no answer to a call, and could be taken for the answer to the next one
 */
const BANNED_MS = {
  "closed-early": 60_000,
  "call-lost": 600_000,
  "spoke-unasked": Number.POSITIVE_INFINITY,
} as const;

export type Distrust = keyof typeof BANNED_MS;
/** Whether used connections carry calls, and why not. */
export type Standing = "kept" | Distrust;

export type TrustOptions = {
  clock: Clock;
  /** Hears when it changes. */
  told: (standing: Standing) => void;
};

/** How far a partner may be trusted to leave used connections open. */
export type Trust = {
  /** How many calls may be made on used connections at a time. */
  calls: () => number;
  /** Whether it may be tried (again) what the partner does with one that is idle. */
  mayBeEarned: () => boolean;
  /** It left one open for long. */
  earn: () => void;
  /** It answered a call on one. */
  justify: () => void;
  lose: (why: Distrust) => void;
  /** For good. */
  end: () => void;
};

export const trustIn = ({ clock, told }: TrustOptions): Trust => {
  let calls = 0;
  let bannedForMs = (): number => 0;
  let standing: Standing | null = null;
  let callsLost = 0;

  const become = (next: Standing): void => {
    if (next !== standing) told(next);
    standing = next;
  };

  const ban = (forMs: number): void => {
    const since = startStopwatch(clock);
    bannedForMs = () => forMs - since();
    calls = 0;
  };

  return {
    calls: () => calls,
    mayBeEarned: () => bannedForMs() <= 0,
    earn: () => {
      calls = 1;
      become("kept");
    },
    justify: () => (calls = Math.min(calls * 2, Number.MAX_SAFE_INTEGER)),
    lose: (why) => {
      // Many calls are lost at once when the partner goes away: that is one time.
      if (why === standing && bannedForMs() > 0) return;
      const forMs = why === "call-lost" ? BANNED_MS[why] * 2 ** callsLost : BANNED_MS[why];
      // The longest ban counts.
      if (forMs < bannedForMs()) return;
      if (why === "call-lost") callsLost += 1;
      ban(forMs);
      become(why);
    },
    end: () => ban(Number.POSITIVE_INFINITY),
  };
};
