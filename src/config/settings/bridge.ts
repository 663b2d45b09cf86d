import { duration, flag, integer, oneOf, port, someOf, text } from "../kinds.ts";

export const bridge = {
  flows: someOf("FLOWS", "webhooks,commands,reconcile", "The flows that this process runs.", {
    values: ["webhooks", "commands", "reconcile"],
  }),
  logLevel: oneOf("LOG_LEVEL", "info", "Least severe level that is logged.", {
    values: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
  }),
  shutdownTimeoutMs: duration("SHUTDOWN_TIMEOUT", "25s", "Longest graceful shutdown after SIGTERM.", {
    atLeastMs: 6_000,
  }),
  setupOnStart: flag("SETUP_ON_START", "Runs `setup` before `serve`; for development."),
} as const;

export const management = {
  host: text(
    "MANAGEMENT_HOST",
    "0.0.0.0",
    "Address that the management listener (/livez, /readyz, /metrics) binds to.",
  ),
  port: port("MANAGEMENT_PORT", "9090", "Port of the management listener; 0 takes any free one."),
} as const;

export const commands = {
  maxInFlight: integer("COMMANDS_MAX_IN_FLIGHT", "64", "Commands that a replica executes at the same time.", {
    min: 1,
    max: 10_000,
  }),
  maxAgeMs: duration(
    "COMMANDS_MAX_AGE",
    "15m",
    "Commands older than this are rejected with COMMAND_TOO_OLD.",
  ),
  deadlineMs: duration(
    "COMMANDS_DEADLINE",
    "2m",
    "Longest time for all attempts at a command, from when a replica takes it up (not while it waits behind its key).",
  ),
  trustTrace: flag(
    "COMMANDS_TRUST_TRACE",
    "Continues the trace that a command carries; false: only links to it.",
  ),
} as const;

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
