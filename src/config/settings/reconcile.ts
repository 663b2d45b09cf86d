import { duration } from "../kinds.ts";

export const reconcile = {
  everyMs: duration("RECONCILE_EVERY", "15m", "Time between two runs.", { atLeastMs: 1_000 }),
  windowMs: duration("RECONCILE_WINDOW", "26h", "How far back a run reads the partner's log."),
  lookbackMs: duration(
    "RECONCILE_LOOKBACK",
    "72h",
    "How far back a run reads after a start or a change of leader, and once a day.",
  ),
  minAgeMs: duration(
    "RECONCILE_MIN_AGE",
    "10m",
    "Notifications younger than this are left to their webhooks.",
    { atLeastMs: 0 },
  ),
} as const;
