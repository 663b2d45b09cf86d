import { duration } from "../setting.ts";

export const reconcile = {
  everyMs: duration({
    env: "RECONCILE_EVERY",
    fallback: "15m",
    atLeastMs: 1_000,
    help: "Time between two runs.",
  }),
  windowMs: duration({ env: "RECONCILE_WINDOW", fallback: "26h", help: "How far back each run looks." }),
  lookbackMs: duration({
    env: "RECONCILE_LOOKBACK",
    fallback: "72h",
    help: "How far back a run looks at a start, and once a day.",
  }),
  minAgeMs: duration({
    env: "RECONCILE_MIN_AGE",
    fallback: "10m",
    atLeastMs: 0,
    help: "Younger notifications are left to the webhook.",
  }),
} as const;
