import { duration } from "../setting.ts";

export const reconcile = {
  everyMs: duration({
    env: "RECONCILE_EVERY",
    fallback: "15m",
    atLeastMs: 1_000,
    help: "Time between two runs.",
  }),
  windowMs: duration({
    env: "RECONCILE_WINDOW",
    fallback: "26h",
    help: "How far back a run reads the partner's log.",
  }),
  lookbackMs: duration({
    env: "RECONCILE_LOOKBACK",
    fallback: "72h",
    help: "How far back a run reads after a start or a change of leader, and once a day.",
  }),
  minAgeMs: duration({
    env: "RECONCILE_MIN_AGE",
    fallback: "10m",
    atLeastMs: 0,
    help: "Notifications younger than this are left to their webhooks.",
  }),
} as const;
