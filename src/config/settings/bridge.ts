import { host } from "../addresses.ts";
import { checkOnce, duration, durationFrom, flag, integer, oneOf, pairsOf, port, someOf } from "../kinds.ts";
import { kind } from "../setting.ts";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export const FLOWS = ["webhooks", "commands", "reconcile"] as const;

export const bridge = {
  flows: someOf(FLOWS)("FLOWS", "webhooks,commands,reconcile", "The flows that this process runs."),
  logLevel: oneOf(LEVELS)("LOG_LEVEL", "info", "Least severe level that is logged."),
  shutdownTimeoutMs: durationFrom(6_000)("SHUTDOWN_TIMEOUT", "25s", "Longest shutdown after SIGTERM."),
  setupOnStart: flag("SETUP_ON_START", "Runs `setup` before `serve`; for development."),
} as const;

const readAmounts = pairsOf(
  (currency, limit) =>
    /^([A-Z]{3}|\*)$/.test(currency) && /^(0|[1-9]\d{0,29})(\.\d{1,30})?$/.test(limit) && /[1-9]/.test(limit),
  "no limit such as USD=250000, or *=100000 for any other currency",
);

const amounts = kind("list of CURRENCY=amount", (value): ReadonlyMap<string, string> => {
  const limits = readAmounts(value);
  checkOnce(limits.map(([currency]) => currency));
  return new Map(limits);
});

export const management = {
  host: host("MANAGEMENT_HOST", "0.0.0.0", "Address of the listener for /livez, /readyz and /metrics."),
  port: port("MANAGEMENT_PORT", "9090", "Its port; 0 takes any free one."),
} as const;

export const commands = {
  maxInFlight: integer(1, 10_000)("COMMANDS_MAX_IN_FLIGHT", "64", "Commands under way at a time, a replica."),
  maxAgeMs: duration("COMMANDS_MAX_AGE", "15m", "Older commands are rejected with COMMAND_TOO_OLD."),
  maxAmounts: amounts(
    "COMMANDS_MAX_AMOUNT",
    "Largest amounts, such as USD=250000,*=100000; above them a command is rejected with AMOUNT_ABOVE_LIMIT.",
  ),
  deadlineMs: duration(
    "COMMANDS_DEADLINE",
    "2m",
    "Longest time for all attempts at a command, from when a replica takes it up (not while it waits behind its key).",
  ),
} as const;

export const reconcile = {
  everyMs: durationFrom(1_000)("RECONCILE_EVERY", "15m", "Time between two runs."),
  windowMs: duration("RECONCILE_WINDOW", "26h", "How far back a run reads the partner's log."),
  lookbackMs: duration("RECONCILE_LOOKBACK", "72h", "The same at a start, for a new leader, and once a day."),
  minAgeMs: durationFrom(0)("RECONCILE_MIN_AGE", "10m", "Younger notifications are left to their webhooks."),
} as const;
